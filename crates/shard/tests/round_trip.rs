//! What is written comes back, whatever it is.

use std::{io::Cursor, io::Read};

use crate::common::{connect4, header, shard};
use dz_game::{Game, Komi, Move, Outcome, Player, Wdl, games::TicTacToe};
use dz_shard::{
    GAMES_PER_FRAME, GameEnd, GameRecord, ParentGame, PlyRecord, ROW_LEVEL, ResignThresholds,
    RowBlock, RowFileHeader, RowReader, RowSet, RowWriter, SearchKind, ShardReader, describe,
    random_records, replay, rows_of_game,
};
use proptest::{collection::vec, option, prelude::*};

fn moves_with<T: std::fmt::Debug + Clone + 'static>(
    moves: u16,
    value: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Vec<(Move, T)>> {
    proptest::collection::btree_map(0..=moves, value, 0..12)
        .prop_map(|map| map.into_iter().map(|(mv, value)| (Move(mv), value)).collect())
}

fn ply(moves: u16) -> impl Strategy<Value = PlyRecord> {
    let search = (0..3_u16, any::<bool>(), any::<u32>(), any::<u8>(), 0.0..63.9_f32);
    let target = option::of(moves_with(moves, 1..=5000_u16));
    (0..=moves, search, moves_with(moves, 1..=u32::MAX), 0.0..=1.0_f32, 0.0..=1.0_f32, target)
        .prop_map(|(mv, (network, full, budget, flags, weight), visits, win, rest, target)| {
            let draw = (1.0 - win) * rest;
            PlyRecord {
                mv: Move(mv),
                network,
                kind: if full { SearchKind::Full } else { SearchKind::Fast },
                budget,
                visits,
                root_value: Wdl { win, draw, loss: 1.0 - win - draw },
                flags,
                weight,
                target: target.filter(|target| !target.is_empty()),
            }
        })
}

