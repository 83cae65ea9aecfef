//! Many games in lockstep: the same results for every grouping and every distribution of the work.

use crate::common::FakeNetwork;
use dz_game::{Game, Symmetry, games::Connect4, mix64};
use dz_infer::{
    Answer, EncodedBatch, Evaluation, EvaluatorError, GameTask, Hashed, InstantEvaluator, Leaf,
    LeafView, Lockstep, LockstepCounts, LockstepTimes, NetworkEvaluator, NetworkOutputs, Readers,
    Request, Roster, Sources, Ticket, symmetry_of,
};

fn connect4() -> Connect4 {
    Connect4::new(5, 4, 4).expect("a possible board")
}

/// Plays a game by the evaluator's best prior, with a first move of its own.
struct Solo {
    number: u64,
    state: <Connect4 as Game>::State,
    moves: Vec<u16>,
    /// What every evaluation said, folded.
    heard: u64,
}

impl Solo {
    fn new(number: u64) -> Self {
        let mut this = Self { number, state: connect4().start(), moves: Vec::new(), heard: 0 };
        for ply in 0..3 {
            this.play((mix64(number ^ ply << 32) % 5) as u16);
        }
        this
    }
    fn play(&mut self, mv: u16) {
        connect4().play(&mut self.state, dz_game::Move(mv));
        self.moves.push(mv);
    }
    fn take(&mut self, evaluation: &Evaluation, legal: &[dz_game::Move]) {
        let bits = evaluation.priors.iter().map(|p| u64::from(p.to_bits()));
        let value = u64::from(evaluation.expected.wdl.value().to_bits());
        self.heard = bits.fold(self.heard ^ value, |heard, bits| mix64(heard ^ bits));
        let best = (0..legal.len())
            .max_by(|&a, &b| evaluation.priors[a].total_cmp(&evaluation.priors[b]))
            .expect("open positions have moves");
        self.play(legal[best].0);
    }
    fn legal(&self) -> Vec<dz_game::Move> {
        let mut legal = Vec::new();
        connect4().legal_moves(&self.state, &(), &mut legal);
        legal
    }
}

impl GameTask<Connect4> for Solo {
    fn resume(&mut self, readers: &Readers<Connect4>, request: &mut Request) -> bool {
        let game = connect4();
        loop {
            let legal = self.legal();
            if legal.is_empty() {
                return false;
            }
            let eval_key = game.eval_key(&self.state, &());
            let symmetry = symmetry_of(1, self.number, 0, eval_key, 2);
            let view = LeafView {
                game: &game,
                state: &self.state,
                history: &(),
                legal: &legal,
                eval_key,
                symmetry,
                last: None,
                random: 0,
            };
            let mut priors = Vec::new();
            let expected = match readers.ask((self.number % 2) as usize, &view, &mut priors) {
                Answer::Instant(expected) | Answer::Cached(expected) => expected,
                Answer::Missing => {
                    request.source = (self.number % 2) as usize;
                    readers.encode(request.source, &view, &mut request.leaf);
                    return true;
                }
            };
            self.take(&Evaluation { expected, priors }, &legal);
        }
    }
    fn apply(&mut self, evaluation: &Evaluation) {
        let legal = self.legal();
        self.take(evaluation, &legal);
    }
}

struct List {
    left: std::ops::Range<u64>,
    done: Vec<(u64, Vec<u16>, u64)>,
}

impl Roster<Solo> for List {
    type Error = EvaluatorError;
    fn next(&mut self) -> Option<Solo> {
        self.left.next().map(Solo::new)
    }
    fn finished(&mut self, solo: Solo, _counts: &LockstepCounts) -> Result<(), EvaluatorError> {
        self.done.push((solo.number, solo.moves, solo.heard));
        Ok(())
    }
}

/// Two networks, one with a cache, which may give handles.
fn networks(cache: usize, gives_handles: bool) -> Sources<Connect4> {
    let mut sources = Sources::default();
    for entries in [0, cache] {
        let network = FakeNetwork { gives_handles, ..FakeNetwork::of(&connect4()) };
        let added = sources.add_network(&connect4(), Box::new(network), entries);
        added.expect("the network is of this game");
    }
    sources
}

