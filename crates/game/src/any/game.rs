//! The rules of any game: each method is that of the game itself.

use rand::Rng;

use super::{AnyEncoding, AnyGame, AnyHistory, AnyState, Member, of_another_game, on};
use crate::{
    Display, Game, GameError, GameSpec, Key, Komi, Move, Outcome, Player, RecordFormat, Status,
    Symmetry,
};

fn any_state<G: Member>(_: &G, state: G::State) -> AnyState {
    G::any_state(state)
}

fn any_encoding<G: Member>(game: &G) -> AnyEncoding {
    G::any_encoding(game.encoding())
}

impl Game for AnyGame {
    type State = AnyState;
    type History = AnyHistory;
    type Encoding = AnyEncoding;

    fn spec(&self) -> GameSpec {
        on!([self] => |game| game.spec())
    }

    fn encoding(&self) -> AnyEncoding {
        on!([self] => |game| any_encoding(game))
    }

    fn komi(&self) -> Option<Komi> {
        on!([self] => |game| game.komi())
    }

    fn komi_at(&self, state: &AnyState) -> Option<Komi> {
        on!([self, state] => |game, state| game.komi_at(state))
    }

    fn with_komi(&self, komi: Komi) -> Option<Self> {
        on!([self] => |game| game.with_komi(komi).map(Self::from))
    }

    fn start(&self) -> AnyState {
        on!([self] => |game| any_state(game, game.start()))
    }

