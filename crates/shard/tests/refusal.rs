//! What must not be read, is not.

use std::io::Cursor;

use crate::common::{connect4, header, shard};
use dz_game::{Game, Move, Outcome, Player, Wdl, games::TicTacToe};
use dz_shard::{
    GameEnd, GameRecord, ParentGame, PlyRecord, ROW_LEVEL, ResignThresholds, RowBlock,
    RowFileHeader, RowReader, RowSet, RowWriter, SHARD_LEVEL, ShardError, ShardReader, ShardWriter,
    random_records, replay, rows_of_game,
};

fn read_shard(bytes: &[u8]) -> Result<Vec<GameRecord>, ShardError> {
    ShardReader::new(Cursor::new(bytes))?.games().collect()
}

fn read_rows(bytes: &[u8]) -> Result<Vec<RowBlock>, ShardError> {
    RowReader::new(Cursor::new(bytes))?.blocks().collect()
}

/// Cuts the file everywhere and flips a bit of every byte; `read` must refuse each time.
fn refuses_all_damage<T>(bytes: &[u8], read: impl Fn(&[u8]) -> Result<T, ShardError>) {
    assert!(read(bytes).is_ok());
    for cut in 0..bytes.len() {
        match read(&bytes[..cut]) {
            Err(ShardError::NoFooter { .. }) => {}
            Err(other) => panic!("cut at {cut}: {other}"),
            Ok(_) => panic!("cut at {cut} of {} was read", bytes.len()),
        }
    }
    let mut damaged = bytes.to_vec();
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            damaged[at] ^= flip;
            match read(&damaged) {
                Err(error) => assert!(error.is_bad_file(), "byte {at}: {error}"),
                Ok(_) => panic!("byte {at} flipped by {flip:#x} was not noticed"),
            }
            damaged[at] = bytes[at];
        }
    }
    damaged.push(0);
    assert!(read(&damaged).is_err(), "a byte more");
}

#[test]
fn a_shard_with_any_damage_is_refused() {
    let game = TicTacToe::from_spec(&"tictactoe".parse().unwrap()).unwrap();
    let bytes = shard(header(&game, 100), random_records(&game, 66, 10, 4));
    refuses_all_damage(&bytes, read_shard);
    refuses_all_damage(&bytes, |bytes| {
        let mut reader = ShardReader::new(Cursor::new(bytes))?;
        reader.verify()
    });
}

#[test]
fn a_row_file_with_any_damage_is_refused() {
    let game = connect4();
    let head = RowFileHeader::new(&game, RowSet::Train, 1).unwrap();
    let mut rows = RowBlock::new(head.shape);
    rows_of_game(&game, &random_records(&game, 1, 20, 2)[0], &mut rows).unwrap();
    let mut writer = RowWriter::new(Vec::new(), &head, ROW_LEVEL).unwrap();
    writer.push(&rows).unwrap();
    writer.push(&rows).unwrap();
    refuses_all_damage(&writer.finish().unwrap().0, read_rows);
}

#[test]
fn messages_say_what_to_do() {
    let game = connect4();
    let bytes = shard(header(&game, 10), random_records(&game, 3, 10, 4));
    let text = |error: ShardError| error.to_string();
    assert!(text(read_shard(&bytes[..100]).unwrap_err()).contains("set it aside"));
    assert!(text(read_shard(&[7; 200]).unwrap_err()).contains("not a shard"));
    assert!(text(read_rows(&bytes).unwrap_err()).contains("not a row file"));
    let mut newer = bytes.clone();
    newer[16] = 3;
    assert!(text(read_shard(&newer).unwrap_err()).contains("format 3 is not known"));
    let reader = ShardReader::new(Cursor::new(&bytes)).unwrap();
    let other = TicTacToe::from_spec(&"tictactoe".parse().unwrap()).unwrap();
    assert!(text(reader.check_game(&other).unwrap_err()).contains("files of one game"));
    assert!(reader.check_game(&game).is_ok() && reader.check_encoding(&game.encoding()).is_ok());
    assert!(reader.check_encoding(&other.encoding()).is_err());
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.dzs");
    let error = ShardReader::open(&missing).unwrap_err();
    assert!(text(error).contains("missing.dzs"));
}

