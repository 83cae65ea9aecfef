//! A game with one fault at a time: what the laws have to catch.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use dz_game::{
    Encoding, Game, GameError, GameSpec, Key, Move, PlaneShape, PlaneWriter, Player, Status,
    Symmetry, Targets,
};
use rand::{Rng, RngExt};

/// What is wrong with a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    NodeKeyForgetsHistory,
    NodeKeyCollides,
    EvalKeyForgetsHistory,
    EvalKeyCollides,
    EvalKeyKnowsMoreThanNodeKey,
    ClaimsAcyclic,
    LegalTwice,
    LegalDescending,
    LegalNotCleared,
    LegalAfterTheEnd,
    NoMovesBeforeTheEnd,
    MovesMaxTooSmall,
    PliesMaxTooSmall,
    StateTooLarge,
    PlayDependsOnChance,
    PopDoesNothing,
    AdvanceForgetsHistory,
    ToMoveOfTheOther,
    MapStateMissing,
    MapMoveMissing,
    IdentityMoves,
    GroupNotClosed,
    EncodeIgnoresSymmetry,
    SlotIgnoresSymmetry,
    SlotShared,
    SlotOutOfRange,
    NamesMissing,
    StonesSwapped,
    MovesShareName,
    ParseMindsCase,
    SplitJoins,
    PlaysIllegalText,
    SpecIncomplete,
    RandomMoveAnywhere,
    UnkeyedForgetsHistory,
    KeyedForgetsHistory,
    MarginHidden,
    OwnersMissing,
    OwnersExchanged,
    OwnersIgnoreSymmetry,
}

/// `inner` with one fault.
#[derive(Clone, Debug)]
pub struct Faulty<G: Game> {
    pub inner: G,
    pub fault: Fault,
    /// Where games begin.
    pub start: G::State,
    /// Calls so far: chance enough for `PlayDependsOnChance`.
    calls: Arc<AtomicUsize>,
}

impl<G: Game> Faulty<G> {
    pub fn new(inner: G, fault: Fault) -> Self {
        Self { start: inner.start(), inner, fault, calls: Arc::default() }
    }
    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }
    fn collide(key: Key) -> Key {
        Key { high: 0, low: key.low % 64 }
    }
}

impl<G: Game> Game for Faulty<G> {
    type State = G::State;
    type History = G::History;
    type Encoding = FaultyEncoding<G>;

