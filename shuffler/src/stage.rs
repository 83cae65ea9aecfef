//! The stage: one turn is one cycle's rows.

use std::{collections::BTreeSet, time::Instant};

use anyhow::{Context, ensure};
use dz_config::RunConfig;
use dz_shard::RowSet;
use dz_shard::container::Footer;
use dz_stage::{Progress, Rates, Spent, StageContext};
use dz_store::{Entry, ObjectRef, RowsSummary, Stage, Staged, layout};

use crate::{
    Mixer, RowCounts, Sample, Window, WindowLaw,
    boards::BoardShufflers,
    budget::keep_budget,
    sources::{RunSources, set_aside_damaged},
};

/// Removes old rows that an earlier process did not remove because it was killed after its turn.
///
/// # Errors
/// What the store reports.
pub fn start(context: &mut StageContext) -> anyhow::Result<()> {
    delete_old_rows(context)
}

/// Makes the rows of a cycle and closes the turn.
///
/// # Errors
/// The errors of the store, or a segment file that differs when it is read back. Damaged shards are
/// set aside with a note, and the window goes on without them.
pub fn run(context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
    dz_stage::start_threads(context.config.run.threads)?;
    let spent = Spent::open(&context.run, Stage::Shuffler, cycle, Instant::now());
    let folder = context.run.work_dir(Stage::Shuffler)?;
    let mut shufflers = BoardShufflers::open(&context.config, &folder)?;
    let Some(files) = row_files(context, cycle, &mut shufflers, &spent)? else {
        return Ok(());
    };
    let RowFiles { window, new_rows, train, validation, rows } = files;
    let summary = RowsSummary {
        new_rows,
        window_rows: window.train_rows,
        window_games: window.games,
        train_rows: rows[0],
        validation_rows: rows[1],
        wall_ms: spent.wall_ms(),
    };
    let line = line(&summary);
    context.ledger.append(Entry::Rows { cycle, train, validation, summary })?;
    shufflers.expire(&window)?;
    delete_old_rows(context)?;
    context.events.turn_done(Stage::Shuffler, cycle, line);
    Ok(())
}

impl WindowLaw {
    /// The law of a run.
    pub fn of(config: &RunConfig) -> Self {
        let window = &config.window;
        Self {
            rows_min: window.rows_min,
            rows_max: window.rows_max,
            exponent: window.exponent,
            rows_per_new_row: window.rows_per_new_row,
            scale: window.scale,
        }
    }
}

impl RowCounts {
    /// The counts of a run.
    pub fn of(config: &RunConfig) -> Self {
        let training = &config.training;
        Self {
            rows_per_new_row: training.rows_per_new_row,
            rows_max: training.rows_max,
            validation_rows_max: training.validation_rows_max,
        }
    }
}

/// The row files of a cycle, published.
struct RowFiles {
    window: Window,
    new_rows: u64,
    train: Vec<ObjectRef>,
    validation: Vec<ObjectRef>,
    /// Rows to train and to validate on.
    rows: [u64; 2],
}

/// Both passes; `None` if a stop was requested. A segment that turns out to be damaged in pass 2 is
/// made again, once.
fn row_files(
    context: &mut StageContext,
    cycle: u32,
    shufflers: &mut BoardShufflers,
    spent: &Spent,
) -> anyhow::Result<Option<RowFiles>> {
    let mut made_again = BTreeSet::new();
    loop {
        let Some(prepared) = prepare(context, cycle, shufflers)? else { return Ok(None) };
        // Space is freed before the new rows are written.
        keep_budget(context, cycle, &prepared.window)?;
        let error = match mix(context, shufflers, &prepared, spent) {
            Ok((files, rows)) => {
                let [train, validation] = files;
                let Prepared { window, new_rows, .. } = prepared;
                return Ok(Some(RowFiles { window, new_rows, train, validation, rows }));
            }
            Err(error) => error,
        };
        let text = format!("{error:#}");
        let id = shufflers.remove_damaged(error)?;
        ensure!(made_again.insert(id), "{text}; it was made again and is damaged once more");
        context.events.note(Stage::Shuffler, format!("{text}. It is made again from its shard"));
    }
}

/// What pass 1 made.
struct Prepared {
    window: Window,
    /// Which board each file of the window is of.
    boards: Vec<usize>,
    new_rows: u64,
}

/// Pass 2: the window's rows as published files for training and validation, the boards one after
/// another, and how many rows each set has.
fn mix(
    context: &StageContext,
    shufflers: &BoardShufflers,
    prepared: &Prepared,
    spent: &Spent,
) -> anyhow::Result<([Vec<ObjectRef>; 2], [u64; 2])> {
    let Prepared { window, boards, new_rows } = prepared;
    let config = &context.config;
    let counts = RowCounts::of(config);
    let wanted = if is_of_records(context, spent.cycle()) {
        counts.epochs_rows(config.training.import_epochs, window.train_rows)
    } else if config.reinforce_phase(spent.cycle()).is_some() {
        counts.epochs_rows(1, window.train_rows)
    } else {
        counts.train_rows(*new_rows, window.train_rows)
    };
    let seed = config.run.seed;
    let cycle = u64::from(spent.cycle());
    let train = Sample::passes(seed, cycle, RowSet::Train, &window.files, wanted);
    // The hash leaves out the cycle, so that most validation rows stay the same from cycle to
    // cycle.
    let rows = counts.validation_rows_max;
    let validation = vec![Sample::new(seed, 0, RowSet::Validation, &window.files, rows)];
    let sets = [train, validation];
    let rows = sets.each_ref().map(|samples| samples.iter().map(|sample| sample.rows).sum::<u64>());
    let mut publisher =
        Publisher { context, spent, total: rows[0] + rows[1], done: 0, objects: Vec::new() };
    let mut files = Vec::new();
    for samples in sets {
        for board in 0..shufflers.count() {
            let samples: Vec<Sample> = samples
                .iter()
                .map(|sample| sample.of_files(|file| boards[file as usize] == board))
                .collect();
            let mixer = Mixer {
                header: shufflers.header(board),
                window: &window.files,
                mixed_rows: config.shuffle.bucket_rows,
                rows_per_file: config.shuffle.rows_per_file,
                first_file: publisher.objects.len() as u64,
            };
            publisher.publish(&mixer, &samples)?;
        }
        files.push(std::mem::take(&mut publisher.objects));
    }
    let validation = files.pop().unwrap_or_default();
    let train = files.pop().unwrap_or_default();
    Ok(([train, validation], rows))
}

