//! Games with a komi of their own: what rules, rows and readers make of them.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::io::{Cursor, Read};

use crate::common::{connect4, header, shard};
use dz_game::{Game, Komi, Outcome, games::Go};
use dz_shard::{
    GameRecord, Head, RowBlock, RowShape, ShardError, ShardHeader, ShardReader, random_records,
    replay, rows_of_game,
};

fn go(komi: &str) -> Go {
    Go::from_spec(&format!("go:size=4,komi={komi}").parse().unwrap()).unwrap()
}

/// Finished games of `komi`, as a shard of games of 7 points has them.
fn games_of(komi: &str) -> Vec<GameRecord> {
    let rules = go(komi);
    let mut games = random_records(&rules, 12, 20, 3);
    for game in &mut games {
        game.komi = rules.komi();
    }
    games
}

fn rows<G: Game>(game: &G, record: &GameRecord) -> Result<RowBlock, ShardError> {
    let targets = [Head::Margin, Head::Ownership].into_iter().collect();
    let mut rows = RowBlock::new(RowShape::of(&game.encoding()).carrying(targets));
    rows_of_game(game, record, &mut rows).map(|()| rows)
}

/// A game of another komi has the rows of a game by rules that have that komi: outcome and globals
/// are its own.
#[test]
fn rows_are_those_of_the_games_own_komi() {
    let (base, mut winners) = (go("7"), Vec::new());
    for komi in ["-3.5", "2", "6.5", "9"] {
        for record in games_of(komi) {
            let plain = GameRecord { komi: None, ..record.clone() };
            assert_eq!(rows(&base, &record).unwrap(), rows(&go(komi), &plain).unwrap());
            winners.push(record.outcome.winner);
            let positions = replay(&base, &record).unwrap();
            let start = base.with_komi(record.komi.unwrap()).unwrap().start();
            assert_eq!(positions[0].state, start);
        }
    }
    winners.sort_unstable_by_key(|winner| winner.map(dz_game::Player::index));
    winners.dedup();
    assert!(winners.len() >= 2, "komi decides some games: {winners:?}");
}

/// The outcome is that of the game's own komi, and impossible values are refused.
#[test]
fn outcomes_are_checked_by_the_games_own_komi() {
    let base = go("7");
    let mut wrong = 0;
    for record in games_of("-3.5") {
        replay(&base, &record).unwrap();
        let other = GameRecord { komi: None, ..record.clone() };
        // Between the two komi somebody else wins, or nobody.
        let is_wrong = (-3..=7).contains(&record.outcome.margin.unwrap());
        assert_eq!(replay(&base, &other).is_err(), is_wrong);
        wrong += u32::from(is_wrong);
        let lost = Outcome { winner: None, ..record.outcome };
        assert!(replay(&base, &GameRecord { outcome: lost, ..record }).is_err());
    }
    assert!(wrong > 3);
    let refused = |record: &GameRecord| replay(&base, record).unwrap_err().to_string();
    let mut record = games_of("9").remove(0);
    record.komi = Some(Komi { halves: 400 });
    assert!(refused(&record).contains("cannot have a komi of 200"));
    let mut other = random_records(&connect4(), 1, 5, 1).remove(0);
    other.komi = Some(Komi { halves: 1 });
    let error = replay(&connect4(), &other).unwrap_err().to_string();
    assert!(error.contains("connect4") && error.contains("komi of 0.5"), "{error}");
}

/// A shard without own komi in its header has no komi column, and its bytes are those of the
/// earlier format.
#[test]
fn shards_without_komi_keep_their_bytes_and_refuse_any() {
    let records = random_records(&connect4(), 80, 100, 8);
    let bytes = shard(header(&connect4(), 100), records);
    let head = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize + 8;
    let mut columns = Vec::new();
    zstd::stream::Decoder::new(bytes.as_slice()).unwrap().read_to_end(&mut columns).unwrap();
    let hash = blake3::hash(&[&bytes[..head], &columns].concat());
    assert_eq!(hash.to_hex()[..32], *"2504e00af07837be09635414306d8675");

    let base = go("7");
    let games = games_of("9");
    let plain = header(&base, 100);
    let mut writer = dz_shard::ShardWriter::new(Vec::new(), plain.clone(), 1).unwrap();
    let error = writer.push(games[0].clone()).unwrap_err().to_string();
    assert!(error.contains("no game has its own komi"), "{error}");
    let own = ShardHeader { own_komi: true, ..plain };
    let bytes = shard(own.clone(), games.clone());
    let mut reader = ShardReader::new(Cursor::new(&bytes)).unwrap();
    assert_eq!(reader.header(), &own);
    let read: Vec<GameRecord> = reader.games().collect::<Result<_, _>>().unwrap();
    let komi: Vec<_> = read.iter().map(|game| game.komi).collect();
    assert_eq!(komi, vec![Some(Komi { halves: 18 }); games.len()]);
}
