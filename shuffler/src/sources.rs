//! The shards of a run, and what becomes of damaged ones.

use std::collections::BTreeMap;

use anyhow::Context;
use dz_shard::ShardError;
use dz_stage::{StageContext, run_boards};
use dz_store::{ObjectRef, Stage, StoreError};

use crate::segments::Source;

/// The shards of a run that are there, oldest first.
#[derive(Debug)]
pub struct RunSources {
    /// All of them.
    pub all: Vec<Source>,
    /// How many at the end are of the newest cycle.
    new: usize,
    objects: Vec<ObjectRef>,
    /// Which board of the run each is of, by id.
    boards: BTreeMap<u64, usize>,
}

impl RunSources {
    /// The shards of cycles up to `cycle`, without those that were set aside, and without those of
    /// boards that the configuration has no more.
    ///
    /// # Errors
    /// If a shard is missing that was not set aside.
    pub fn of(context: &StageContext, cycle: u32) -> anyhow::Result<Self> {
        let mut sources =
            Self { all: Vec::new(), new: 0, objects: Vec::new(), boards: BTreeMap::new() };
        let boards = run_boards(&context.config).map(|board| Ok(board?.name));
        let boards = boards.collect::<anyhow::Result<Vec<_>>>()?;
        let state = context.ledger.state();
        // Ids count given-up shards too, so the ids of the others never change.
        let shards = state.shards().filter(|&(of, _)| of <= cycle);
        for (id, (of, shard)) in shards.enumerate() {
            let path = context.run.local_path(&shard.object);
            let board = boards.iter().position(|board| *board == shard.board);
            let Some(board) = board.filter(|_| !context.run.is_given_up(state, &shard.object))
            else {
                continue;
            };
            if !path.exists() {
                let root = context.run.root().display();
                let advice = format!(
                    "put a copy back, or enter the loss with `dagzero verify {root} --quarantine`: training then goes \
                     on without its games"
                );
                return Err(StoreError::NotFound { path: shard.object.path.clone(), advice }.into());
            }
            sources.new += usize::from(of == cycle);
            sources.boards.insert(id as u64, board);
            sources.all.push(Source { id: id as u64, games: shard.games, path });
            sources.objects.push(shard.object.clone());
        }
        Ok(sources)
    }

    /// The published files of the shards with an id below this, oldest first.
    pub fn before(&self, id: u64) -> impl Iterator<Item = &ObjectRef> {
        self.all.iter().zip(&self.objects).filter(move |(s, _)| s.id < id).map(|(_, object)| object)
    }

    /// Which board of the run the shard with this id is of: an index, 0 for the run's own.
    pub fn board(&self, id: u64) -> usize {
        self.boards.get(&id).copied().unwrap_or_default()
    }

    /// The newest cycle's shards.
    pub fn newest(&self) -> &[Source] {
        &self.all[self.all.len() - self.new..]
    }
}

/// Sets the shard that `error` is about aside for good. Returns the error if it is about something
/// else.
///
/// # Errors
/// `error` itself, or that the file cannot be moved.
pub fn set_aside_damaged(
    context: &StageContext,
    sources: &RunSources,
    error: anyhow::Error,
) -> anyhow::Result<()> {
    let path = error.chain().find_map(|cause| match cause.downcast_ref::<ShardError>() {
        Some(found @ ShardError::At { path, .. }) if found.is_bad_file() => Some(path.clone()),
        _ => None,
    });
    let damaged = path.and_then(|path| {
        let is_it = |source: &Source| source.path.display().to_string() == path;
        sources.all.iter().position(is_it)
    });
    let Some(damaged) = damaged else { return Err(error) };
    let object = &sources.objects[damaged];
    let to = context
        .run
        .move_to(&object.path, &context.run.set_aside_name(object))
        .with_context(|| format!("cannot set the damaged shard {object} aside"))?;
    context.events.note(
        Stage::Shuffler,
        format!(
            "{error:#}. It was moved to {to} and training goes on without its games; to have them \
             back, put a good copy at {object}"
        ),
    );
    Ok(())
}