    fn spec(&self) -> GameSpec {
        let spec = self.inner.spec();
        if self.is(Fault::SpecIncomplete) { GameSpec::new(spec.name(), &[]) } else { spec }
    }
    fn encoding(&self) -> FaultyEncoding<G> {
        FaultyEncoding { inner: self.inner.encoding(), fault: self.fault }
    }
    fn start(&self) -> G::State {
        self.start.clone()
    }
    fn status(&self, state: &G::State, history: &G::History) -> Status {
        self.inner.status(state, history)
    }
    fn legal_moves(&self, state: &G::State, history: &G::History, out: &mut Vec<Move>) {
        let before = out.clone();
        self.inner.legal_moves(state, history, out);
        match self.fault {
            Fault::LegalTwice => out.extend(out.last().copied()),
            Fault::LegalDescending => out.reverse(),
            Fault::LegalNotCleared => out.splice(0..0, before).for_each(drop),
            Fault::LegalAfterTheEnd if out.is_empty() => out.push(Move(0)),
            Fault::NoMovesBeforeTheEnd if out.len() < self.inner.moves_max() => out.clear(),
            _ => {}
        }
    }
    fn play(&self, state: &mut G::State, mv: Move) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.is(Fault::PlayDependsOnChance) && calls % 2 == 1 {
            let mut legal = Vec::new();
            self.inner.legal_moves(state, &G::History::default(), &mut legal);
            let other = legal.iter().find(|&&other| other != mv).copied().unwrap_or(mv);
            return self.inner.play(state, other);
        }
        self.inner.play(state, mv);
    }
    fn push_history(&self, history: &mut G::History, state: &G::State, mv: Move) {
        self.inner.push_history(history, state, mv);
    }
    fn pop_history(&self, history: &mut G::History) {
        if !self.is(Fault::PopDoesNothing) {
            self.inner.pop_history(history);
        }
    }
    fn advance_keyed(
        &self,
        state: &mut G::State,
        history: &mut G::History,
        mv: Move,
        _node_key: Key,
    ) {
        if self.is(Fault::KeyedForgetsHistory) {
            self.inner.play(state, mv);
        } else {
            // Faults of keys are found by other laws.
            let node_key = self.inner.node_key(state, history);
            self.inner.advance_keyed(state, history, mv, node_key);
        }
    }
    fn advance_unkeyed(&self, state: &mut G::State, history: &mut G::History, mv: Move) {
        if self.is(Fault::UnkeyedForgetsHistory) {
            self.inner.play(state, mv);
        } else {
            self.inner.advance_unkeyed(state, history, mv);
        }
    }
    fn random_move(
        &self,
        state: &G::State,
        history: &G::History,
        random: &mut impl Rng,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        if self.is(Fault::RandomMoveAnywhere) {
            return Some(Move(random.random_range(0..self.inner.moves_max() as u16)));
        }
        self.inner.random_move(state, history, random, scratch)
    }
    fn eval_key(&self, state: &G::State, history: &G::History) -> Key {
        match self.fault {
            Fault::EvalKeyForgetsHistory => self.inner.eval_key(state, &G::History::default()),
            Fault::EvalKeyCollides => Self::collide(self.inner.eval_key(state, history)),
            Fault::EvalKeyKnowsMoreThanNodeKey => {
                let order = format!("{history:?}").bytes().map(u64::from).collect::<Vec<_>>();
                self.inner.eval_key(state, history).mix(Key::of_words(&order).low)
            }
            _ => self.inner.eval_key(state, history),
        }
    }
    fn node_key(&self, state: &G::State, history: &G::History) -> Key {
        match self.fault {
            Fault::NodeKeyForgetsHistory => self.inner.eval_key(state, history),
            Fault::NodeKeyCollides => Self::collide(self.inner.node_key(state, history)),
            _ => self.inner.node_key(state, history),
        }
    }
    fn acyclic(&self) -> bool {
        self.is(Fault::ClaimsAcyclic) || self.inner.acyclic()
    }
    fn plies_max(&self) -> Option<u32> {
        self.inner.plies_max().map(|max| if self.is(Fault::PliesMaxTooSmall) { 5 } else { max })
    }
    fn state_bytes_max(&self) -> usize {
        if self.is(Fault::StateTooLarge) { 1 } else { self.inner.state_bytes_max() }
    }
    fn moves_max(&self) -> usize {
        self.inner.moves_max() - usize::from(self.is(Fault::MovesMaxTooSmall))
    }
    fn symmetry_count(&self) -> u8 {
        // Identity, columns flipped, rows flipped: what both make together is missing.
        if self.is(Fault::GroupNotClosed) { 3 } else { self.inner.symmetry_count() }
    }
    fn map_state(&self, symmetry: Symmetry, state: &G::State) -> G::State {
        match self.fault {
            Fault::MapStateMissing => state.clone(),
            Fault::IdentityMoves => self.inner.map_state(Symmetry(1), state),
            _ => self.inner.map_state(symmetry, state),
        }
    }
    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        match self.fault {
            Fault::MapMoveMissing => mv,
            Fault::IdentityMoves => self.inner.map_move(Symmetry(1), mv),
            _ => self.inner.map_move(symmetry, mv),
        }
    }
    fn format_move(&self, mv: Move) -> String {
        self.inner.format_move(if self.is(Fault::MovesShareName) { Move(0) } else { mv })
    }
    fn parse_move(&self, state: &G::State, text: &str) -> Result<Move, GameError> {
        let expected = "lower case".to_owned();
        match self.fault {
            Fault::ParseMindsCase if text.chars().any(char::is_uppercase) => {
                Err(GameError::BadMove { text: text.to_owned(), expected })
            }
            _ => self.inner.parse_move(state, text),
        }
    }
    fn split_moves<'a>(&self, list: &'a str) -> Vec<&'a str> {
        if self.is(Fault::SplitJoins) { vec![list] } else { self.inner.split_moves(list) }
    }
    fn render(&self, state: &G::State) -> String {
        self.inner.render(state)
    }
    fn notation(&self) -> &'static str {
        self.inner.notation()
    }
    fn advance(&self, state: &mut G::State, history: &mut G::History, mv: Move) {
        if !self.is(Fault::AdvanceForgetsHistory) {
            self.push_history(history, state, mv);
        }
        self.play(state, mv);
    }
    fn to_move(&self, state: &G::State, history: &G::History) -> Option<Player> {
        let mover = self.inner.to_move(state, history);
        if self.is(Fault::ToMoveOfTheOther) { mover.map(Player::opponent) } else { mover }
    }
    fn play_text(
        &self,
        state: &mut G::State,
        history: &mut G::History,
        text: &str,
    ) -> Result<Move, GameError> {
        let played = self.inner.play_text(state, history, text);
        if self.is(Fault::PlaysIllegalText) {
            return played.or_else(|_| self.inner.parse_move(state, text));
        }
        played
    }
}