/// Whether the games of a cycle were read from records.
fn is_of_records(context: &StageContext, cycle: u32) -> bool {
    let done = context.ledger.state().cycle_state(cycle).and_then(|now| now.games_done.as_ref());
    done.is_some_and(|done| done.summary.is_of_records())
}

/// Pass 1 for new shards, and the window of all boards; `None` if a stop was requested. Damaged
/// shards are set aside, and the window is computed again without them.
fn prepare(
    context: &StageContext,
    cycle: u32,
    shufflers: &mut BoardShufflers,
) -> anyhow::Result<Option<Prepared>> {
    let state = context.ledger.state();
    let earlier_rows: u64 = state
        .cycles
        .range(..cycle)
        .filter_map(|(_, earlier)| Some(earlier.rows.as_ref()?.summary.new_rows))
        .sum();
    loop {
        let sources = RunSources::of(context, cycle)?;
        let result = (|| {
            let mut new_rows = 0;
            for source in sources.newest() {
                if context.stop.requested() {
                    return Ok(None);
                }
                new_rows += shufflers.segments(&sources, source)?.train.total();
            }
            let mut law = WindowLaw::of(&context.config);
            if is_of_records(context, cycle) {
                // Records have no age, so the window holds all of them.
                law.rows_min = law.rows_max;
            } else if context.config.reinforce_phase(cycle).is_some() {
                // Policy gradient and value regression learn from the newest network's games alone.
                (law.rows_min, law.rows_max) = (new_rows, new_rows);
            }
            let window = shufflers.window(&law, &sources, earlier_rows + new_rows)?;
            let boards = window.files.iter().map(|file| sources.board(file.id)).collect();
            Ok(Some(Prepared { window, boards, new_rows }))
        })();
        match result {
            Ok(prepared) => return Ok(prepared),
            Err(error) => set_aside_damaged(context, &sources, error)?,
        }
    }
}

/// Writes the sampled rows as published files, and reports that. A kill leaves files that no entry
/// names: they are swept, or found equal by the next try.
struct Publisher<'a> {
    context: &'a StageContext,
    spent: &'a Spent,
    /// Rows to write in all, and those written.
    total: u64,
    done: u64,
    /// The files of the set.
    objects: Vec<ObjectRef>,
}

impl Publisher<'_> {
    fn publish(&mut self, mixer: &Mixer<'_>, samples: &[Sample]) -> anyhow::Result<()> {
        let is_validation = samples.iter().any(|sample| sample.set == RowSet::Validation);
        let name = if is_validation { "validation" } else { "train" };
        let Self { context, spent, .. } = *self;
        let create = |number| {
            let path = layout::rows_path(spent.cycle(), name, number);
            Ok(context.run.create_file(&path)?)
        };
        let finish = |file: Staged, footer: Footer| {
            self.objects.push(file.publish()?);
            self.done += footer.positions;
            self.progress();
            Ok(())
        };
        mixer.write(samples, create, finish).with_context(|| format!("writing the {name} rows"))
    }

    fn progress(&self) {
        self.spent.note(|| ());
        let seconds = (self.spent.wall_ms() as f64 / 1000.0).max(1e-3);
        self.context.events.progress(Progress {
            stage: Stage::Shuffler,
            cycle: self.spent.cycle(),
            generation: self.context.ledger.state().generation(),
            done: self.done,
            total: self.total,
            unit: "rows".to_owned(),
            rates: Rates::from([("rows/s".to_owned(), self.done as f64 / seconds)]),
        });
    }
}

/// Deletes rows that were trained on, except those of the newest `storage.rows_keep_cycles` cycles.
fn delete_old_rows(context: &StageContext) -> anyhow::Result<()> {
    let keep = context.config.storage.rows_keep_cycles as usize;
    let there: BTreeSet<String> = context.run.list(layout::ROWS)?.into_iter().collect();
    for rows in context.ledger.state().rows_left_behind(keep) {
        for object in rows.train.iter().chain(&rows.validation) {
            if there.contains(&object.path) {
                context.run.delete(&object.path)?;
            }
        }
    }
    Ok(())
}

fn line(summary: &RowsSummary) -> String {
    let seconds = (summary.wall_ms as f64 / 1000.0).max(1e-3);
    let rate =
        dz_stage::number_text((summary.train_rows + summary.validation_rows) as f64 / seconds);
    let [new, window, games, train, validation] = [
        summary.new_rows,
        summary.window_rows,
        summary.window_games,
        summary.train_rows,
        summary.validation_rows,
    ]
    .map(dz_stage::count_text);
    format!(
        "{new} new rows, window {window} rows of {games} games; {train} rows to train on, \
         {validation} to validate on, {rate} rows/s"
    )
}
