//! Chess, with the moves of the cozy-chess generator and draws that need no claim.
//!
//! Rules: FIDE Laws of Chess (2023), with three differences that make the end of a game a fact and
//! not a claim: it is drawn at the third occurrence of a position (9.2), after 50 moves of each
//! side without capture or pawn move (9.3), and where the material left cannot mate (see `draws`).

mod draws;
mod encoding;
mod fen;
mod moves;
mod san;

use cozy_chess::{BitBoard, Board, Color, File, Piece, Rank, Square, get_pawn_attacks};

use crate::{Game, GameError, GameSpec, Key, Move, Outcome, Player, RecordFormat, Status};

pub use draws::ChessHistory;
pub use encoding::ChessEncoding;

/// The rules. White moves first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chess {
    /// Past positions that networks see.
    history_planes: u8,
}

/// A position as FEN describes it: pieces, mover, castling rights, en passant and two counters.
///
/// Two are equal if they are the same position in the sense of repetition (FIDE 9.2.3: en passant
/// counts where the capture is legal) with the same halfmove clock; the number of the move is told,
/// but no rule looks at it.
#[derive(Clone, Debug)]
pub struct ChessState {
    board: Board,
    /// The position in the sense of repetition, without counters.
    key: Key,
}

impl Chess {
    /// Chess whose networks see no past position.
    pub const fn new() -> Self {
        Self { history_planes: 0 }
    }

    /// Reads `history_planes` (0), the number of past positions that networks see, up to the seven
    /// of `AlphaZero`.
    ///
    /// # Errors
    /// [`GameError`] for parameters that are unknown, no number, or more than 7.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["history_planes"])?;
        Ok(Self { history_planes: reader.number("history_planes", 0, 0..=7)? })
    }
}

impl ChessState {
    fn new(board: Board) -> Self {
        let key = position_key(&board);
        Self { board, key }
    }

    /// The position in Forsyth-Edwards notation, en passant square after every double step.
    pub fn fen(&self) -> String {
        self.board.to_string()
    }

    /// Plies since the last capture or pawn move, 0 to 100.
    pub fn halfmove_clock(&self) -> u8 {
        self.board.halfmove_clock()
    }

    /// True if the mover's king is attacked.
    pub fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    fn mover(&self) -> Player {
        match self.board.side_to_move() {
            Color::White => Player::First,
            Color::Black => Player::Second,
        }
    }
}

impl PartialEq for ChessState {
    fn eq(&self, other: &Self) -> bool {
        self.halfmove_clock() == other.halfmove_clock() && self.board.same_position(&other.board)
    }
}

impl Eq for ChessState {}

impl Game for Chess {
    type State = ChessState;
    type History = ChessHistory;
    type Encoding = ChessEncoding;

    fn spec(&self) -> GameSpec {
        // It changes no rule, so it is named only where there is one.
        let seen = ("history_planes", self.history_planes.to_string());
        GameSpec::new(
            "chess",
            if self.history_planes == 0 { &[] } else { std::slice::from_ref(&seen) },
        )
    }

    fn unnamed_parameters(&self) -> Vec<(&'static str, String)> {
        let none = self.history_planes == 0;
        none.then(|| ("history_planes", "0".to_owned())).into_iter().collect()
    }

    fn encoding(&self) -> ChessEncoding {
        ChessEncoding { history_planes: self.history_planes }
    }

    fn start(&self) -> ChessState {
        ChessState::new(Board::startpos())
    }

    /// Mate comes before every draw: a move that mates also ends the count of 50 moves (FIDE
    /// 5.1.1).
    fn status(&self, state: &ChessState, history: &ChessHistory) -> Status {
        let mover = state.mover();
        if !moves::any(&state.board) {
            let mate = Outcome::win_of(mover.opponent());
            Status::Over(if state.in_check() { mate } else { Outcome::DRAW })
        } else if draws::is_drawn(state, history) {
            Status::Over(Outcome::DRAW)
        } else {
            Status::ToMove(mover)
        }
    }

    fn legal_moves(&self, state: &ChessState, history: &ChessHistory, out: &mut Vec<Move>) {
        out.clear();
        if !draws::is_drawn(state, history) {
            moves::list(&state.board, out);
        }
    }

    fn beyond(
        &self,
        state: &ChessState,
        history: &ChessHistory,
        out: &mut Vec<Move>,
    ) -> Option<Player> {
        out.clear();
        if draws::is_drawn(state, history) {
            moves::list(&state.board, out);
        }
        (!out.is_empty()).then(|| state.mover())
    }

    fn play(&self, state: &mut ChessState, mv: Move) {
        let mv = moves::for_generator(&state.board, mv);
        debug_assert!(state.board.is_legal(mv), "{mv} is not legal in {}", state.board);
        state.board.play_unchecked(mv);
        state.key = position_key(&state.board);
    }

    fn push_history(&self, history: &mut ChessHistory, state: &ChessState, mv: Move) {
        history.push(state, mv, self.history_planes > 0);
    }

    fn pop_history(&self, history: &mut ChessHistory) {
        history.pop();
    }