/// The encoding of a faulty game, with the faults that are the encoding's.
#[derive(Clone, Debug)]
pub struct FaultyEncoding<G: Game> {
    inner: G::Encoding,
    fault: Fault,
}

impl<G: Game> Encoding for FaultyEncoding<G> {
    type Game = Faulty<G>;

    fn id(&self) -> String {
        self.inner.id()
    }
    fn planes(&self) -> PlaneShape {
        self.inner.planes()
    }
    fn plane_names(&self) -> Vec<String> {
        let mut names = self.inner.plane_names();
        if self.fault == Fault::NamesMissing {
            names.pop();
        }
        names
    }
    fn global_names(&self) -> Vec<String> {
        self.inner.global_names()
    }
    fn policy_len(&self) -> usize {
        self.inner.policy_len()
    }
    fn policy_layout(&self) -> String {
        self.inner.policy_layout()
    }
    fn policy_index(&self, state: &G::State, mv: Move, symmetry: Symmetry) -> usize {
        match self.fault {
            Fault::SlotIgnoresSymmetry => self.inner.policy_index(state, mv, Symmetry::IDENTITY),
            Fault::SlotShared => self.inner.policy_index(state, mv, symmetry) / 2,
            Fault::SlotOutOfRange => self.inner.policy_index(state, mv, symmetry) + 1,
            _ => self.inner.policy_index(state, mv, symmetry),
        }
    }
    fn encode(
        &self,
        state: &G::State,
        history: &G::History,
        symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let symmetry =
            if self.fault == Fault::EncodeIgnoresSymmetry { Symmetry::IDENTITY } else { symmetry };
        if self.fault != Fault::StonesSwapped {
            return self.inner.encode(state, history, symmetry, out);
        }
        // The first two planes change places.
        let shape = self.planes();
        let mut planes = vec![0; shape.packed_bytes()];
        let mut globals = vec![0.0; shape.globals];
        let mut writer = PlaneWriter::new(shape, &mut planes, &mut globals);
        self.inner.encode(state, history, symmetry, &mut writer);
        for bit in (0..shape.bits()).filter(|bit| planes[bit / 8] >> (bit % 8) & 1 == 1) {
            let (channel, point) = (bit / shape.area(), bit % shape.area());
            let channel = if channel < 2 { 1 - channel } else { channel };
            out.set(channel, point / shape.width, point % shape.width);
        }
    }
    fn targets(&self) -> Targets {
        let targets = self.inner.targets();
        Targets { margin: targets.margin && self.fault != Fault::MarginHidden, ..targets }
    }
    fn ownership(&self, end: &G::State, symmetry: Symmetry, out: &mut Vec<Option<Player>>) {
        let ignored = self.fault == Fault::OwnersIgnoreSymmetry;
        self.inner.ownership(end, if ignored { Symmetry::IDENTITY } else { symmetry }, out);
        match self.fault {
            Fault::OwnersMissing => out.clear(),
            Fault::OwnersExchanged => {
                for owner in out {
                    *owner = owner.map(Player::opponent);
                }
            }
            _ => {}
        }
    }
}
