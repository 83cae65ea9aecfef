//! The Python reader in `docs/python/` gives what our readers give, number for number.
//!
//! It runs in the Python that `DAGZERO_PYTHON` names, or in `python3`, and is skipped where that
//! lacks numpy, msgpack or zstandard.

use std::fs::File;
use std::path::Path;

use crate::common::cli::object;
use dz_game::games::{Chess, Connect4, Go};
use dz_game::{Encoding, Game, Move};
use dz_shard::{
    AuxTargets, GameRecord, Head, ParentGame, PlyRecord, ROW_LEVEL, ResignThresholds, Row,
    RowBlock, RowFileHeader, RowReader, RowSet, RowShape, RowTargets, RowWriter, SHARD_LEVEL,
    SearchKind, ShardReader, ShardWriter, WdlShares, is_offered, random_header, random_records,
    rows_of_game,
};
use dz_testkit::{repository, script_output};
use serde_json::{Value, json};

/// The reader's output for a file: its summary, then a value for each game or row. `None` where
/// there is no such Python.
fn python(file: &Path) -> Option<Vec<Value>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy_dump.py");
    let said = script_output(&script, &[&repository().join("docs/python"), file])?;
    Some(said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

fn of_shares(WdlShares { win, draw }: WdlShares) -> [u16; 3] {
    [win, draw, u16::MAX - win - draw]
}

fn of_moves<T: Copy + Into<u64>>(list: &[(Move, T)]) -> Vec<[u64; 2]> {
    list.iter().map(|&(mv, number)| [u64::from(mv.0), number.into()]).collect()
}

fn of_ply(ply: &PlyRecord) -> Value {
    json!({
        "move": ply.mv.0,
        "network": ply.network,
        "kind": u8::from(ply.kind == SearchKind::Fast),
        "budget": ply.budget,
        "flags": ply.flags,
        "root": of_shares(WdlShares::new(ply.root_value).expect("a value")),
        "weight": (ply.weight * 1024.0).round() as u64,
        "visits": of_moves(&ply.visits),
        "target": of_moves(ply.target.as_deref().unwrap_or_default()),
    })
}

fn of_game(game: &GameRecord) -> Value {
    let start: Vec<u16> = game.start_moves.iter().map(|mv| mv.0).collect();
    json!({
        "game": game.number,
        "seed": game.seed,
        "evaluator": game.evaluator,
        "winner": game.outcome.winner.map_or(0, |winner| winner as u8 + 1),
        "end": game.end as u8,
        "margin": game.outcome.margin.map(f64::from),
        "komi": game.komi.map(|komi| f64::from(komi.halves) / 2.0),
        "resign": game.resign.map(|resign| f64::from(resign.value_min)),
        "resign_turns": game.resign.map(|resign| resign.turns),
        "resign_enforced": game.resign.map(|resign| u8::from(resign.enforced)),
        "parent": [game.parent.map(|parent| parent.game), game.parent.map(|p| u64::from(p.ply))],
        "start": start,
        "plies": game.plies.iter().map(of_ply).collect::<Vec<_>>(),
    })
}

fn of_row(row: &Row<'_>, targets: RowTargets) -> Value {
    let policy = |index: &[u16], share: &[u16]| {
        let mut pairs: Vec<[u16; 2]> =
            index.iter().zip(share).map(|(&index, &share)| [index, share]).collect();
        pairs.sort_unstable();
        pairs
    };
    let mut value = json!({
        "planes": row.bits,
        "globals": row.globals,
        "policy": policy(row.policy_index, row.policy_share),
        "outcome": of_shares(row.outcome),
        "root": of_shares(row.root_value),
        "weights": [row.policy_weight.0, row.value_weight.0],
        "from": [row.game, u64::from(row.ply)],
    });
    let AuxTargets { reply_index, reply_share, short_term, plies_left, margin, ownership } =
        row.aux;
    if targets.has(Head::Reply) {
        value["reply"] = json!(policy(reply_index, reply_share));
        value["short_term"] = json!(short_term.expect("carried").map(of_shares));
        value["plies_left"] = json!(plies_left.unwrap_or(0));
    }
    if targets.has(Head::Margin) {
        value["margin"] = json!(margin.map(f64::from));
    }
    if targets.has(Head::Ownership) {
        value["ownership"] = json!(ownership);
    }
    value
}

/// Gives random games all that records can have: openings, forks, fast searches, targets, resign
/// thresholds, weights.
fn enriched(mut games: Vec<GameRecord>) -> Vec<GameRecord> {
    for (i, game) in games.iter_mut().enumerate() {
        if i % 3 == 1 {
            let opening: Vec<PlyRecord> = game.plies.drain(..2).collect();
            game.start_moves = opening.iter().map(|ply| ply.mv).collect();
        }
        if i % 6 == 4 {
            game.parent = Some(ParentGame { game: i as u64 - 1, ply: 2 });
        }
        if i % 4 == 2 {
            let value_min = -0.75;
            game.resign = Some(ResignThresholds { value_min, turns: 2, enforced: false });
        }
        for (p, ply) in game.plies.iter_mut().enumerate() {
            if p % 5 == 3 {
                (ply.kind, ply.budget, ply.weight) = (SearchKind::Fast, 7, 0.5);
                ply.visits.truncate(1);
            } else if p % 7 == 2 {
                let (first, last) = (ply.visits[0].0, ply.visits[ply.visits.len() - 1].0);
                let one = vec![(first, u16::MAX)];
                let two = vec![(first, 40_000), (last, 25_535)];
                ply.target = Some(if first == last { one } else { two });
            }
        }
    }
    games
}

/// Compares a shard, with what `dagzero shard --json` says of it.
fn compare_shard<G: Game>(game: &G, games: Vec<GameRecord>, own_komi: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("00000000.dzs");
    let header = random_header(game, 0, games.len() as u64);
    let header = dz_shard::ShardHeader { own_komi, ..header };
    let file = File::create(&path).expect("a file");
    let mut writer = ShardWriter::new(file, header, SHARD_LEVEL).expect("a shard");
    for game in games {
        writer.push(game).expect("written");
    }
    writer.finish().expect("written");
    let mut described = object(&["shard", path.to_str().expect("text"), "--json"]);
    let first = described.as_object_mut().expect("an object").remove("first_game");
    assert!(first.is_some(), "the one thing that needs the rules");
    let mut reader = ShardReader::open(&path).expect("a shard");
    let expected: Vec<Value> = reader.games().map(|game| of_game(&game.expect("a game"))).collect();
    let Some(found) = python(&path) else { return };
    assert_eq!(found[0], described);
    assert_eq!(found.len() - 1, expected.len());
    for (found, expected) in found[1..].iter().zip(&expected) {
        assert_eq!(found, expected);
    }
}

/// Compares a row file of games in two frames, with every target that the game offers.
fn compare_rows<G: Game>(game: &G, games: &[GameRecord], targets: RowTargets) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("train-0000.dzr");
    let encoding = game.encoding();
    let offered = encoding.targets();
    let targets: RowTargets = targets.iter().filter(|&head| is_offered(head, offered)).collect();
    let header = RowFileHeader::new(game, RowSet::Train, 1).expect("a header");
    let header = header.carrying(game, targets).expect("offered");
    let file = File::create(&path).expect("a file");
    let mut writer = RowWriter::new(file, &header, ROW_LEVEL).expect("a row file");
    for half in games.chunks(games.len().div_ceil(2)) {
        let mut block = RowBlock::new(RowShape::of(&encoding).carrying(targets));
        for record in half {
            rows_of_game(game, record, &mut block).expect("rows");
        }
        writer.push(&block).expect("written");
    }
    writer.finish().expect("written");
    let mut reader = RowReader::open(&path).expect("a row file");
    let mut expected = Vec::new();
    for block in reader.blocks() {
        expected.extend(block.expect("rows").rows().map(|row| of_row(&row, targets)));
    }
    let Some(found) = python(&path) else { return };
    let planes = &found[0]["arrays"]["planes"];
    assert_eq!(planes[0], expected.len());
    assert_eq!(found.len() - 1, expected.len());
    for (found, expected) in found[1..].iter().zip(&expected) {
        assert_eq!(found, expected);
    }
}

