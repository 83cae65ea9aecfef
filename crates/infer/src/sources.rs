//! Where evaluations come from: instant evaluators, and networks with a cache before them.

use std::{fmt, sync::Arc};

use dz_game::Game;

use crate::answers::{Asked, Reading, owners};
use crate::encoded::LeafEncoder;
use crate::{
    Admission, CacheKey, EncodedBatch, EncodedLeaf, Evaluation, EvaluationCache, EvaluatorError,
    Expected, InstantEvaluator, LeafView, NetworkEvaluator, Ticket, Workers,
};

/// The sources of a lockstep run, by index.
pub struct Sources<G: Game> {
    readers: Readers<G>,
    /// By source; instant evaluators have none.
    networks: Vec<Option<Box<dyn NetworkEvaluator>>>,
    ids: Vec<String>,
    /// Answers that one thread reads at least; all of a batch where no other thread helps.
    part_len: usize,
}

/// Names the softmax in ids: equal ids give equal bits. Version 1 was the C library's `exp`.
const SOFTMAX: &str = "softmax2";

/// Answers that are worth handing to another thread.
const PART_LEN: usize = 32;

/// What tasks may ask of the sources while they run on many threads.
#[derive(Clone)]
pub struct Readers<G: Game> {
    readers: Vec<Reader<G>>,
}

#[derive(Clone)]
enum Reader<G: Game> {
    Instant(Arc<dyn InstantEvaluator<G>>),
    Network(Arc<NetworkReader<G>>),
}

/// What stands before a network.
struct NetworkReader<G: Game> {
    cache: EvaluationCache,
    encoder: LeafEncoder<G>,
}

/// What a source can answer at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// An instant evaluator's answer.
    Instant(Expected),
    /// A cached answer.
    Cached(Expected),
    /// The position must be evaluated in a batch.
    Missing,
}

impl<G: Game> Default for Sources<G> {
    fn default() -> Self {
        let readers = Readers { readers: Vec::new() };
        Self { readers, networks: Vec::new(), ids: Vec::new(), part_len: PART_LEN }
    }
}

impl<G: Game> Sources<G> {
    /// Adds a source that answers at once; returns its index.
    pub fn add_instant(&mut self, evaluator: Arc<dyn InstantEvaluator<G>>) -> usize {
        self.ids.push(evaluator.id().to_owned());
        self.readers.readers.push(Reader::Instant(evaluator));
        self.networks.push(None);
        self.ids.len() - 1
    }

    /// Adds a network, which answers in batches, with a cache of `cache_entries` places; returns
    /// its index.
    ///
    /// # Errors
    /// [`EvaluatorError::WrongEncoding`] or [`EvaluatorError::WrongPolicy`] if the network is not
    /// for this game's encoding.
    pub fn add_network(
        &mut self,
        game: &G,
        network: Box<dyn NetworkEvaluator>,
        cache_entries: usize,
    ) -> Result<usize, EvaluatorError> {
        let encoder = LeafEncoder::new(game, &*network)?;
        // A device evaluates many times as fast as the processor.
        let is_device = network.handle().is_none();
        let admission = if is_device { Admission::SecondTime } else { Admission::Always };
        let cache = EvaluationCache::new(cache_entries, admission);
        self.readers.readers.push(Reader::Network(Arc::new(NetworkReader { cache, encoder })));
        self.ids.push(format!("{}-{SOFTMAX}", network.id()));
        self.networks.push(Some(network));
        Ok(self.ids.len() - 1)
    }

    /// The same sources for one search that has the processor to itself: networks that give handles
    /// work on `threads` threads of their own while the search goes on.
    #[must_use]
    pub fn on_threads(mut self, threads: usize) -> Self {
        for network in self.networks.iter_mut().flatten() {
            if let Some(workers) = Workers::of(&**network, threads) {
                *network = Box::new(workers);
            }
        }
        self
    }

    /// Ids by index, for headers.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Number of sources.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The part that tasks see.
    pub fn readers(&self) -> &Readers<G> {
        &self.readers
    }

    /// The same sources for each of `count` threads, with shared caches. None if a network gives no
    /// handles.
    pub(crate) fn handles(&self, count: usize) -> Vec<Self> {
        let one = || {
            let networks = self.networks.iter().map(|network| match network {
                Some(network) => network.handle().map(Some),
                None => Some(None),
            });
            let networks = networks.collect::<Option<_>>()?;
            let readers = self.readers.clone();
            Some(Self { readers, networks, ids: self.ids.clone(), part_len: usize::MAX })
        };
        (0..count).map_while(|_| one()).collect()
    }

    /// Whether source `index` predicts by how many points a game will be won.
    pub fn has_margins(&self, index: usize) -> bool {
        let network = self.networks.get(index).and_then(Option::as_ref);
        network.is_some_and(NetworkEvaluator::has_margins)
    }

    /// Whether source `index` predicts the error of its values.
    pub fn has_errors(&self, index: usize) -> bool {
        let network = self.networks.get(index).and_then(Option::as_ref);
        network.is_some_and(NetworkEvaluator::has_errors)
    }

    /// Whether batches go to a device: a network of these gives no handles.
    pub fn is_device(&self) -> bool {
        self.networks.iter().flatten().any(|network| network.handle().is_none())
    }

