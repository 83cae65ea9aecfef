//! Random games as records.

use dz_game::{Game, GameSpec, Move, Status};
use dz_record::{Header, Record, RecordEnd, RecordedMove};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Every game with parameters that matter to records.
#[allow(dead_code)] // Each test file uses a part of this one.
pub const GAMES: [&str; 18] = [
    "connect4",
    "connect4:width=12,height=8",
    "tictactoe",
    "shuttle",
    "hex:size=5",
    "hex:size=5,swap=true",
    "hex:size=11,swap=true",
    "go:size=5,komi=0.5",
    "go:size=9,komi=7",
    "go:size=7,komi=-3.5,suicide=true",
    "go:size=6,komi=6,suicide=true,superko=situational",
    "go:size=19,komi=7.5,superko=situational",
    "othello",
    "othello:size=6",
    "othello:size=10",
    "gomoku",
    "gomoku:size=7,rule=exact",
    "chess",
];

/// The game that a text names.
#[allow(dead_code)]
pub fn spec(text: &str) -> GameSpec {
    text.parse().expect("a specification")
}

/// A random game from `seed`. Go is ended after a while: its random games go on for very long. Of
/// `seed` modulo 4, 1 is resigned early and 2 is adjudicated early.
#[allow(dead_code)]
pub fn random_record<G: Game>(game: &G, seed: u64) -> Record {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut state, mut history) = (game.start(), G::History::default());
    let mut legal = Vec::new();
    let mut moves = Vec::new();
    let plies_max = match seed % 4 {
        1 | 2 => random.random_range(0..40),
        _ => 600,
    };
    let end = loop {
        let player = match game.status(&state, &history) {
            Status::Over(outcome) => break RecordEnd::Rules(outcome),
            Status::ToMove(player) => player,
        };
        if moves.len() >= plies_max {
            break match seed % 4 {
                1 => RecordEnd::Resigned { loser: player },
                2 => RecordEnd::Adjudicated { winner: Some(player).filter(|_| seed % 8 == 2) },
                _ => RecordEnd::Open,
            };
        }
        game.legal_moves(&state, &history, &mut legal);
        // Two passes end Go, where both come last.
        let mv = if moves.len() + 2 >= plies_max && seed.is_multiple_of(4) {
            *legal.last().expect("the game goes on")
        } else {
            legal[random.random_range(0..legal.len())]
        };
        let comment = moves.len() % 7 == 3;
        let comment = comment.then(|| format!("ply {}: ]({{ \\ [x] :;)", moves.len()));
        moves.push(RecordedMove { mv, comment: comment.filter(|_| seed.is_multiple_of(3)) });
        game.advance(&mut state, &mut history, mv);
    };
    let header = Header {
        players: [Some("a \"[\\]\" b".to_owned()), Some("Zoë, (second)".to_owned())],
        event: Some("random games".to_owned()),
        round: Some(seed.to_string()),
        date: seed.is_multiple_of(2).then(|| "2026-01-31".to_owned()),
        note: Some("two words".to_owned()),
    };
    Record { header, start: None, moves, breaks: Vec::new(), end }
}

/// A record of the given moves and nothing else.
#[allow(dead_code)]
pub fn bare<G: Game>(game: &G, list: &str) -> Record {
    let (mut state, mut history) = (game.start(), G::History::default());
    let words = game.split_moves(list);
    let played = words.into_iter().map(|word| game.play_text(&mut state, &mut history, word));
    let moves: Vec<Move> = played.map(|mv| mv.expect("legal")).collect();
    let moves = moves.into_iter().map(|mv| RecordedMove { mv, comment: None }).collect();
    let end = game.outcome(&state, &history).map_or(RecordEnd::Open, RecordEnd::Rules);
    Record { end, moves, ..Record::default() }
}