fn run(
    lockstep: &Lockstep,
    games: u64,
    cache: usize,
    handles: bool,
) -> (Vec<(u64, Vec<u16>, u64)>, LockstepCounts) {
    let mut list = List { left: 0..games, done: Vec::new() };
    let mut sources = networks(cache, handles);
    let counts = lockstep.run(&mut sources, &mut list).expect("the fake does not fail");
    (list.done, counts)
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

#[test]
fn results_do_not_depend_on_grouping_threads_or_cache() {
    let (mut wanted, _) = run(&Lockstep { parallel_games: 1, groups: 1 }, 100, 0, false);
    wanted.sort_unstable();
    assert_eq!(wanted.len(), 100, "all games finish");
    assert!(wanted.iter().enumerate().all(|(i, game)| game.0 == i as u64));
    for (threads, handles) in [(1, false), (2, false), (1, true), (2, true), (5, true)] {
        let pool = pool(threads);
        for groups in [1, 2, 3] {
            for (parallel_games, cache) in [(1, 64), (2, 0), (7, 16), (64, 0), (64, 4096)] {
                let lockstep = Lockstep { parallel_games, groups };
                let (mut got, _) = pool.install(|| run(&lockstep, 100, cache, handles));
                got.sort_unstable();
                let how = format!("{threads} threads, cache of {cache}, handles: {handles}");
                assert_eq!(got, wanted, "{lockstep:?}, {how}");
            }
        }
    }
}

#[test]
fn the_order_of_finishing_and_the_counts_do_not_depend_on_threads() {
    let lockstep = Lockstep { parallel_games: 20, groups: 2 };
    let one = pool(1).install(|| run(&lockstep, 100, 128, false));
    let two = pool(2).install(|| run(&lockstep, 100, 128, false));
    assert_eq!(one, two);
}

/// Asks a fixed number of times, of source 0.
struct Asker(u32);

impl GameTask<Connect4> for Asker {
    fn resume(&mut self, readers: &Readers<Connect4>, request: &mut Request) -> bool {
        let Some(left) = self.0.checked_sub(1) else { return false };
        self.0 = left;
        let state = connect4().start();
        let leaf = Leaf {
            state,
            history: (),
            legal: vec![dz_game::Move(0)],
            eval_key: connect4().eval_key(&state, &()),
            symmetry: Symmetry::IDENTITY,
        };
        request.source = 0;
        readers.encode(0, &leaf.view(&connect4()), &mut request.leaf);
        true
    }
    fn apply(&mut self, _evaluation: &Evaluation) {}
}

#[derive(Default)]
struct Askers {
    left: u32,
    finished: u32,
    steps: u32,
    times: Vec<LockstepTimes>,
}

impl Roster<Asker> for Askers {
    type Error = EvaluatorError;
    fn next(&mut self) -> Option<Asker> {
        self.left = self.left.checked_sub(1)?;
        Some(Asker(5))
    }
    fn finished(&mut self, _asker: Asker, _counts: &LockstepCounts) -> Result<(), EvaluatorError> {
        self.finished += 1;
        Ok(())
    }
    fn step(&mut self, _counts: &LockstepCounts) {
        self.steps += 1;
    }
    fn thread_ended(&mut self, times: &LockstepTimes) {
        self.times.push(*times);
    }
}

fn ask(parallel_games: usize, groups: usize, askers: u32) -> LockstepCounts {
    let mut roster = Askers { left: askers, ..Askers::default() };
    let lockstep = Lockstep { parallel_games, groups };
    let counts =
        lockstep.run(&mut networks(0, false), &mut roster).expect("the fake does not fail");
    assert_eq!(roster.finished, askers);
    assert!(roster.steps >= counts.batches as u32);
    let [times] = roster.times[..] else { panic!("one driver for all: {:?}", roster.times) };
    assert!(times.in_flight <= times.running && times.waiting <= times.in_flight, "{times:?}");
    assert_eq!(times.hosting + times.waiting, times.running);
    counts
}

#[test]
fn fill_is_counted_tail_included() {
    // Places are filled again in the step in which a game ends, so 8 games of 5 fill 4 places.
    let full = LockstepCounts { batches: 10, evaluations: 40, places: 40 };
    assert_eq!(ask(4, 1, 8), full);
    // The last 2 of 10 games leave half of the places empty for 5 steps.
    assert_eq!(ask(4, 1, 10), LockstepCounts { batches: 15, evaluations: 50, places: 60 });
    // Two groups of 2 send twice as many batches of half the size.
    assert_eq!(ask(4, 2, 8), LockstepCounts { batches: 20, evaluations: 40, places: 40 });
    // Groups never make more places than there are games at once.
    assert_eq!(ask(1, 3, 2), LockstepCounts { batches: 10, evaluations: 10, places: 10 });
    assert_eq!(ask(5, 2, 5).places, 25);
    assert_eq!(ask(4, 1, 0), LockstepCounts::default());
}

#[test]
fn threads_of_their_own_count_together() {
    // Every asker asks five times, whoever has it; a thread's group has 4 of 8 places.
    let mut roster = Askers { left: 100, ..Askers::default() };
    let lockstep = Lockstep { parallel_games: 8, groups: 1 };
    let run = |roster: &mut Askers| lockstep.run(&mut networks(0, true), roster);
    let counts = pool(2).install(|| run(&mut roster)).expect("the fake does not fail");
    assert_eq!((counts.evaluations, roster.finished), (500, 100));
    assert_eq!(counts.places, 4 * counts.batches);
    assert_eq!(roster.times.len(), 2, "one driver a thread");
    assert!(roster.times.iter().all(|times| times.hosting < times.running), "{:?}", roster.times);
    assert!(roster.steps > 0);
}

/// Fails at the third batch, or its handles do.
struct Failing {
    inner: FakeNetwork,
    left: u32,
}

impl Failing {
    fn new(gives_handles: bool) -> Self {
        Self { inner: FakeNetwork { gives_handles, ..FakeNetwork::of(&connect4()) }, left: 2 }
    }
}

impl NetworkEvaluator for Failing {
    fn id(&self) -> &'static str {
        "failing"
    }
    fn encoding_id(&self) -> &str {
        self.inner.encoding_id()
    }
    fn policy_len(&self) -> usize {
        self.inner.policy_len()
    }
    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        self.left = self.left.checked_sub(1).ok_or_else(|| EvaluatorError::Device {
            device: "fake".into(),
            message: "out of batches".into(),
        })?;
        self.inner.submit(batch)
    }
    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        self.inner.wait(ticket)
    }
    fn handle(&self) -> Option<Box<dyn NetworkEvaluator>> {
        self.inner.handle()?;
        Some(Box::new(Self::new(false)))
    }
}

