//! The home's side: what is new in the run goes to the mirror.

use std::collections::{BTreeMap, BTreeSet};

use super::head::{Extent, Head};
use super::origin::Origin;
use super::streams::{LOG, Tail, frame, metrics_stream, put_part};
use super::{MIRROR, MirrorError, config_path, expected_path, object_hash, object_path};
use crate::ledger::Record;
use crate::{Ledger, Mailbox, ObjectRef, Run, RunState, Stage, StoreError, layout};

/// The mirror of a run, kept up by its home.
///
/// ```
/// use dz_store::{Entry, Ledger, Mailbox, Mirror, Run, Stage, restore};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let run = Run::create(folder.join("run"), "format = 1\n")?;
/// let mut ledger = Ledger::open(&run)?;
/// # let hash = "0".repeat(64);
/// # run.put_create(&format!("config-history/{hash}.toml"), b"format = 1\n")?;
/// # ledger.claim(Stage::Driver)?;
/// # let (game, encoding, version) = ("g".into(), "e".into(), "1".into());
/// # let started =
/// #     Entry::RunStarted { format: 1, config_hash: hash, seed: 1, game, encoding, version };
/// # ledger.append(started)?;
/// ledger.claim(Stage::Selfplay)?;
/// let object = run.put_create("shards/cycle-0001/00000000.dzs", b"games")?;
/// let shard = Entry::Shard {
///     cycle: 1,
///     generation: 0,
///     number: 0,
///     games: 10,
///     positions: 90,
///     object,
///     board: None,
/// };
/// ledger.append(shard)?;
///
/// let mailbox = Mailbox::make(&folder.join("mailbox").display().to_string())?;
/// let mut mirror = Mirror::open(&mailbox, &run, 1)?;
/// mirror.advance(&|| false)?;
/// // The disk is lost; another machine has all of it.
/// restore(&mailbox, &folder.join("other"))?;
/// let other = Ledger::open(&Run::open(folder.join("other"))?)?;
/// assert_eq!(other.state().games(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Mirror {
    mailbox: Mailbox,
    run: Run,
    ledger: Ledger,
    head: Head,
    /// The hash of each stream so far.
    hashes: BTreeMap<String, blake3::Hasher>,
    /// Newest parts of each stream, which will be one part some day.
    tails: BTreeMap<String, Tail>,
    /// Hashes of the objects that the mirror has.
    objects: BTreeSet<String>,
    /// Hashes of those that a run with the mirrored records needs, once something was mirrored.
    wanted: Option<BTreeSet<String>>,
    /// Whether heads of earlier epochs may be there.
    has_earlier: bool,
}

impl Mirror {
    /// Opens the mirror that `mailbox` has of `run`, or begins one. `epoch` is the home's.
    ///
    /// # Errors
    /// [`MirrorError::Diverged`] if the mirror has records that the run has not, and what mailbox
    /// and run report.
    pub fn open(mailbox: &Mailbox, run: &Run, epoch: u64) -> Result<Self, MirrorError> {
        let ledger = Ledger::open(run)?;
        let found = Head::newest(mailbox)?.unwrap_or_else(|| Head::empty(epoch));
        let diverged = || MirrorError::Diverged {
            address: mailbox.address().to_owned(),
            dir: run.root().display().to_string(),
        };
        if found.epoch > epoch {
            return Err(diverged());
        }
        let (found, log) = match log_of(run, ledger.state().number, &found)? {
            Some(log) => (found, log),
            // The previous home wrote a little more before it ended. This run continues from the
            // restored state, and its streams begin again.
            None if Origin::of(run).is_some_and(|origin| origin.epoch == found.epoch) => {
                (Head::empty(epoch), blake3::Hasher::new())
            }
            None => return Err(diverged()),
        };
        let listed = mailbox.list(&format!("{MIRROR}/objects"))?;
        let objects = listed.iter().filter_map(|found| object_hash(&found.path)).map(str::to_owned);
        let mut mirror = Self {
            mailbox: mailbox.clone(),
            run: run.clone(),
            ledger,
            head: Head { epoch, ..found },
            hashes: BTreeMap::from([(LOG.to_owned(), log)]),
            tails: BTreeMap::new(),
            objects: objects.collect(),
            wanted: None,
            has_earlier: true,
        };
        for stage in Stage::WORKERS {
            mirror.open_metrics(stage)?;
        }
        Ok(mirror)
    }