fn record(moves: u16) -> impl Strategy<Value = GameRecord> {
    let winner = prop_oneof![Just(None), Just(Some(Player::First)), Just(Some(Player::Second))];
    let outcome = (winner, option::of(any::<i16>()));
    let end = prop_oneof![Just(GameEnd::Rules), Just(GameEnd::Resigned), Just(GameEnd::PlyLimit)];
    let parent = option::of((any::<u64>(), any::<u16>()));
    let komi = option::of(any::<i16>());
    let resign = option::of((-1.0..1.0_f32, any::<u8>(), any::<bool>()));
    let start = vec(0..=moves, 0..4);
    let whence = (any::<u64>(), start, parent, komi);
    (whence, resign, 0..2_u16, outcome, end, vec(ply(moves), 0..6)).prop_map(
        |((seed, start, parent, komi), resign, evaluator, (winner, margin), end, plies)| {
            GameRecord {
                number: 0,
                seed,
                start_moves: start.into_iter().map(Move).collect(),
                parent: parent.map(|(game, ply)| ParentGame { game, ply }),
                komi: komi.map(|halves| Komi { halves }),
                resign: resign.map(|(value_min, turns, enforced)| ResignThresholds {
                    value_min,
                    turns,
                    enforced,
                }),
                evaluator,
                outcome: Outcome { winner, margin },
                end,
                plies,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn records_come_back(mut games in prop_oneof![
        vec(record(6), 0..140), vec(record(361), 0..20), vec(record(u16::MAX), 0..20)],
        number in 0..u64::from(u32::MAX), own_komi in any::<bool>())
    {
        let mut head = header(&connect4(), 1000);
        (head.number, head.own_komi) = (number, own_komi);
        for (game, at) in games.iter_mut().zip(head.first_game()..) {
            game.number = at;
            game.komi = game.komi.filter(|_| own_komi);
        }
        let bytes = shard(head.clone(), games.clone());
        // Programs that know no komi of games read what has none.
        prop_assert_eq!(&bytes[16..20], &(1 + u32::from(own_komi)).to_le_bytes());
        let mut reader = ShardReader::new(Cursor::new(&bytes)).unwrap();
        prop_assert_eq!(reader.header(), &head);
        prop_assert_eq!(reader.footer().frames.len(), games.len().div_ceil(GAMES_PER_FRAME));
        prop_assert_eq!(reader.footer().games, games.len() as u64);
        reader.verify().unwrap();
        let read: Vec<GameRecord> = reader.games().collect::<Result<_, _>>().unwrap();
        let stored: Vec<GameRecord> = games.iter().map(|game| game.quantised().unwrap()).collect();
        prop_assert_eq!(&read, &stored);
        // What comes back is written to the same bytes again.
        prop_assert_eq!(shard(head, read), bytes);
    }
}

#[test]
fn rows_come_back_and_say_what_the_game_said() {
    let game = connect4();
    let records = random_records(&game, 20, 200, 5);
    let head = RowFileHeader::new(&game, RowSet::Train, 1).unwrap();
    let mut rows = RowBlock::new(head.shape);
    for record in &records {
        rows_of_game(&game, record, &mut rows).unwrap();
    }
    let positions: usize = records.iter().map(|record| record.plies.len()).sum();
    assert_eq!(rows.len(), positions);

    let mut writer = RowWriter::new(Vec::new(), &head, ROW_LEVEL).unwrap();
    writer.push(&rows).unwrap();
    writer.push(&RowBlock::new(head.shape)).unwrap();
    writer.push(&rows).unwrap();
    let bytes = writer.finish().unwrap().0;
    let mut reader = RowReader::new(Cursor::new(&bytes)).unwrap();
    assert_eq!(reader.header(), &head);
    assert_eq!(reader.rows(), 2 * positions as u64);
    let blocks: Vec<RowBlock> = reader.blocks().collect::<Result<_, _>>().unwrap();
    assert_eq!(blocks.iter().map(RowBlock::len).collect::<Vec<_>>(), [positions, 0, positions]);
    assert_eq!(blocks[0], rows);
    assert_eq!(blocks[2], rows);

    let mut each = rows.rows();
    for record in &records {
        for (position, ply) in replay(&game, record).unwrap().iter().zip(&record.plies) {
            let row = each.next().unwrap();
            assert_eq!((row.game, row.ply), (record.number, position.ply));
            assert_eq!(row.outcome.wdl(), record.outcome.wdl_for(position.mover));
            assert_eq!(row.policy_share.iter().map(|&s| u32::from(s)).sum::<u32>(), 65_535);
            for (&(mv, count), (&index, &share)) in
                ply.visits.iter().zip(row.policy_index.iter().zip(row.policy_share))
            {
                assert_eq!(mv.0, index, "Connect Four's policy index is the column");
                assert!((f64::from(share) / 65_535.0 - f64::from(count) / 200.0).abs() < 2e-5);
            }
        }
    }
}

#[test]
fn fast_searches_have_no_policy_and_weight_zero_has_no_row() {
    let game = connect4();
    let mut record = random_records(&game, 1, 50, 2).remove(0);
    record.plies[0].kind = SearchKind::Fast;
    record.plies[1].weight = 0.0;
    record.plies[2].target = Some(vec![(record.plies[2].mv, 10)]);
    let head = RowFileHeader::new(&game, RowSet::Train, 1).unwrap();
    let mut rows = RowBlock::new(head.shape);
    rows_of_game(&game, &record, &mut rows).unwrap();
    assert_eq!(rows.len(), record.plies.len() - 1);
    assert_eq!(rows.row(0).policy_weight.get(), 0.0);
    assert_eq!(rows.row(0).value_weight.get(), 1.0);
    assert_eq!(rows.row(1).ply, 2);
    assert_eq!(rows.row(1).policy_index, [record.plies[2].mv.0]);
    assert_eq!(rows.row(1).policy_share, [65_535]);
}

#[test]
fn zstd_alone_reads_the_file() {
    let game = connect4();
    let bytes = shard(header(&game, 500), random_records(&game, 200, 200, 3));
    let mut raw = Vec::new();
    zstd::stream::Decoder::new(bytes.as_slice()).unwrap().read_to_end(&mut raw).unwrap();
    let frames = ShardReader::new(Cursor::new(&bytes)).unwrap().footer().frames.clone();
    let total: usize = frames.iter().map(|frame| frame.raw_bytes as usize).sum();
    assert_eq!(raw.len(), total, "skippable frames are skipped, all others are read");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dzs");
    std::fs::write(&path, &bytes).unwrap();
    // The command is not on every machine; where it is, it must accept the file.
    if let Ok(output) = std::process::Command::new("zstd").arg("-t").arg(&path).output() {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn descriptions_count_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dzs");
    let game = TicTacToe::from_spec(&"tictactoe".parse().unwrap()).unwrap();
    let records = random_records(&game, 100, 64, 1);
    std::fs::write(&path, shard(header(&game, 100), records.clone())).unwrap();
    let description = describe(&path).unwrap();
    assert_eq!(description.games, 100);
    assert_eq!(description.outcomes.values().sum::<u64>(), 100);
    assert_eq!(description.searches["full"], description.positions);
    assert_eq!(description.visits, 64 * description.positions);
    let moves: Vec<String> = records[0].plies.iter().map(|ply| game.format_move(ply.mv)).collect();
    assert_eq!(description.first_game, moves.join(" "));
    let text = description.to_string();
    assert!(text.contains("100, numbers from 0") && text.contains(&description.content_hash));
    assert!(serde_json::to_string(&description).unwrap().contains("bytes_per_position"));
}

#[test]
fn connect_four_takes_at_most_eleven_bytes_a_position() {
    let game = connect4();
    let records = random_records(&game, 512, 200, 1);
    let plies: Vec<&PlyRecord> = records.iter().flat_map(|record| &record.plies).collect();
    let entries: usize = plies.iter().map(|ply| ply.visits.len()).sum();
    assert!(entries as f64 / plies.len() as f64 >= 5.5, "the load is as hard as the reference's");
    assert!(plies.iter().all(|ply| ply.visits.iter().map(|&(_, n)| n).sum::<u32>() == 200));
    let bytes = shard(header(&game, 512), records.clone()).len();
    assert!(bytes as f64 / plies.len() as f64 <= 11.0);
}
