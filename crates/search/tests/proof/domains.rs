//! Domains around others: keys that are private to a path, cut short, or know the past.

use dz_game::{Key, Move, Player, mix64};
use dz_search::{Domain, ExplicitGraph, Status};

/// A domain whose keys are private to the moves that led to a position: nothing transposes.
#[derive(Clone, Debug)]
pub struct Unshared<D>(pub D);

impl<D: Domain> Domain for Unshared<D> {
    type State = D::State;
    /// The inner past and the moves so far.
    type History = (D::History, Vec<u64>);

    fn status(&self, state: &D::State, history: &Self::History) -> Status {
        self.0.status(state, &history.0)
    }
    fn legal_moves(&self, state: &D::State, history: &Self::History, out: &mut Vec<Move>) {
        self.0.legal_moves(state, &history.0, out);
    }
    fn advance(&self, state: &mut D::State, history: &mut Self::History, mv: Move) {
        self.0.advance(state, &mut history.0, mv);
        history.1.push(u64::from(mv.0));
    }
    fn node_key(&self, _: &D::State, history: &Self::History) -> Key {
        Key::of_words(&history.1)
    }
    fn surroundings(&self, state: &D::State, mv: Move) -> Option<u64> {
        self.0.surroundings(state, mv)
    }
    fn eval_key(&self, state: &D::State, history: &Self::History) -> Key {
        self.0.eval_key(state, &history.0)
    }
    fn acyclic(&self) -> bool {
        true
    }
}

/// A domain that counts points: final ones by the position, on a board of 3 by 3.
#[derive(Clone, Debug)]
pub struct Counting<D>(pub D);

impl<D: Domain> Domain for Counting<D> {
    type State = D::State;
    type History = D::History;

    fn status(&self, state: &D::State, history: &D::History) -> Status {
        self.0.status(state, history)
    }
    fn legal_moves(&self, state: &D::State, history: &D::History, out: &mut Vec<Move>) {
        self.0.legal_moves(state, history, out);
    }
    fn advance(&self, state: &mut D::State, history: &mut D::History, mv: Move) {
        self.0.advance(state, history, mv);
    }
    fn node_key(&self, state: &D::State, history: &D::History) -> Key {
        self.0.node_key(state, history)
    }
    fn surroundings(&self, state: &D::State, mv: Move) -> Option<u64> {
        self.0.surroundings(state, mv)
    }
    fn board_side(&self) -> Option<f64> {
        Some(3.0)
    }
    fn komi_at(&self, _: &D::State) -> f64 {
        0.5
    }
    fn final_lead(&self, state: &D::State, history: &D::History) -> Option<f64> {
        Some((self.eval_key(state, history).low % 19) as f64 - 9.5)
    }
    fn eval_key(&self, state: &D::State, history: &D::History) -> Key {
        self.0.eval_key(state, history)
    }
    fn acyclic(&self) -> bool {
        self.0.acyclic()
    }
}

/// A game that cannot come to harm: every move is legal in every position, which is a word and a
/// depth. Its keys keep only so many bits.
#[derive(Clone, Debug)]
pub struct Hardy {
    pub bits: u32,
    /// It says that no key can come back, which cut keys make a lie.
    pub acyclic: bool,
}

impl Domain for Hardy {
    type State = (u64, u8);
    type History = ();

    fn status(&self, &(word, depth): &(u64, u8), (): &()) -> Status {
        if depth >= 12 {
            return Status::Over { value: if word & 1 == 0 { 1.0 } else { -1.0 }, draw: 0.0 };
        }
        Status::ToMove(if depth.is_multiple_of(2) { Player::First } else { Player::Second })
    }
    fn legal_moves(&self, &(_, depth): &(u64, u8), (): &(), out: &mut Vec<Move>) {
        out.clear();
        if depth < 12 {
            out.extend([Move(0), Move(1), Move(2)]);
        }
    }
    fn advance(&self, state: &mut (u64, u8), (): &mut (), mv: Move) {
        *state = (mix64(state.0 ^ u64::from(mv.0)), state.1.saturating_add(1));
    }
    fn node_key(&self, &(word, depth): &(u64, u8), (): &()) -> Key {
        let low = mix64(word ^ u64::from(depth)) & (u64::MAX >> (64 - self.bits));
        Key { high: 0, low }
    }
    fn eval_key(&self, state: &(u64, u8), (): &()) -> Key {
        Key::of_words(&[state.0, u64::from(state.1)])
    }
    fn acyclic(&self) -> bool {
        self.acyclic
    }
}

/// What a node's key knows of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOf {
    /// The position and all that came before it.
    Past,
    /// The position and how often it came before; positions that may still repeat are not shared.
    Repetitions,
    /// The position alone; repetitions are looked for on the path.
    Position,
}

/// A graph in which a position that comes back is a draw.
#[derive(Clone, Debug)]
pub struct Repeating {
    pub graph: ExplicitGraph,
    pub key_of: KeyOf,
}

impl Domain for Repeating {
    type State = u32;
    /// Positions before this one.
    type History = Vec<u32>;

    fn status(&self, state: &u32, past: &Vec<u32>) -> Status {
        if self.key_of != KeyOf::Position && past.contains(state) {
            return Status::Over { value: 0.0, draw: 1.0 };
        }
        self.graph.status(state, &())
    }
    fn legal_moves(&self, state: &u32, past: &Vec<u32>, out: &mut Vec<Move>) {
        out.clear();
        if let Status::ToMove(_) = self.status(state, past) {
            self.graph.legal_moves(state, &(), out);
        }
    }
    fn advance(&self, state: &mut u32, past: &mut Vec<u32>, mv: Move) {
        past.push(*state);
        self.graph.advance(state, &mut (), mv);
    }
    fn node_key(&self, state: &u32, past: &Vec<u32>) -> Key {
        let mut words = vec![u64::from(*state)];
        match self.key_of {
            KeyOf::Position => {}
            KeyOf::Past => {
                let mut past: Vec<u64> = past.iter().map(|&state| u64::from(state)).collect();
                past.sort_unstable();
                words.extend(past);
            }
            KeyOf::Repetitions => {
                // What can still be repeated: positions of the past that lead back here or on from
                // here.
                words.extend(
                    past.iter().filter(|state| self.can_return(**state)).map(|&s| u64::from(s)),
                );
                words.push(past.iter().filter(|before| *before == state).count() as u64);
            }
        }
        Key::of_words(&words)
    }
    fn eval_key(&self, state: &u32, past: &Vec<u32>) -> Key {
        self.node_key(state, past)
    }
    fn acyclic(&self) -> bool {
        self.key_of == KeyOf::Past || self.graph.acyclic()
    }
}

impl Repeating {
    /// True if play can come back to a position.
    fn can_return(&self, state: u32) -> bool {
        let (mut open, mut met, mut legal) = (vec![state], Vec::new(), Vec::new());
        while let Some(at) = open.pop() {
            self.graph.legal_moves(&at, &(), &mut legal);
            for &mv in &legal {
                let mut next = at;
                self.graph.advance(&mut next, &mut (), mv);
                if next == state {
                    return true;
                }
                if !met.contains(&next) {
                    met.push(next);
                    open.push(next);
                }
            }
        }
        false
    }
}
