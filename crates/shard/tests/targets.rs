//! Auxiliary targets of rows: by hand, against a literal recomputation, through files, and turned
//! with the board.
#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::io::{Cursor, Read};

use crate::common::connect4;
use dz_game::{
    Encoding, Game, Move, Outcome, Player, Status, Symmetry, Wdl,
    games::{Go, GoHistory, Hex, Othello, TicTacToe},
};
use dz_shard::{
    GameEnd, GameRecord, HORIZON_FACTORS, Head, PlyRecord, ROW_LEVEL, ResignThresholds, Row,
    RowBlock, RowFileHeader, RowReader, RowSet, RowShape, RowTargets, RowWriter, SearchKind,
    ShardError, WdlShares, ownership_shape, random_records, replay, rows_of_game, symmetry_tables,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn all() -> RowTargets {
    RowTargets::all()
}

/// What every game offers.
fn common_targets() -> RowTargets {
    [Head::Reply, Head::ShortTerm, Head::PliesLeft].into_iter().collect()
}

fn rows<G: Game>(game: &G, record: &GameRecord, targets: RowTargets) -> RowBlock {
    let mut rows = RowBlock::new(RowShape::of(&game.encoding()).carrying(targets));
    rows_of_game(game, record, &mut rows).expect("a legal game");
    rows
}

fn go(size: usize) -> Go {
    Go::from_spec(&format!("go:size={size}").parse().unwrap()).unwrap()
}

fn othello() -> Othello {
    Othello::from_spec(&"othello:size=6".parse().unwrap()).unwrap()
}

fn tictactoe() -> TicTacToe {
    TicTacToe::from_spec(&"tictactoe".parse().unwrap()).unwrap()
}

/// A full search that visited the move three times and another legal one once.
fn ply(mv: Move, other: Option<Move>, root_value: Wdl) -> PlyRecord {
    let mut visits: Vec<(Move, u32)> =
        [(mv, 3)].into_iter().chain(other.map(|other| (other, 1))).collect();
    visits.sort_unstable();
    PlyRecord {
        mv,
        network: 0,
        kind: SearchKind::Full,
        budget: 4,
        visits,
        root_value,
        flags: 0,
        weight: 1.0,
        target: None,
    }
}

fn record(plies: Vec<PlyRecord>, outcome: Outcome) -> GameRecord {
    GameRecord {
        number: 0,
        seed: 0,
        start_moves: Vec::new(),
        parent: None,
        komi: None,
        resign: None,
        evaluator: 0,
        outcome,
        end: GameEnd::Rules,
        plies,
    }
}

/// Within the units of 1/65,535 that root values and their averages are rounded to.
fn near(found: WdlShares, wanted: [f64; 3]) -> bool {
    let found = found.wdl().to_array();
    found.iter().zip(wanted).all(|(&a, b)| (f64::from(a) - b).abs() < 4e-5)
}

/// The first player takes the upper row in five plies: 1 4 2 5 3.
#[test]
fn a_game_of_tic_tac_toe_by_hand() {
    let game = tictactoe();
    let even = Wdl { win: 0.4, draw: 0.2, loss: 0.4 };
    let good = Wdl { win: 0.8, draw: 0.1, loss: 0.1 };
    let mut plies = vec![
        ply(Move(0), Some(Move(8)), even),
        ply(Move(3), None, even),
        ply(Move(1), None, even),
        ply(Move(4), Some(Move(7)), good.flip()),
        ply(Move(2), None, good),
    ];
    plies[2].kind = SearchKind::Fast;
    plies[2].weight = 0.0;
    plies[3].weight = 0.5;
    let rows = rows(&game, &record(plies, Outcome::win_of(Player::First)), common_targets());
    assert_eq!(rows.len(), 4);
    let aux = |i: usize| rows.row(i).aux;
    let left: Vec<_> = (0..4).map(|i| aux(i).plies_left).collect();
    assert_eq!(left, [Some(5), Some(4), Some(2), Some(1)]);
    // The reply of ply 0 is ply 1's one move; ply 2 was a fast search; of ply 3 it is the winning
    // move.
    assert_eq!((aux(0).reply_index, aux(0).reply_share), (&[3][..], &[65_535][..]));
    assert_eq!(aux(1).reply_index, [0_u16; 0]);
    assert_eq!((aux(2).reply_index, aux(2).reply_share), (&[2][..], &[65_535][..]));
    assert_eq!(aux(3).reply_index, [0_u16; 0], "nothing comes after the last ply");
    // The longest horizon on 9 points: k = 1 / (1 + 9 * 0.176) = 0.386997. Ply 4, the first
    // player's: win = 0.386997 * 0.8 + 0.613003 * 1 = 0.922601, draw = 0.386997 * 0.1 = 0.038700.
    let long = |i: usize| aux(i).short_term.expect("carried")[0];
    assert!(near(long(3), [0.922_601, 0.038_700, 0.038_700]), "{:?}", long(3));
    // Ply 3, the second player's: the root value 0.1, 0.1, 0.8 and ply 4 turned round:
    // win = 0.386997 * 0.1 + 0.613003 * 0.038700, loss = 0.386997 * 0.8 + 0.613003 * 0.922601.
    assert!(near(long(2), [0.062_423, 0.062_423, 0.875_154]), "{:?}", long(2));
    // Plies 2 and 1 with 0.4, 0.2, 0.4 each: the fast search's value counts. For the second player
    // win = 0.4 (1 - r) + 0.062423 r with r = 0.613003^2 = 0.375773.
    assert!(near(long(1), [0.273_148, 0.148_302, 0.578_550]), "{:?}", long(1));
    // The shortest horizon, k = 1 / (1 + 9 * 0.016) = 0.874126: ply 4's win is 0.825175.
    let short = aux(3).short_term.expect("carried")[2];
    assert!(near(short, [0.825_175, 0.087_413, 0.087_413]), "{short:?}");
    assert_eq!((aux(0).margin, aux(0).ownership), (None, None));
}

/// Black has the middle row of 3x3 and all above it, white a stone between two points that touch
/// both.
#[test]
fn a_game_of_go_by_hand() {
    let game = go(3);
    let (mut state, mut history) = (game.start(), GoHistory::default());
    let mut plies = Vec::new();
    for text in ["A2", "B1", "B2", "pass", "C2", "pass", "pass"] {
        let mv = game.parse_move(&state, text).unwrap();
        plies.push(ply(mv, None, Wdl::UNKNOWN));
        game.advance(&mut state, &mut history, mv);
    }
    let Status::Over(outcome) = game.status(&state, &history) else { panic!("two passes end it") };
    assert_eq!(outcome.margin, Some(5), "6 points to 1");
    let mut record = record(plies, outcome);
    let rows_by_rules = rows(&game, &record, all());
    // From the top: black, black / nobody, white, nobody; bit p is mine, bit 9 + p theirs.
    let point = |text: &str| {
        let mv = game.parse_move(&game.start(), text).unwrap();
        game.encoding().policy_index(&game.start(), mv, Symmetry::IDENTITY)
    };
    let bits = |names: &[&str]| names.iter().fold(0_u32, |bits, name| bits | 1 << point(name));
    let black = bits(&["A2", "B2", "C2", "A3", "B3", "C3"]);
    let white = bits(&["B1"]);
    for (i, row) in rows_by_rules.rows().enumerate() {
        let (mine, theirs, margin) =
            if i % 2 == 0 { (black, white, 5) } else { (white, black, -5) };
        let packed = mine | theirs << 9;
        assert_eq!(row.aux.ownership.unwrap(), &packed.to_le_bytes()[..3]);
        assert_eq!(row.aux.margin, Some(margin));
        assert_eq!(row.aux.plies_left, Some(7 - i as u16));
    }
    // At the ply limit neither is known, nor how long the game would have been.
    record.plies.truncate(5);
    record.end = GameEnd::PlyLimit;
    for row in rows(&game, &record, all()).rows() {
        let aux = row.aux;
        assert_eq!((aux.ownership, aux.margin, aux.plies_left), (None, None, None));
        assert!(aux.short_term.is_some() && aux.reply_index.len() <= 1);
    }
}

/// A random game with searches of both kinds, weights of 0, and one of the three ends.
fn random_record<G: Game>(game: &G, seed: u64) -> GameRecord {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut record = random_records(game, 1, 20, seed).remove(0);
    for ply in &mut record.plies {
        if random.random_range(0..3) == 0 {
            ply.kind = SearchKind::Fast;
        }
        if random.random_range(0..4) == 0 {
            ply.weight = 0.0;
        }
    }
    let movers: Vec<Player> =
        replay(game, &record).unwrap().iter().map(|position| position.mover).collect();
    let length = record.plies.len();
    match random.random_range(0..3) {
        0 if length > 3 => {
            record.plies.truncate(random.random_range(1..length));
            record.end = GameEnd::PlyLimit;
            record.outcome = Outcome::DRAW;
        }
        1 if length > 4 => resign(&mut record, &movers, random.random_range(3..length)),
        _ => {}
    }
    record
}

/// Ends the game where the mover of ply `at` resigns, if they were the one to move two plies
/// before.
fn resign(record: &mut GameRecord, movers: &[Player], at: usize) {
    let loser = movers[at];
    let Some(last) = (0..at).rev().find(|&i| movers[i] == loser) else { return };
    record.plies.truncate(at);
    record.plies[last].flags = PlyRecord::BELOW;
    record.resign = Some(ResignThresholds { value_min: 1.5, turns: 1, enforced: true });
    record.outcome = Outcome::win_of(loser.opponent());
    record.end = GameEnd::Resigned;
}

/// Checks every row of a game against sums written out from the definition.
fn check_literally<G: Game>(game: &G, record: &GameRecord, targets: RowTargets) -> [usize; 2] {
    let positions = replay(game, record).unwrap();
    let block = rows(game, record, targets);
    let plain = rows(game, record, RowTargets::NONE);
    let end = end_of(game, record);
    let encoding = game.encoding();
    let area = encoding.planes().area();
    let mut next = block.rows().zip(plain.rows());
    let mut known = [0; 2];
    for (i, (position, ply)) in positions.iter().zip(&record.plies).enumerate() {
        if ply.weight == 0.0 {
            continue;
        }
        let (row, plain) = next.next().expect("a row for every ply that counts");
        assert_eq!(Row { aux: plain.aux, ..row }, plain, "the rest is as without them");
        let aux = row.aux;
        // Reply: the row that the next ply would have made.
        let reply = positions.get(i + 1).zip(record.plies.get(i + 1));
        let reply = reply.filter(|(_, ply)| ply.kind == SearchKind::Full);
        let mut wanted = Vec::new();
        if let Some((position, ply)) = reply {
            wanted.extend(ply.visits.iter().map(|&(mv, count)| {
                let index = encoding.policy_index(&position.state, mv, Symmetry::IDENTITY);
                (index as u16, f64::from(count) / 20.0)
            }));
            known[0] += 1;
        }
        assert_eq!(aux.reply_index.len(), wanted.len());
        for ((&index, &share), (wanted, part)) in
            aux.reply_index.iter().zip(aux.reply_share).zip(wanted)
        {
            assert_eq!(index, wanted);
            assert!((f64::from(share) / 65_535.0 - part).abs() < 2e-5);
        }
        // Short-term values: every later ply by its own share.
        for (factor, found) in HORIZON_FACTORS.iter().zip(aux.short_term.unwrap()) {
            let now = 1.0 / (1.0 + area as f64 * factor);
            let mut wanted = [0.0; 3];
            let mut left = 1.0;
            for (later, ply) in positions.iter().zip(&record.plies).skip(i) {
                let value = ply.root_value;
                let value = if later.mover == position.mover { value } else { value.flip() };
                add(&mut wanted, value, left * now);
                left *= 1.0 - now;
            }
            add(&mut wanted, record.outcome.wdl_for(position.mover), left);
            assert!(near(found, wanted), "{found:?} {wanted:?}");
        }
        let by_rules = record.end == GameEnd::Rules;
        let plies = (record.plies.len() - i) as u16;
        assert_eq!(aux.plies_left, by_rules.then_some(plies));
        let sign = if position.mover == Player::First { 1 } else { -1 };
        let margin = record.outcome.margin.map(|margin| margin * sign);
        let carried = |target| targets.has(target) && by_rules;
        assert_eq!(aux.margin, margin.filter(|_| carried(Head::Margin)));
        assert_eq!(aux.ownership.is_some(), carried(Head::Ownership));
        if let Some(packed) = aux.ownership {
            known[1] += 1;
            let mut owners = Vec::new();
            encoding.ownership(&end, Symmetry::IDENTITY, &mut owners);
            let is_set = |bit: usize| packed[bit / 8] >> (bit % 8) & 1 == 1;
            for (p, owner) in owners.into_iter().enumerate() {
                assert_eq!(is_set(p), owner == Some(position.mover));
                assert_eq!(is_set(area + p), owner == Some(position.mover.opponent()));
            }
        }
    }
    assert!(next.next().is_none());
    known
}

fn add(sum: &mut [f64; 3], value: Wdl, share: f64) {
    for (sum, part) in sum.iter_mut().zip(value.to_array()) {
        *sum += share * f64::from(part);
    }
}

fn end_of<G: Game>(game: &G, record: &GameRecord) -> G::State {
    let (mut state, mut history) = (game.start(), G::History::default());
    record.moves().for_each(|mv| game.advance(&mut state, &mut history, mv));
    state
}

#[test]
fn random_games_have_the_targets_of_the_definition() {
    fn check<G: Game>(game: &G, targets: RowTargets) {
        let mut known = [0; 2];
        for seed in 0..40 {
            let found = check_literally(game, &random_record(game, seed), targets);
            known = [known[0] + found[0], known[1] + found[1]];
        }
        assert!(known[0] > 50, "{known:?}");
        assert_eq!(known[1] > 50, targets.has(Head::Ownership), "{known:?}");
    }
    check(&tictactoe(), common_targets());
    check(&connect4(), common_targets());
    check(&Hex::from_spec(&"hex:size=4,swap=true".parse().unwrap()).unwrap(), common_targets());
    // A pass is a ply, so movers do not always take turns with discs.
    check(&othello(), all());
    check(&go(4), all());
}

#[test]
fn what_a_game_does_not_offer_is_refused() {
    for target in [Head::Margin, Head::Ownership] {
        let targets: RowTargets = [target].into_iter().collect();
        let game = connect4();
        let mut rows = RowBlock::new(RowShape::of(&game.encoding()).carrying(targets));
        let record = random_records(&game, 1, 20, 1).remove(0);
        let header = RowFileHeader::new(&game, RowSet::Train, 1).unwrap();
        for error in [
            rows_of_game(&game, &record, &mut rows).unwrap_err(),
            header.carrying(&game, targets).unwrap_err(),
        ] {
            assert!(matches!(error, ShardError::NoTarget { .. }) && !error.is_bad_file());
            let text = error.to_string();
            assert!(text.contains(&format!("heads.{target}_weight")), "{text}");
        }
    }
}

/// A file of all rows of some games.
fn file<G: Game>(game: &G, records: &[GameRecord], targets: RowTargets) -> (RowBlock, Vec<u8>) {
    let header = RowFileHeader::new(game, RowSet::Train, 1).unwrap();
    let header = header.carrying(game, targets).unwrap();
    let mut rows = RowBlock::new(header.shape);
    for record in records {
        rows_of_game(game, record, &mut rows).unwrap();
    }
    let mut writer = RowWriter::new(Vec::new(), &header, ROW_LEVEL).unwrap();
    writer.push(&rows).unwrap();
    writer.push(&RowBlock::new(header.shape)).unwrap();
    (rows, writer.finish().unwrap().0)
}

#[test]
fn targets_come_back_from_files_whichever_are_carried() {
    let game = othello();
    let records: Vec<GameRecord> = (0..20).map(|seed| random_record(&game, seed)).collect();
    let (whole, _) = file(&game, &records, all());
    let heads: Vec<Head> = all().iter().collect();
    for set in 0..1_usize << heads.len() {
        let is_in = |i: &usize| set >> i & 1 == 1;
        let targets: RowTargets = (0..heads.len()).filter(is_in).map(|i| heads[i]).collect();
        let (rows, bytes) = file(&game, &records, targets);
        let mut reader = RowReader::new(Cursor::new(&bytes)).unwrap();
        assert_eq!(reader.header().shape.targets, targets);
        assert_eq!(reader.block(0).unwrap(), rows);
        assert!(reader.block(1).unwrap().is_empty());
        let mut copied = RowBlock::new(rows.shape());
        copied.append(&rows).unwrap();
        assert_eq!(copied, rows);
        for (row, all) in rows.rows().zip(whole.rows()) {
            let has = |target| targets.has(target);
            assert_eq!(row.aux.margin, all.aux.margin.filter(|_| has(Head::Margin)));
            let reply = if has(Head::Reply) { all.aux.reply_index } else { &[] };
            assert_eq!(row.aux.reply_index, reply);
        }
        assert_eq!(u32::from_le_bytes(bytes[16..20].try_into().unwrap()), 1 + u32::from(set > 0));
    }
    let mut other = RowBlock::new(RowShape::of(&game.encoding()));
    assert!(other.append(&whole).is_err(), "rows of other targets are other rows");
}

/// Files of rows with policy and value alone: header and columns have the hash of an earlier
/// version's files.
#[test]
fn rows_without_aux_targets_keep_their_bytes() {
    let records = random_records(&connect4(), 30, 100, 8);
    let (_, bytes) = file(&connect4(), &records, RowTargets::NONE);
    let header = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize + 8;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..header]);
    let mut columns = Vec::new();
    zstd::stream::Decoder::new(bytes.as_slice()).unwrap().read_to_end(&mut columns).unwrap();
    hasher.update(&columns);
    assert_eq!(hasher.finalize().to_hex()[..32], *"15cf63c2570813be99368b7d749e9e42");
}