#[test]
fn writers_refuse_games_out_of_order_or_form() {
    let game = connect4();
    let records = random_records(&game, 3, 10, 4);
    let refused = |change: &dyn Fn(&mut GameRecord)| {
        let mut writer = ShardWriter::new(Vec::new(), header(&game, 2), SHARD_LEVEL).unwrap();
        let mut record = records[0].clone();
        change(&mut record);
        writer.push(record).unwrap_err().to_string()
    };
    assert!(refused(&|r| r.number = 1).contains("game 0 comes next"));
    assert!(refused(&|r| r.evaluator = 2).contains("no evaluator 2"));
    assert!(refused(&|r| r.plies[1].network = 3).contains("no network 3"));
    assert!(refused(&|r| r.plies[1].visits.reverse()).contains("ascending"));
    assert!(refused(&|r| r.plies[1].visits[0].1 = 0).contains("count is 0"));
    assert!(refused(&|r| r.plies[1].root_value.win = f32::NAN).contains("root value"));
    assert!(refused(&|r| r.plies[1].weight = 64.0).contains("weight"));
    assert!(refused(&|r| r.plies[1].target = Some(Vec::new())).contains("target"));
    let mut writer = ShardWriter::new(Vec::new(), header(&game, 2), SHARD_LEVEL).unwrap();
    writer.push(records[0].clone()).unwrap();
    writer.push(records[1].clone()).unwrap();
    assert!(writer.push(records[2].clone()).unwrap_err().to_string().contains("full"));
}

#[test]
fn replay_refuses_what_the_rules_forbid() {
    let game = connect4();
    let record = random_records(&game, 1, 10, 4).remove(0);
    assert_eq!(replay(&game, &record).unwrap().len(), record.plies.len());
    let refused = |change: &dyn Fn(&mut GameRecord)| {
        let mut record = record.clone();
        change(&mut record);
        replay(&game, &record).unwrap_err().to_string()
    };
    assert!(refused(&|r| r.plies[2].mv = Move(7)).contains("not legal"));
    assert!(refused(&|r| r.plies[2].visits.push((Move(9), 1))).contains("visited move number 9"));
    assert!(refused(&|r| r.plies[2].target = Some(vec![(Move(9), 1)])).contains("not legal"));
    assert!(refused(&|r| r.start_moves = vec![Move(8)]).contains("not legal"));
    assert!(refused(&|r| drop(r.plies.pop())).contains("the rules give"));
    assert!(
        refused(&|r| r.outcome = r
            .outcome
            .winner
            .map_or(Outcome::win_of(Player::First), |winner| Outcome::win_of(winner.opponent())))
        .contains("rules")
    );
    assert!(refused(&|r| r.end = GameEnd::Resigned).contains("Resigned"));
    let last = record.plies.last().unwrap().clone();
    assert!(refused(&|r| r.plies.push(last.clone())).contains("already over"));
}

/// A game that the first player resigned after four plies, its two turns below the threshold.
fn resigned() -> GameRecord {
    let mut record = random_records(&connect4(), 1, 10, 4).remove(0);
    record.plies.truncate(4);
    record.end = GameEnd::Resigned;
    record.outcome = Outcome::win_of(Player::Second);
    record.resign = Some(ResignThresholds { value_min: -0.75, turns: 2, enforced: true });
    for ply in &mut record.plies {
        ply.root_value = Wdl { win: 0.1, draw: 0.0, loss: 0.9 };
    }
    for ply in record.plies.iter_mut().step_by(2) {
        ply.flags = PlyRecord::BELOW;
    }
    record
}