#[test]
fn numpy_reads_shards_and_rows_of_connect_four() {
    let game = Connect4::new(7, 6, 4).expect("a board");
    // Two frames: 64 games and 6.
    let games = enriched(random_records(&game, 70, 40, 1));
    compare_rows(&game, &games, RowTargets::NONE);
    compare_shard(&game, games, false);
}

#[test]
fn numpy_reads_shards_and_rows_of_go_with_a_komi_of_each_game() {
    let go = |komi: &str| {
        let spec = format!("go:size=5,komi={komi}").parse().expect("a game");
        Go::from_spec(&spec).expect("a board")
    };
    let game = go("7");
    let mut games = Vec::new();
    for komi in ["7", "-3.5", "0.5", "9"] {
        let rules = go(komi);
        for mut record in random_records(&rules, 3, 300, 2) {
            record.number = games.len() as u64;
            record.komi = rules.komi().filter(|_| komi != "7");
            games.push(record);
        }
    }
    let games = enriched(games);
    compare_rows(&game, &games, RowTargets::all());
    compare_shard(&game, games, true);
}

#[test]
fn numpy_reads_shards_and_rows_of_chess() {
    let game = Chess::from_spec(&"chess".parse().expect("a game")).expect("a board");
    let games = enriched(random_records(&game, 5, 60, 3));
    compare_rows(&game, &games, RowTargets::all());
    compare_shard(&game, games, false);
}