    /// Goes on with a stage's metrics, or begins them again where a power cut took lines that were
    /// mirrored.
    fn open_metrics(&mut self, stage: Stage) -> Result<(), MirrorError> {
        let stream = metrics_stream(stage);
        let extent = self.head.extent_of(&stream);
        let content = self.run.metrics_after(stage, 0)?;
        let mut hash = blake3::Hasher::new();
        hash.update(&content[..content.len().min(extent.bytes as usize)]);
        if Extent::of(extent.bytes, &hash) == extent {
            self.hashes.insert(stream, hash);
        } else {
            self.head.streams.remove(&stream);
        }
        Ok(())
    }

    /// Records of the run that are mirrored.
    pub const fn records(&self) -> u64 {
        self.head.records
    }

    /// Brings the mirror to the newest record, object by object, until `stops` returns true.
    /// Returns whether it is there. What no run needs any more stays until
    /// [`Self::remove_needless`].
    ///
    /// # Errors
    /// What mailbox and run report. The same call goes on where it stopped.
    pub fn advance(&mut self, stops: &dyn Fn() -> bool) -> Result<bool, MirrorError> {
        loop {
            self.ledger.poll()?;
            let state = self.ledger.state();
            let number = state.number;
            if number == self.head.records {
                return Ok(true);
            }
            let given_up = self.given_up(state)?;
            let wanted = wanted(state, &given_up);
            let is_missing = |object: &&ObjectRef| !self.objects.contains(&object.blake3);
            let missing: Vec<ObjectRef> =
                wanted.values().copied().filter(is_missing).cloned().collect();
            let wanted: BTreeSet<String> = wanted.into_keys().map(str::to_owned).collect();
            let mut is_outdated = false;
            for object in missing {
                if stops() {
                    return Ok(false);
                }
                is_outdated |= !self.put_object(&object)?;
            }
            if is_outdated {
                continue;
            }
            self.put_records(number, given_up)?;
            self.wanted = Some(wanted);
        }
    }

    /// Uploads an object of the run. Returns false if it is gone and the ledger has gone on:
    /// retention removes what newer records make needless.
    fn put_object(&mut self, object: &ObjectRef) -> Result<bool, MirrorError> {
        let content = match self.run.get(object) {
            Ok(content) => content,
            Err(error @ StoreError::NotFound { .. }) => {
                let is_newer = !self.ledger.poll()?.is_empty();
                return if is_newer { Ok(false) } else { Err(error.into()) };
            }
            Err(error) => return Err(error.into()),
        };
        self.mailbox.replace(&object_path(&object.blake3), &content)?;
        self.objects.insert(object.blake3.clone());
        Ok(true)
    }

    /// Publishes the records up to number `last`, whose objects are there, and what else is new.
    fn put_records(&mut self, last: u64, given_up: BTreeSet<String>) -> Result<(), MirrorError> {
        let mut head = Head { records: last, given_up, ..self.head.clone() };
        let mut hashes = self.hashes.clone();
        let mut records = Vec::new();
        for number in self.head.records + 1..=last {
            records.extend_from_slice(&frame(&self.run.read(&layout::log_path(number))?));
        }
        self.put_texts(self.head.records, last)?;
        let mut fresh = vec![(LOG.to_owned(), records)];
        for stage in Stage::WORKERS {
            let stream = metrics_stream(stage);
            let lines = self.run.metrics_after(stage, head.extent_of(&stream).bytes)?;
            fresh.push((stream, lines));
        }
        for (stream, part) in fresh.into_iter().filter(|(_, part)| !part.is_empty()) {
            let begin = head.extent_of(&stream).bytes;
            put_part(&self.mailbox, &stream, begin, head.epoch, &part)?;
            let hash = hashes.entry(stream.clone()).or_default();
            hash.update(&part);
            head.streams.insert(stream.clone(), Extent::of(begin + part.len() as u64, hash));
            // The same part again where publishing failed before.
            let tail = self.tails.entry(stream).or_insert_with(|| Tail::at(begin));
            tail.put(begin, &part);
        }
        head.publish(&self.mailbox)?;
        for (stream, tail) in &mut self.tails {
            tail.merge(&self.mailbox, stream, head.epoch)?;
        }
        if self.has_earlier {
            head.remove_earlier(&self.mailbox)?;
            self.has_earlier = false;
        }
        (self.head, self.hashes) = (head, hashes);
        Ok(())
    }