#[test]
fn resigned_games_must_be_won_by_the_other_side() {
    let game = connect4();
    let mut record = resigned();
    assert!(replay(&game, &record).is_ok(), "the first player is to move after four plies");
    record.outcome = Outcome::win_of(Player::First);
    assert!(replay(&game, &record).is_err());
    record.outcome = Outcome::DRAW;
    assert!(replay(&game, &record).is_err());
    record.end = GameEnd::PlyLimit;
    assert!(replay(&game, &record).is_ok());
}

#[test]
fn thresholds_must_justify_a_resignation() {
    let game = connect4();
    let refused = |change: &dyn Fn(&mut GameRecord)| {
        let mut record = resigned();
        change(&mut record);
        replay(&game, &record).unwrap_err().to_string()
    };
    let resign = |record: &mut GameRecord, change: &dyn Fn(&mut ResignThresholds)| {
        change(record.resign.as_mut().unwrap());
    };
    assert!(refused(&|r| r.plies[0].flags = 0).contains("do not make the player to move resign"));
    assert!(refused(&|r| resign(r, &|t| t.turns = 3)).contains("do not make"));
    assert!(refused(&|r| resign(r, &|t| t.enforced = false)).contains("do not make"));
    // The root's value bounds what may be marked.
    assert!(refused(&|r| resign(r, &|t| t.value_min = -0.8)).contains("ply 0: the ply is marked"));
    assert!(refused(&|r| r.resign = None).contains("the ply is marked"));
    // Who does not resign when it is due is as wrong as who resigns too early.
    assert!(refused(&|r| resign(r, &|t| t.turns = 1)).contains("ply 2: the first player had to"));
    let mut played_on = resigned();
    resign(&mut played_on, &|t| (t.turns, t.enforced) = (1, false));
    (played_on.end, played_on.outcome) = (GameEnd::PlyLimit, Outcome::DRAW);
    assert!(replay(&game, &played_on).is_ok(), "games that are played on have no due resignation");
}

/// Who resigns at once made the last turn, whose best move was below; the root's value may not be.
#[test]
fn a_resignation_at_once_is_shown_by_the_last_turn() {
    let game = connect4();
    let mut record = resigned();
    record.plies.truncate(3);
    record.resign = Some(ResignThresholds { value_min: -0.95, turns: 0, enforced: true });
    for ply in &mut record.plies[..2] {
        ply.flags = 0;
    }
    assert!(replay(&game, &record).is_ok());
    let refused = |change: &dyn Fn(&mut GameRecord)| {
        let mut record = record.clone();
        change(&mut record);
        replay(&game, &record).unwrap_err().to_string()
    };
    assert!(refused(&|r| r.plies[2].flags = 0).contains("do not make"));
    assert!(refused(&|r| r.outcome = Outcome::win_of(Player::First)).contains("Resigned"));
    assert!(
        refused(&|r| r.plies[0].flags = PlyRecord::BELOW).contains("ply 1: the first player had")
    );
}

/// A game that was reanalyzed ended as its original did, which is what shows why.
#[test]
fn games_searched_anew_keep_the_end_of_their_originals() {
    let game = connect4();
    let mut record = resigned();
    (record.resign, record.parent) = (None, Some(ParentGame { game: 3, ply: 4 }));
    for ply in &mut record.plies {
        (ply.flags, ply.root_value) = (0, Wdl::DRAW);
    }
    assert_eq!(record.reanalyzed(), Some(3));
    assert!(replay(&game, &record).is_ok());
    let winner = Outcome::win_of(Player::First);
    assert!(replay(&game, &GameRecord { outcome: winner, ..record.clone() }).is_err());
    assert!(replay(&game, &GameRecord { end: GameEnd::Rules, ..record.clone() }).is_err());
    // A fork leaves its parent before its end, so it has to show why.
    let fork = GameRecord { parent: Some(ParentGame { game: 3, ply: 3 }), ..record };
    assert_eq!(fork.reanalyzed(), None);
    assert!(replay(&game, &fork).unwrap_err().to_string().contains("do not make the player"));
}