    fn status(&self, state: &AnyState, history: &AnyHistory) -> Status {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| game.status(state, history))
    }

    fn legal_moves(&self, state: &AnyState, history: &AnyHistory, out: &mut Vec<Move>) {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| {
            game.legal_moves(state, history, out);
        });
    }

    fn play(&self, state: &mut AnyState, mv: Move) {
        on!([self, state] => |game, state| game.play(state, mv));
    }

    fn push_history(&self, history: &mut AnyHistory, state: &AnyState, mv: Move) {
        self.fill(history);
        on!([self, state, history] => |game, state, history| game.push_history(history, state, mv));
    }

    fn pop_history(&self, history: &mut AnyHistory) {
        self.fill(history);
        on!(past [self, history] => |game, history| game.pop_history(history));
    }

    fn advance_keyed(
        &self,
        state: &mut AnyState,
        history: &mut AnyHistory,
        mv: Move,
        node_key: Key,
    ) {
        self.fill(history);
        on!([self, state, history] => |game, state, history| {
            game.advance_keyed(state, history, mv, node_key);
        });
    }

    fn advance_unkeyed(&self, state: &mut AnyState, history: &mut AnyHistory, mv: Move) {
        self.fill(history);
        on!([self, state, history] => |game, state, history| {
            game.advance_unkeyed(state, history, mv);
        });
    }

    fn random_move(
        &self,
        state: &AnyState,
        history: &AnyHistory,
        random: &mut impl Rng,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| {
            game.random_move(state, history, random, scratch)
        })
    }

    fn informed_move(
        &self,
        state: &AnyState,
        history: &AnyHistory,
        last: Option<Move>,
        random: &mut impl Rng,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| {
            game.informed_move(state, history, last, random, scratch)
        })
    }

    fn surroundings(&self, state: &AnyState, mv: Move) -> Option<u64> {
        on!([self, state] => |game, state| game.surroundings(state, mv))
    }

    fn moves_after_draw(
        &self,
        state: &AnyState,
        history: &AnyHistory,
        out: &mut Vec<Move>,
    ) -> Option<Player> {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| {
            game.moves_after_draw(state, history, out)
        })
    }

    fn skip_turn(&self, state: &mut AnyState, history: &mut AnyHistory) -> bool {
        self.fill(history);
        on!([self, state, history] => |game, state, history| game.skip_turn(state, history))
    }

    fn eval_key(&self, state: &AnyState, history: &AnyHistory) -> Key {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| game.eval_key(state, history))
    }

    fn node_key(&self, state: &AnyState, history: &AnyHistory) -> Key {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| game.node_key(state, history))
    }

    fn acyclic(&self) -> bool {
        on!([self] => |game| game.acyclic())
    }

    fn plies_max(&self) -> Option<u32> {
        on!([self] => |game| game.plies_max())
    }

    fn state_bytes_max(&self) -> usize {
        on!([self] => |game| game.state_bytes_max())
    }

    fn moves_max(&self) -> usize {
        on!([self] => |game| game.moves_max())
    }

    fn symmetry_count(&self) -> u8 {
        on!([self] => |game| game.symmetry_count())
    }

    fn map_state(&self, symmetry: Symmetry, state: &AnyState) -> AnyState {
        on!([self, state] => |game, state| any_state(game, game.map_state(symmetry, state)))
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        on!([self] => |game| game.map_move(symmetry, mv))
    }

    fn format_move(&self, mv: Move) -> String {
        on!([self] => |game| game.format_move(mv))
    }

    fn parse_move(&self, state: &AnyState, text: &str) -> Result<Move, GameError> {
        on!([self, state] => |game, state| game.parse_move(state, text))
    }

    fn split_moves<'a>(&self, list: &'a str) -> Vec<&'a str> {
        on!([self] => |game| game.split_moves(list))
    }

    fn parse_position(&self, text: &str) -> Result<AnyState, GameError> {
        on!([self] => |game| game.parse_position(text).map(|state| any_state(game, state)))
    }

    fn position_text(&self, state: &AnyState) -> Option<String> {
        on!([self, state] => |game, state| game.position_text(state))
    }

    fn position_of(&self, stones: &[Option<Player>], mover: Player) -> Option<String> {
        on!([self] => |game| game.position_of(stones, mover))
    }

    fn stones(&self, state: &AnyState) -> Option<Vec<Option<Player>>> {
        on!([self, state] => |game, state| game.stones(state))
    }

    fn perft(&self, state: &AnyState, history: &AnyHistory, depth: u32) -> Vec<u64> {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| game.perft(state, history, depth))
    }

    fn render(&self, state: &AnyState) -> String {
        on!([self, state] => |game, state| game.render(state))
    }

    fn display(&self) -> Display {
        on!([self] => |game| game.display())
    }

    fn notation(&self) -> &'static str {
        on!([self] => |game| game.notation())
    }

    fn record_format(&self) -> RecordFormat {
        on!([self] => |game| game.record_format())
    }

    fn record_move(&self, state: &AnyState, mv: Move) -> Option<String> {
        on!([self, state] => |game, state| game.record_move(state, mv))
    }

    fn parse_record_move(&self, state: &AnyState, text: &str) -> Result<Move, GameError> {
        on!([self, state] => |game, state| game.parse_record_move(state, text))
    }

    fn protocol_move(&self, state: &AnyState, mv: Move) -> String {
        on!([self, state] => |game, state| game.protocol_move(state, mv))
    }

    fn parse_protocol_move(&self, state: &AnyState, text: &str) -> Result<Move, GameError> {
        on!([self, state] => |game, state| game.parse_protocol_move(state, text))
    }

    fn unnamed_parameters(&self) -> Vec<(&'static str, String)> {
        on!([self] => |game| game.unnamed_parameters())
    }

    fn summary(&self) -> Option<&'static str> {
        on!([self] => |game| game.summary())
    }

    fn advance(&self, state: &mut AnyState, history: &mut AnyHistory, mv: Move) {
        self.fill(history);
        on!([self, state, history] => |game, state, history| game.advance(state, history, mv));
    }

    fn to_move(&self, state: &AnyState, history: &AnyHistory) -> Option<Player> {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| game.to_move(state, history))
    }

    fn outcome(&self, state: &AnyState, history: &AnyHistory) -> Option<Outcome> {
        let history = self.whole(history);
        on!([self, state, &*history] => |game, state, history| game.outcome(state, history))
    }

    fn play_text(
        &self,
        state: &mut AnyState,
        history: &mut AnyHistory,
        text: &str,
    ) -> Result<Move, GameError> {
        self.fill(history);
        on!([self, state, history] => |game, state, history| game.play_text(state, history, text))
    }
}