#[test]
fn ownership_and_replies_turn_with_the_board() {
    fn check<G: Game>(game: &G) {
        let (encoding, tables) = (game.encoding(), symmetry_tables(game).unwrap());
        let shape = ownership_shape(encoding.planes());
        assert!(tables.len() > 1);
        for seed in 0..12 {
            let record = random_records(game, 1, 20, seed).remove(0);
            let (block, positions) = (rows(game, &record, all()), replay(game, &record).unwrap());
            let end = end_of(game, &record);
            for (number, tables) in tables.iter().enumerate() {
                let symmetry = Symmetry(number as u8);
                let mut owners = Vec::new();
                encoding.ownership(&end, symmetry, &mut owners);
                for (i, row) in block.rows().enumerate() {
                    let mover = positions[i].mover;
                    let Some(packed) = row.aux.ownership else { continue };
                    let mut turned = vec![0; packed.len()];
                    tables.map_bits(shape, packed, &mut turned);
                    for (p, owner) in owners.iter().enumerate() {
                        let bit = turned[p / 8] >> (p % 8) & 1 == 1;
                        assert_eq!(bit, *owner == Some(mover));
                    }
                    for (&index, &(mv, _)) in row
                        .aux
                        .reply_index
                        .iter()
                        .zip(record.plies.get(i + 1).map_or(&[][..], |ply| &ply.visits))
                    {
                        let to = tables.policy[usize::from(index)];
                        let wanted = encoding.policy_index(&positions[i + 1].state, mv, symmetry);
                        assert_eq!(usize::from(to), wanted);
                    }
                }
            }
        }
    }
    check(&go(5));
    check(&othello());
}
