//! Where evaluations come from: instant evaluators, and batched ones with a cache before them.

use std::{fmt, sync::Arc};

use dz_game::{Game, Wdl};

use crate::{
    CacheKey, Evaluation, EvaluationCache, Evaluator, EvaluatorError, InstantEvaluator, Leaf,
    LeafView, Ticket, Workers,
};

/// The sources of a lockstep run, by index.
pub struct Sources<G: Game> {
    readers: Readers<G>,
    /// Beside each cache the evaluator that fills it.
    evaluators: Vec<Option<Box<dyn Evaluator<G>>>>,
    ids: Vec<String>,
}

/// What tasks may ask of the sources while they run on many threads.
#[derive(Clone)]
pub struct Readers<G: Game> {
    readers: Vec<Reader<G>>,
}

#[derive(Clone)]
enum Reader<G: Game> {
    Instant(Arc<dyn InstantEvaluator<G>>),
    Cache(Arc<EvaluationCache>),
}

/// What a source can answer at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// An instant evaluator's answer: the mover's chances.
    Instant(Wdl),
    /// A cached answer.
    Cached(Wdl),
    /// The position must be evaluated in a batch.
    Missing,
}

impl<G: Game> Default for Sources<G> {
    fn default() -> Self {
        Self { readers: Readers { readers: Vec::new() }, evaluators: Vec::new(), ids: Vec::new() }
    }
}

impl<G: Game> Sources<G> {
    /// Adds a source that answers at once; returns its index.
    pub fn add_instant(&mut self, evaluator: Arc<dyn InstantEvaluator<G>>) -> usize {
        self.ids.push(evaluator.id().to_owned());
        self.readers.readers.push(Reader::Instant(evaluator));
        self.evaluators.push(None);
        self.ids.len() - 1
    }

    /// Adds a source that answers in batches, with a cache of `cache_entries` places; returns its
    /// index.
    pub fn add_batched(&mut self, evaluator: Box<dyn Evaluator<G>>, cache_entries: usize) -> usize {
        self.ids.push(evaluator.id().to_owned());
        let cache = Arc::new(EvaluationCache::new(cache_entries));
        self.readers.readers.push(Reader::Cache(cache));
        self.evaluators.push(Some(evaluator));
        self.ids.len() - 1
    }

    /// The same sources for one search that has the processor to itself: evaluators that give
    /// handles work on `threads` threads of their own while the search goes on.
    #[must_use]
    pub fn on_threads(mut self, threads: usize) -> Self {
        for evaluator in self.evaluators.iter_mut().flatten() {
            if let Some(workers) = Workers::of(evaluator.as_ref(), threads) {
                *evaluator = Box::new(workers);
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

    /// The same sources for each of `count` threads, with shared caches. None if an evaluator gives
    /// no handles.
    pub(crate) fn handles(&self, count: usize) -> Vec<Self> {
        let one = || {
            let evaluators = self.evaluators.iter().map(|evaluator| match evaluator {
                Some(evaluator) => evaluator.handle().map(Some),
                None => Some(None),
            });
            let evaluators = evaluators.collect::<Option<_>>()?;
            Some(Self { readers: self.readers.clone(), evaluators, ids: self.ids.clone() })
        };
        (0..count).map_while(|_| one()).collect()
    }

    /// Batches in flight that keep source `index` busy where one search asks for all of them, at
    /// least 1.
    pub fn batches(&self, index: usize) -> usize {
        let evaluator = self.evaluators.get(index).and_then(Option::as_ref);
        evaluator.map_or(1, |evaluator| evaluator.batches()).max(1)
    }

    /// Evaluates a batch and waits for it.
    ///
    /// # Errors
    /// What the evaluator reports, or that source `index` takes no batches.
    pub fn evaluate(
        &mut self,
        index: usize,
        leaves: &[&Leaf<G>],
    ) -> Result<Vec<Evaluation>, EvaluatorError> {
        let ticket = self.submit(index, leaves)?;
        self.wait(index, ticket, leaves)
    }

    /// Starts on a batch.
    ///
    /// # Errors
    /// As [`Sources::evaluate`].
    pub fn submit(&mut self, index: usize, leaves: &[&Leaf<G>]) -> Result<Ticket, EvaluatorError> {
        self.evaluator(index)?.submit(leaves)
    }

    /// Waits for a batch and stores its evaluations in the cache, as if in the order of the batch.
    ///
    /// # Errors
    /// As [`Sources::evaluate`].
    pub fn wait(
        &mut self,
        index: usize,
        ticket: Ticket,
        leaves: &[&Leaf<G>],
    ) -> Result<Vec<Evaluation>, EvaluatorError> {
        let cache = match self.readers.readers.get(index) {
            Some(Reader::Cache(cache)) => Arc::clone(cache),
            _ => return self.evaluator(index)?.wait(ticket),
        };
        let first = cache.reserve(leaves.len() as u64);
        self.evaluator(index)?.wait_noting(ticket, &|place, evaluation| {
            if let Some(leaf) = leaves.get(place) {
                let key = CacheKey { eval_key: leaf.eval_key, symmetry: leaf.symmetry };
                cache.put_at(first + place as u64, key, evaluation);
            }
        })
    }

    /// What source `index` expects of each point; see [`Evaluator::ownership`].
    ///
    /// # Errors
    /// What the evaluator reports.
    pub fn ownership(
        &mut self,
        index: usize,
        leaf: &Leaf<G>,
    ) -> Result<Option<Vec<f32>>, EvaluatorError> {
        let evaluator = self.evaluators.get_mut(index).and_then(Option::as_mut);
        evaluator.map_or(Ok(None), |evaluator| evaluator.ownership(leaf))
    }

    fn evaluator(&mut self, index: usize) -> Result<&mut dyn Evaluator<G>, EvaluatorError> {
        match &mut self.evaluators[index] {
            Some(evaluator) => Ok(evaluator.as_mut()),
            None => Err(EvaluatorError::Device {
                device: self.ids[index].clone(),
                message: "an instant evaluator takes no batches; this is a bug in the task".into(),
            }),
        }
    }
}

impl<G: Game> Readers<G> {
    /// The answer of source `index`, if it has one at once; fills `priors` then.
    pub fn ask(&self, index: usize, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Answer {
        match &self.readers[index] {
            Reader::Instant(evaluator) => Answer::Instant(evaluator.evaluate(leaf, priors)),
            Reader::Cache(cache) => {
                let key = CacheKey { eval_key: leaf.eval_key, symmetry: leaf.symmetry };
                cache.get(key, priors).map_or(Answer::Missing, Answer::Cached)
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
