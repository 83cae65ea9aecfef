//! Text that names games, moves and positions.

use std::collections::BTreeSet;

use dz_game::{
    Encoding, Game, GameError, GameSpec, Move, PlaneWriter, Symmetry,
    games::{Chess, ChessHistory},
    perft, with_game,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

const CHESS: Chess = Chess::new();

/// The games whose moves are read; inputs begin with an index into this list.
const GAMES: [&str; 15] = [
    "connect4",
    "tictactoe",
    "hex:size=5,swap=true",
    "go:size=5",
    "othello",
    "gomoku:size=7",
    "chess",
    "shuttle",
    "connect4:width=12,height=3,connect=3",
    "hex",
    "go",
    "go:size=2,suicide=true,superko=situational",
    "go:size=3,superko=simple",
    "othello:size=4",
    "gomoku:rule=exact",
];

/// The longest input that is looked at: longer ones show nothing new and take time.
const TEXT_MAX: usize = 2000;

/// A text that may name a game.
pub fn specs(data: &[u8]) {
    let text = text_of(data);
    let spec: GameSpec = match text.parse() {
        Ok(spec) => spec,
        Err(error) => return check_error(&error),
    };
    assert_eq!(spec.to_string().parse().as_ref(), Ok(&spec), "it reads back");
    match with_game!(&spec, |game| checked_start(&game)) {
        Err(error) => check_error(&error),
        Ok(canonical) => {
            let again: GameSpec = canonical.to_string().parse().expect("it is canonical");
            assert_eq!(
                with_game!(&again, |game| checked_start(&game)).as_ref(),
                Ok(&canonical),
                "it stays as it is"
            );
        }
    }
}

/// Looks at the start and answers the canonical name.
fn checked_start<G: Game>(game: &G) -> GameSpec {
    look(game, &game.start(), &G::History::default());
    game.spec()
}

/// Which game, plies of random play, their seed, and words that may be moves there.
pub fn moves(data: &[u8]) {
    let [which, plies, seed, text @ ..] = data else { return };
    let text = text_of(text);
    with_game!(&game_at(*which), |game| try_words(&game, *plies, *seed, &text))
        .expect("every game of the list exists");
}

fn try_words<G: Game>(game: &G, plies: u8, seed: u8, text: &str) {
    let (mut state, mut history) = (game.start(), G::History::default());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.into());
    let mut legal = Vec::new();
    for _ in 0..plies {
        let Some(mv) = game.random_move(&state, &history, &mut random, &mut legal) else {
            break;
        };
        game.advance(&mut state, &mut history, mv);
    }
    for word in text.split_whitespace() {
        try_word(game, &mut state, &mut history, word);
    }
    look(game, &state, &history);
}

/// Plays a word if it is a legal move; it changes nothing otherwise.
fn try_word<G: Game>(game: &G, state: &mut G::State, history: &mut G::History, word: &str) -> bool {
    let (before, key) = (state.clone(), game.node_key(state, history));
    let mut legal = Vec::new();
    game.legal_moves(state, history, &mut legal);
    let named = game.parse_move(state, word);
    match game.play_text(state, history, word) {
        Ok(mv) => {
            assert!(legal.contains(&mv), "'{word}' is not legal");
            assert_eq!(named, Ok(mv));
            true
        }
        Err(error) => {
            check_error(&error);
            let illegal = named.as_ref().map_or(true, |mv| !legal.contains(mv));
            assert!(illegal, "'{word}' is legal and was refused");
            assert_eq!((&before, key), (&*state, game.node_key(state, history)), "unchanged");
            false
        }
    }
}

/// Which game, and a list of moves from its start.
pub fn lists(data: &[u8]) {
    let [which, text @ ..] = data else { return };
    with_game!(&game_at(*which), |game| try_list(&game, &text_of(text)))
        .expect("every game of the list exists");
}

fn try_list<G: Game>(game: &G, text: &str) {
    let words = game.split_moves(text);
    let letters: String = text.split_whitespace().collect();
    assert_eq!(words.concat(), letters, "a split loses nothing and adds nothing");
    assert!(!words.contains(&""), "no move is empty");
    let (mut state, mut history) = (game.start(), G::History::default());
    for word in words {
        if !try_word(game, &mut state, &mut history, word) {
            break;
        }
    }
    look(game, &state, &history);
}

