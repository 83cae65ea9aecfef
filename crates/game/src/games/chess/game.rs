//! The rules of chess, as every game gives them.

use cozy_chess::{Board, Color, File, Rank, Square};

use super::{Chess, ChessEncoding, ChessHistory, ChessState, draws, fen, moves, position_key, san};
use crate::{
    BoardKind, Display, Game, GameError, GameSpec, Key, Move, MovePlaces, Outcome, Player,
    RecordFormat, Status,
};

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

    fn moves_after_draw(
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
    /// The future depends on nothing else, so equal keys have exactly equal subtrees: no repetition
    /// and no count of 50 moves is ever missed. The price is that orders of reversible moves lead
    /// to different nodes; lines meet again at each capture, pawn move and lost castling right.
    /// With networks that see k past positions, lines stay apart for k plies more.
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

    /// UCI, or standard algebraic notation. Castling as the king taking its rook is not read: the
    /// same text names a rook's move elsewhere.
    fn parse_move(&self, state: &ChessState, text: &str) -> Result<Move, GameError> {
        san::parse_typed(&state.board, text)
    }

    fn parse_protocol_move(&self, _state: &ChessState, text: &str) -> Result<Move, GameError> {
        moves::parse(text)
    }

    /// Words, without the numbers of moves that lists of games have: `1. e4 e5 2.Nf3`.
    fn split_moves<'a>(&self, list: &'a str) -> Vec<&'a str> {
        let unnumbered = |word: &'a str| {
            let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
            let is_numbered = rest.len() < word.len() && rest.starts_with('.');
            if is_numbered { rest.trim_start_matches('.') } else { word }
        };
        list.split_whitespace().map(unnumbered).filter(|word| !word.is_empty()).collect()
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

    fn display(&self) -> Display {
        Display { sides: ["white", "black"], board: BoardKind::Pieces, places: MovePlaces::FromTo }
    }

    fn notation(&self) -> &'static str {
        "UCI: from and to, e2e4; castling by the king's move, e1g1; promotion e7e8q; \
         e4, Nf3, O-O and exd8=Q are read as well; positions as FEN"
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