    fn eval_key(&self, state: &ChessState, history: &ChessHistory) -> Key {
        let repeats = history.repeats(state) as u64;
        let key = state.key.mix(u64::from(state.halfmove_clock()) | repeats << 8);
        history.last(self.history_planes).fold(key, |key, past| {
            key.mix(past.key.high).mix(past.key.low).mix(u64::from(past.has_occurred))
        })
    }

    /// Position, halfmove clock, and how often each position has occurred that can come again.
    ///
    /// That is all the future depends on, so equal keys have equal subtrees, exactly: no repetition
    /// and no count of 50 moves is ever missed. The price is that orders of reversible moves lead
    /// to different nodes; lines meet again at each capture, pawn move and lost castling right.
    /// Networks that see k past positions tell lines apart for k plies more.
    fn node_key(&self, state: &ChessState, history: &ChessHistory) -> Key {
        let past = history.reversible();
        self.eval_key(state, history).mix(past.high).mix(past.low)
    }

    /// The halfmove clock is part of state and key. It only grows until a capture or pawn move,
    /// after which no earlier position comes again, and at 100 the game is over: nothing occurs
    /// twice.
    fn acyclic(&self) -> bool {
        true
    }

    /// Each side can make at most 48 pawn moves and lose at most 15 pieces, so at most 126 moves
    /// set the halfmove clock to zero, each after at most 99 others; and 100 plies after the last
    /// one the game is over.
    fn plies_max(&self) -> Option<u32> {
        Some(126 * 100 + 100)
    }

    /// Of N. Petrović's position (1964), which is the most that play can reach; made-up positions
    /// with the same pieces are not known to have more.
    fn moves_max(&self) -> usize {
        218
    }

    fn perft(&self, state: &ChessState, _history: &ChessHistory, depth: u32) -> Vec<u64> {
        moves::perft(&state.board, depth)
    }

    fn format_move(&self, mv: Move) -> String {
        moves::format(mv)
    }

    /// Castling as the king taking its rook is not read: the same text names a rook's move
    /// elsewhere.
    fn parse_move(&self, _state: &ChessState, text: &str) -> Result<Move, GameError> {
        moves::parse(text)
    }

    /// Forsyth-Edwards notation; the two counters may be left out.
    fn position_text(&self, state: &ChessState) -> Option<String> {
        Some(state.fen())
    }

    fn parse_position(&self, text: &str) -> Result<ChessState, GameError> {
        fen::parse(text).map(ChessState::new)
    }

    /// White pieces in capitals, the eighth rank on top, and the position as FEN below.
    fn render(&self, state: &ChessState) -> String {
        let mut text = String::new();
        for rank in Rank::ALL.into_iter().rev() {
            text += &rank.to_string();
            for file in File::ALL {
                text.push(' ');
                text.push(letter_on(&state.board, Square::new(file, rank)));
            }
            text.push('\n');
        }
        text + "  a b c d e f g h\n" + &state.fen() + "\n"
    }

    fn notation(&self) -> &'static str {
        "UCI: from and to, e2e4; castling by the king's move, e1g1; promotion e7e8q; positions as FEN"
    }

    fn record_format(&self) -> RecordFormat {
        RecordFormat::Pgn
    }

    fn record_move(&self, state: &ChessState, mv: Move) -> Option<String> {
        Some(san::format(&state.board, mv))
    }

    fn parse_record_move(&self, state: &ChessState, text: &str) -> Result<Move, GameError> {
        san::parse(&state.board, text)
    }
}

fn letter_on(board: &Board, square: Square) -> char {
    let Some(piece) = board.piece_on(square) else { return '.' };
    let letter = char::from(piece);
    if board.colors(Color::White).has(square) { letter.to_ascii_uppercase() } else { letter }
}

/// The file on which the mover may capture en passant, if that is legal.
fn en_passant(board: &Board) -> Option<File> {
    let (file, mover) = (board.en_passant()?, board.side_to_move());
    let to = Square::new(file, Rank::Sixth.relative_to(mover));
    let pawns = get_pawn_attacks(to, !mover) & board.colored_pieces(mover, Piece::Pawn);
    let captures = |from| board.is_legal(cozy_chess::Move { from, to, promotion: None });
    pawns.into_iter().any(captures).then_some(file)
}

/// Whether each side may castle still: white short and long, black short and long.
fn castling(board: &Board) -> [bool; 4] {
    let [white, black] = Color::ALL.map(|color| board.castle_rights(color));
    [white.short, white.long, black.short, black.long].map(|rook| rook.is_some())
}

/// Pieces, mover, castling rights, and en passant where it is legal.
fn position_key(board: &Board) -> Key {
    let [pawns, knights, bishops, rooks, queens, kings] = Piece::ALL.map(|p| board.pieces(p));
    // Three bits name the piece on a square, the fourth its colour.
    let bits: [BitBoard; 4] = [
        board.colors(Color::White),
        pawns | bishops | queens,
        knights | bishops | kings,
        rooks | queens | kings,
    ];
    let rights = castling(board).iter().fold(0, |bits, &right| bits << 1 | u64::from(right));
    let file = en_passant(board).map_or(0, |file| 1 + file as u64);
    let mover = board.side_to_move() as u64;
    let key = bits.iter().fold(Key::of_words(&[]), |key, bits| key.mix(bits.0));
    key.mix(mover | rights << 1 | file << 5)
}
