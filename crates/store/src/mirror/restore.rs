//! The other side: a run from its mirror.

use std::collections::BTreeSet;
use std::path::Path;

use super::head::Head;
use super::origin::Origin;
use super::streams::{LOG, metrics_stream, read_stream, unframe};
use super::upload::objects_of;
use super::{MirrorError, TEXT_BYTES_MAX, config_path, expected_path, object_path};
use crate::layout::{config_history_path, log_path, metrics_path};
use crate::ledger::Record;
use crate::{Mailbox, ObjectRef, Run, RunState, Stage, layout};

/// What was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Records.
    pub records: u64,
    /// Objects.
    pub objects: u64,
    /// Bytes of these objects.
    pub bytes: u64,
}

/// Makes the run at `dir`, which must not be there, from its mirror: it has the bytes that the run
/// had at the mirror's newest record.
///
/// # Errors
/// [`MirrorError::None`] where there is no mirror, [`MirrorError::Damaged`], and the errors of
/// mailbox and disk. Files written so far stay. Another restore needs another folder.
pub fn restore(mailbox: &Mailbox, dir: &Path) -> Result<Restored, MirrorError> {
    let none = || MirrorError::None { address: mailbox.address().to_owned() };
    let mut source = Source::read(mailbox)?.ok_or_else(none)?;
    let hash = source.state.config_hash.clone();
    let text = text_of(mailbox, &config_path(&hash))?;
    let run = Run::create(dir, &text)?;
    let mut done = BTreeSet::new();
    while let Some(missing) = fetch(mailbox, &run, &source, &mut done)? {
        // The home went on meanwhile, and removed what it needs no more.
        let newer = Source::read(mailbox)?.ok_or_else(none)?;
        if newer.head == source.head {
            let path = object_path(&missing.blake3);
            return Err(MirrorError::damaged(path, format!("{missing} is not there")));
        }
        source = newer;
    }
    for path in &source.head.given_up {
        let shard = source.state.objects().find(|object| object.path == *path);
        if let Some(shard) = shard.filter(|_| !source.state.expired.contains(path)) {
            run.enter_loss(shard)?;
        }
    }
    put_texts(mailbox, &run, &source)?;
    Origin { epoch: source.head.epoch }.write(&run)?;
    for (number, record) in (1..).zip(&source.records) {
        run.put_create(&log_path(number), record)?;
    }
    let kept: Vec<&ObjectRef> = objects_of(&source.state, &source.head.given_up).collect();
    Ok(Restored {
        records: source.head.records,
        objects: kept.len() as u64,
        bytes: kept.iter().map(|object| object.bytes).sum(),
    })
}

/// What counts of a mirror, but for its objects.
struct Source {
    head: Head,
    /// The files of the records, in order.
    records: Vec<Vec<u8>>,
    state: RunState,
    /// Each stage's metrics.
    metrics: Vec<(Stage, Vec<u8>)>,
}

impl Source {
    /// Reads it. Reads again if the home has merged, in the meantime, the parts that are being
    /// read.
    fn read(mailbox: &Mailbox) -> Result<Option<Self>, MirrorError> {
        let Some(mut head) = Head::newest(mailbox)? else { return Ok(None) };
        loop {
            let error = match Self::of(mailbox, &head) {
                Ok(source) => return Ok(Some(source)),
                Err(error) => error,
            };
            let newer = Head::newest(mailbox)?;
            match newer.filter(|newer| *newer != head) {
                Some(newer) => head = newer,
                None => return Err(error),
            }
        }
    }

    fn of(mailbox: &Mailbox, head: &Head) -> Result<Self, MirrorError> {
        let stream = read_stream(mailbox, LOG, &head.extent_of(LOG))?;
        let damaged = |what: String| MirrorError::damaged(format!("the stream {LOG}"), what);
        let records = unframe(&stream).map_err(damaged)?;
        let mut state = RunState::default();
        for (number, bytes) in (1..).zip(&records) {
            let (record, _) = Record::from_bytes(bytes).map_err(damaged)?;
            let skips = state.skips_cycles(&record);
            if record.number != number || skips.is_some() {
                return Err(damaged(format!("record {number} does not follow its former")));
            }
            state.apply(&record);
        }
        if state.number != head.records {
            return Err(damaged(format!("it has {} records", state.number)));
        }
        let records = records.into_iter().map(<[u8]>::to_vec).collect();
        let metrics = Stage::WORKERS.into_iter().map(|stage| {
            let stream = metrics_stream(stage);
            Ok((stage, read_stream(mailbox, &stream, &head.extent_of(&stream))?))
        });
        let metrics = metrics.collect::<Result<_, MirrorError>>()?;
        Ok(Self { head: head.clone(), records, state, metrics })
    }
}

/// Fetches the objects that are not `done` yet; returns one that is not in the mirror.
fn fetch(
    mailbox: &Mailbox,
    run: &Run,
    source: &Source,
    done: &mut BTreeSet<String>,
) -> Result<Option<ObjectRef>, MirrorError> {
    for object in objects_of(&source.state, &source.head.given_up) {
        if done.contains(&object.path) {
            continue;
        }
        let path = object_path(&object.blake3);
        let Some(content) = mailbox.get(&path, object.bytes)? else {
            return Ok(Some(object.clone()));
        };
        if ObjectRef::of(&*object.path, &content) != *object {
            return Err(MirrorError::damaged(path, "its bytes have another hash than its name"));
        }
        run.put_create(&object.path, &content)?;
        done.insert(object.path.clone());
    }
    Ok(None)
}

/// Writes the configurations that the run has had, its metrics, and what runs of its preset have
/// reached.
fn put_texts(mailbox: &Mailbox, run: &Run, source: &Source) -> Result<(), MirrorError> {
    for bytes in &source.records {
        let damaged = |what: String| MirrorError::damaged(format!("the stream {LOG}"), what);
        let (record, _) = Record::from_bytes(bytes).map_err(damaged)?;
        let Some(hash) = record.entry.config_hash() else { continue };
        if let Some(path) = config_history_path(hash) {
            run.put_create(&path, text_of(mailbox, &config_path(hash))?.as_bytes())?;
        }
    }
    if let Some(text) = mailbox.get(&expected_path(), TEXT_BYTES_MAX)? {
        run.replace(layout::EXPECTED, &text)?;
    }
    for (stage, content) in source.metrics.iter().filter(|(_, content)| !content.is_empty()) {
        run.replace(&metrics_path(*stage), content)?;
    }
    Ok(())
}

fn text_of(mailbox: &Mailbox, path: &str) -> Result<String, MirrorError> {
    let bytes = mailbox.get(path, TEXT_BYTES_MAX)?;
    let bytes = bytes.ok_or_else(|| MirrorError::damaged(path, "it is not there"))?;
    String::from_utf8(bytes.into()).map_err(|_| MirrorError::damaged(path, "it is no text"))
}