/// A text that may be a position of chess. Of the other games only Go has a notation for positions.
pub fn positions(data: &[u8]) {
    let text = text_of(data);
    for name in ["othello", "hex:size=3", "tictactoe"] {
        let read =
            with_game!(&name.parse().expect("a name"), |game| has_no_position_text(&game, &text));
        assert_eq!(read, Ok(true), "{name} has no notation for positions");
    }
    with_game!(&"go:size=5".parse().expect("a name"), |game| check_setup(&game, &text))
        .expect("there is Go");
    let state = match CHESS.parse_position(&text) {
        Ok(state) => state,
        Err(error) => return check_error(&error),
    };
    let again = CHESS.parse_position(&state.fen());
    assert_eq!(again.as_ref(), Ok(&state), "{} reads back", state.fen());
    let (history, mut legal) = (ChessHistory::default(), Vec::new());
    look(&CHESS, &state, &history);
    let counts = perft(&CHESS, &state, &history, 2);
    CHESS.legal_moves(&state, &history, &mut legal);
    // A position may be drawn and still have moves.
    assert!(legal.is_empty() || counts[1] == legal.len() as u64, "{}", state.fen());
    for mv in legal {
        let (mut child, mut past) = (state.clone(), history.clone());
        CHESS.advance(&mut child, &mut past, mv);
        let again = CHESS.parse_position(&child.fen());
        assert_eq!(again.as_ref(), Ok(&child), "{} after {mv:?}", state.fen());
        look(&CHESS, &child, &past);
    }
}

fn has_no_position_text<G: Game>(game: &G, text: &str) -> bool {
    let Err(error) = game.parse_position(text) else { return false };
    check_error(&error);
    matches!(error, GameError::NoPositionText { .. })
}

/// Stones that are set up read back as they were written.
fn check_setup<G: Game>(game: &G, text: &str) {
    let state = match game.parse_position(text) {
        Ok(state) => state,
        Err(error) => return check_error(&error),
    };
    let history = G::History::default();
    look(game, &state, &history);
    let stones = game.stones(&state).expect("Go has stones");
    let mover = game.to_move(&state, &history).expect("nobody has passed");
    let written = game.position_of(&stones, mover).expect("Go has a notation");
    let again = game.parse_position(&written).expect("it reads back");
    assert_eq!(game.stones(&again), Some(stones), "{written}");
    assert_eq!(game.to_move(&again, &history), Some(mover), "{written}");
}

fn game_at(which: u8) -> GameSpec {
    GAMES[usize::from(which) % GAMES.len()].parse().expect("a name")
}

fn text_of(data: &[u8]) -> String {
    String::from_utf8_lossy(&data[..data.len().min(TEXT_MAX)]).into_owned()
}

/// A message is one line that a terminal shows as it is, however long and wild the input was.
fn check_error(error: &GameError) {
    let message = error.to_string();
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

/// Everything that is done to a position must be possible.
fn look<G: Game>(game: &G, state: &G::State, history: &G::History) {
    let mut legal = vec![Move(0)];
    game.legal_moves(state, history, &mut legal);
    assert_eq!(legal.is_empty(), game.to_move(state, history).is_none());
    assert!(legal.is_sorted() && legal.len() <= game.moves_max());
    assert!(!game.render(state).is_empty());
    let encoding = game.encoding();
    let shape = encoding.planes();
    let (mut bits, mut globals) = (vec![0; shape.packed_bytes()], vec![0.0; shape.globals]);
    for symmetry in [Symmetry::IDENTITY, Symmetry(game.symmetry_count() - 1)] {
        let mut writer = PlaneWriter::new(shape, &mut bits, &mut globals);
        encoding.encode(state, history, symmetry, &mut writer);
        let index = |&mv: &Move| encoding.policy_index(state, mv, symmetry);
        let indices: BTreeSet<usize> = legal.iter().map(index).collect();
        assert_eq!(indices.len(), legal.len(), "each move has an index of its own");
        assert!(indices.last().is_none_or(|&last| last < encoding.policy_len()));
    }
    for &mv in &legal {
        let text = game.format_move(mv);
        assert_eq!(game.parse_move(state, &text), Ok(mv), "'{text}' reads back");
    }
}