    /// Uploads the configurations that the records after `before` name, and with the first of them
    /// what runs of the preset have reached.
    fn put_texts(&self, before: u64, last: u64) -> Result<(), MirrorError> {
        if before == 0
            && let Ok(text) = self.run.read(layout::EXPECTED)
        {
            self.mailbox.replace(&expected_path(), &text)?;
        }
        for number in before + 1..=last {
            let Some(config_hash) = config_hash_of(&self.run, number)? else { continue };
            let Some(path) = layout::config_history_path(&config_hash) else { continue };
            let text = self.run.read(&path)?;
            self.mailbox.replace(&config_path(&config_hash), &text)?;
        }
        Ok(())
    }

    /// Whether there are objects that no run with the mirrored records needs.
    pub fn has_needless(&self) -> bool {
        self.needless().next().is_some()
    }

    /// Removes objects that no run with the mirrored records needs. A home that was taken over must
    /// not do that: the next one may have gone on from fewer records, and need them.
    ///
    /// # Errors
    /// What the mailbox reports.
    pub fn remove_needless(&mut self) -> Result<(), MirrorError> {
        let needless: BTreeSet<String> = self.needless().cloned().collect();
        if !needless.is_empty() {
            let paths: Vec<String> = needless.iter().map(|blake3| object_path(blake3)).collect();
            self.mailbox.delete_all(&paths)?;
            self.objects.retain(|blake3| !needless.contains(blake3));
        }
        Ok(())
    }

    fn needless(&self) -> impl Iterator<Item = &String> {
        let wanted = self.wanted.as_ref();
        let is_needless =
            move |blake3: &&String| wanted.is_some_and(|wanted| !wanted.contains(*blake3));
        self.objects.iter().filter(is_needless)
    }

    /// Paths of shards that were lost or set aside.
    fn given_up(&self, state: &RunState) -> Result<BTreeSet<String>, StoreError> {
        if !self.run.has_set_aside()? {
            return Ok(BTreeSet::new());
        }
        let shards = state.shards().map(|(_, shard)| &shard.object);
        let lost = shards.filter(|shard| self.run.is_given_up(state, shard));
        Ok(lost.map(|shard| shard.path.clone()).collect())
    }
}

/// The hash of the records that a head has, or none if the run with `records` has other ones.
fn log_of(run: &Run, records: u64, head: &Head) -> Result<Option<blake3::Hasher>, MirrorError> {
    if head.records > records {
        return Ok(None);
    }
    let mut log = blake3::Hasher::new();
    for number in 1..=head.records {
        log.update(&frame(&run.read(&layout::log_path(number))?));
    }
    let extent = head.extent_of(LOG);
    Ok((Extent::of(extent.bytes, &log) == extent).then_some(log))
}

/// The configuration that a record of the run names, if it names one.
fn config_hash_of(run: &Run, number: u64) -> Result<Option<String>, MirrorError> {
    let path = layout::log_path(number);
    let (record, _) =
        Record::from_bytes(&run.read(&path)?).map_err(|what| StoreError::damaged(path, what))?;
    Ok(record.entry.config_hash().map(str::to_owned))
}

/// The objects that a run in this state needs, by hash.
pub(super) fn wanted<'a>(
    state: &'a RunState,
    given_up: &BTreeSet<String>,
) -> BTreeMap<&'a str, &'a ObjectRef> {
    objects_of(state, given_up).map(|object| (object.blake3.as_str(), object)).collect()
}

/// The objects that a run in this state needs, by path.
pub(super) fn objects_of<'a>(
    state: &'a RunState,
    given_up: &BTreeSet<String>,
) -> impl Iterator<Item = &'a ObjectRef> {
    let expendable = state.expendable();
    state.objects().filter(move |object| {
        !expendable.contains(object.path.as_str()) && !given_up.contains(&object.path)
    })
}