    /// Batches in flight that keep source `index` busy where one search asks for all of them, at
    /// least 1.
    pub fn batches(&self, index: usize) -> usize {
        let network = self.networks.get(index).and_then(Option::as_ref);
        network.map_or(1, NetworkEvaluator::batches).max(1)
    }

    /// Evaluates leaves, without a look at the cache.
    ///
    /// # Errors
    /// What the network reports, or that source `index` takes no batches.
    pub fn evaluate(
        &mut self,
        index: usize,
        leaves: &[LeafView<'_, G>],
    ) -> Result<Vec<Evaluation>, EvaluatorError> {
        let encode = |view: &LeafView<'_, G>| {
            let mut leaf = EncodedLeaf::default();
            self.readers.encode(index, view, &mut leaf);
            leaf
        };
        let leaves: Vec<EncodedLeaf> = leaves.iter().map(encode).collect();
        let ticket = self.submit(index, &leaves.iter().collect::<Vec<_>>())?;
        self.evaluations(index, ticket, &leaves)
    }

    /// As [`Sources::wait`], for a caller that keeps no memory for evaluations.
    ///
    /// # Errors
    /// As [`Sources::evaluate`].
    pub fn evaluations(
        &mut self,
        index: usize,
        ticket: Ticket,
        leaves: &[EncodedLeaf],
    ) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = vec![Evaluation::default(); leaves.len()];
        let asked = leaves.iter().zip(&mut evaluations);
        let asked = asked.map(|(leaf, evaluation)| Asked { leaf, evaluation }).collect();
        self.wait(index, ticket, asked)?;
        Ok(evaluations)
    }

    /// Starts on a batch.
    ///
    /// # Errors
    /// As [`Sources::evaluate`].
    pub fn submit(
        &mut self,
        index: usize,
        leaves: &[&EncodedLeaf],
    ) -> Result<Ticket, EvaluatorError> {
        let (reader, network) = self.network(index)?;
        network.submit(EncodedBatch::of_leaves(reader.encoder.shape, leaves))
    }

    /// Waits for a batch whose leaves are `asked`, in its order, fills in their evaluations, and
    /// keeps them in the cache, as if in that order.
    ///
    /// # Errors
    /// As [`Sources::evaluate`].
    pub fn wait(
        &mut self,
        index: usize,
        ticket: Ticket,
        asked: Vec<Asked<'_>>,
    ) -> Result<(), EvaluatorError> {
        let part_len = self.part_len;
        let (reader, network) = self.network(index)?;
        let outputs = network.wait(ticket)?;
        let cache = &reader.cache;
        let reading = Reading {
            network: network.id(),
            policy_len: network.policy_len(),
            has_errors: network.has_errors(),
            margin_unit: network.has_margins().then(|| (reader.encoder.shape.area() as f32).sqrt()),
            part_len,
            cache,
            first: cache.reserve(asked.len() as u64),
        };
        reading.read(&outputs, asked)
    }

    /// The expected owner of each point at the end of the game, `[H, W]`: from 1, the mover's, to
    /// -1, the opponent's. `None` if source `index` does not know.
    ///
    /// # Errors
    /// What the network reports.
    pub fn ownership(
        &mut self,
        index: usize,
        view: &LeafView<'_, G>,
    ) -> Result<Option<Vec<f32>>, EvaluatorError> {
        let Ok((reader, network)) = self.network(index) else { return Ok(None) };
        let Some(points) = reader.encoder.points(view) else { return Ok(None) };
        let mut leaf = EncodedLeaf::default();
        reader.encoder.encode(view, &mut leaf);
        let batch = EncodedBatch::of_leaves(reader.encoder.shape, &[&leaf]);
        let Some(logits) = network.ownership(&batch)? else { return Ok(None) };
        owners(network.id(), &logits, &points).map(Some)
    }

    fn network(
        &mut self,
        index: usize,
    ) -> Result<(Arc<NetworkReader<G>>, &mut dyn NetworkEvaluator), EvaluatorError> {
        match (&self.readers.readers[index], &mut self.networks[index]) {
            (Reader::Network(reader), Some(network)) => Ok((Arc::clone(reader), network.as_mut())),
            _ => Err(EvaluatorError::Device {
                device: self.ids[index].clone(),
                message: "an instant evaluator takes no batches; this is a bug in the task".into(),
            }),
        }
    }
}

impl<G: Game> Readers<G> {
    /// Makes of a leaf what source `index` takes in batches. Instant evaluators take none.
    pub fn encode(&self, index: usize, leaf: &LeafView<'_, G>, out: &mut EncodedLeaf) {
        if let Reader::Network(reader) = &self.readers[index] {
            reader.encoder.encode(leaf, out);
            out.cached = reader.cache.admits(out.key);
        }
    }

    /// The answer of source `index`, if it has one at once; fills `priors` then.
    pub fn ask(&self, index: usize, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Answer {
        match &self.readers[index] {
            Reader::Instant(evaluator) => Answer::Instant(evaluator.evaluate(leaf, priors).into()),
            Reader::Network(reader) => {
                let key = CacheKey { eval_key: leaf.eval_key, symmetry: leaf.symmetry };
                reader.cache.get(key, priors).map_or(Answer::Missing, Answer::Cached)
            }
        }
    }
}

impl<G: Game> fmt::Debug for Sources<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sources").field(&self.ids).finish()
    }
}

impl<G: Game> fmt::Debug for Readers<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").field("len", &self.readers.len()).finish()
    }
}