#[test]
fn failures_come_out() {
    for (handles, groups) in [(false, 1), (true, 1), (false, 3)] {
        let mut sources = Sources::default();
        sources.add_network(&connect4(), Box::new(Failing::new(handles)), 0).expect("it fits");
        // Far more than would be played if one thread's failure did not stop the other.
        let mut roster = Askers { left: u32::MAX, ..Askers::default() };
        // With three groups one is submitted, which fails, while another is resumed.
        let lockstep = Lockstep { parallel_games: 3, groups };
        let run = || lockstep.run(&mut sources, &mut roster);
        let failure = pool(2).install(run).unwrap_err();
        assert!(failure.to_string().contains("out of batches"), "{failure}");
    }
}

/// Panics when one of its tasks is resumed for the third time; the others ask without end.
struct Endless(u32);

impl GameTask<Connect4> for Endless {
    fn resume(&mut self, readers: &Readers<Connect4>, request: &mut Request) -> bool {
        self.0 = self.0.saturating_sub(1);
        assert!(self.0 > 0, "a bug in a task");
        Asker(1).resume(readers, request)
    }
    fn apply(&mut self, _evaluation: &Evaluation) {}
}

struct Started(u32);

impl Roster<Endless> for Started {
    type Error = EvaluatorError;
    fn next(&mut self) -> Option<Endless> {
        self.0 += 1;
        Some(Endless(if self.0 == 2 { 3 } else { u32::MAX }))
    }
    fn finished(&mut self, _: Endless, _: &LockstepCounts) -> Result<(), EvaluatorError> {
        Ok(())
    }
}

#[test]
fn a_panic_on_one_thread_ends_the_run() {
    for (handles, games) in [(true, 2), (false, 3)] {
        // With three groups one is submitted while a task of another panics.
        let lockstep = Lockstep { parallel_games: games, groups: if handles { 1 } else { games } };
        let run = || lockstep.run(&mut networks(0, handles), &mut Started(0));
        let ended = pool(2).install(|| std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)));
        assert!(ended.is_err());
    }
}

#[test]
fn instant_sources_take_no_batches() {
    let mut sources: Sources<Connect4> = Sources::default();
    sources.add_instant(std::sync::Arc::new(Hashed));
    let hashed_id = <Hashed as InstantEvaluator<Connect4>>::id(&Hashed);
    assert_eq!((sources.ids(), sources.len()), (&[hashed_id.to_owned()][..], 1));
    let mut roster = Askers { left: 1, ..Askers::default() };
    let lockstep = Lockstep { parallel_games: 1, groups: 1 };
    assert!(lockstep.run(&mut sources, &mut roster).is_err());
    // A task that asks first is answered at once, and no batch is sent.
    sources.add_instant(std::sync::Arc::new(Hashed));
    let mut list = List { left: 0..10, done: Vec::new() };
    let counts = lockstep.run(&mut sources, &mut list).unwrap();
    assert_eq!((list.done.len(), counts), (10, LockstepCounts::default()));
}
