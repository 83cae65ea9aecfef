//! Per-step measurements: JSON lines beside the ledger, for reports only.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Result, StoreError};
use crate::layout::metrics_path;
use crate::seal::{SEAL_DIGITS_LINE, seal, unseal};
use crate::ways::{Writes, open_to_read};
use crate::{Run, Stage};

/// Appends to `metrics/<stage>.jsonl`. One writer: whoever holds the stage's lock.
#[derive(Debug)]
pub struct MetricsWriter {
    path: String,
    file: File,
}

impl MetricsWriter {
    /// Opens the stage's file; a line that a killed process left unfinished is cut off.
    pub fn open(run: &Run, stage: Stage) -> Result<Self> {
        let path = metrics_path(stage);
        let io = |e| StoreError::io(&path, e);
        let mut file = run.open_to_write(&path, Writes::Append)?;
        let whole = whole_lines(&mut file).map_err(io)?;
        file.set_len(whole).map_err(io)?;
        Ok(Self { path, file })
    }

    /// Writes one line, a JSON object. Not fsynced: after a power cut the last lines may be
    /// missing.
    pub fn write(&mut self, line: &impl Serialize) -> Result<()> {
        let object = serde_json::to_vec(line)
            .map_err(|e| StoreError::Invalid { what: format!("a line of {}: {e}", self.path) })?;
        let text = seal(&object, SEAL_DIGITS_LINE);
        self.file.write_all(&text).map_err(|e| StoreError::io(&self.path, e))
    }
}

/// Bytes up to the end of the last whole line, found from the end of the file.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const PIECE: u64 = 1 << 12;
    let mut end = file.seek(SeekFrom::End(0))?;
    while end > 0 {
        let begin = end.saturating_sub(PIECE);
        let mut piece = vec![0; (end - begin) as usize];
        file.seek(SeekFrom::Start(begin))?;
        file.read_exact(&mut piece)?;
        if let Some(at) = piece.iter().rposition(|&byte| byte == b'\n') {
            return Ok(begin + at as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

/// The whole lines of a file of metrics, each with its newline; an unfinished last one is left out.
fn metric_lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"))
}

/// The content of a line.
fn parse<T: DeserializeOwned>(line: &[u8]) -> std::result::Result<T, String> {
    let (object, _) = unseal(line, SEAL_DIGITS_LINE)?;
    serde_json::from_slice(&object).map_err(|error| error.to_string())
}

impl Run {
    /// How many whole lines of the stage's metrics are damaged: their hash is another one, or they
    /// are no JSON. Lines of earlier versions carry no hash.
    pub fn damaged_metrics(&self, stage: Stage) -> Result<usize> {
        let is_bad = |line: &&[u8]| parse::<serde_json::Value>(line).is_err();
        Ok(metric_lines(&self.metrics_file(stage)?).filter(is_bad).count())
    }

    /// The stage's metrics, oldest first; lines of another shape, damaged ones and an unfinished
    /// last one are left out. After a resume a step may appear twice: the later line counts.
    pub fn metrics<T: DeserializeOwned>(&self, stage: Stage) -> Result<Vec<T>> {
        let file = self.metrics_file(stage)?;
        Ok(metric_lines(&file).filter_map(|line| parse(line).ok()).collect())
    }

    /// As [`Self::metrics`], with the number of damaged lines among those looked at. Of a file of
    /// more than `bytes_max` bytes a sample is looked at: every so many lines, and all that contain
    /// `always`.
    pub fn sampled_metrics<T: DeserializeOwned>(
        &self,
        stage: Stage,
        bytes_max: usize,
        always: &str,
    ) -> Result<(Vec<T>, usize)> {
        let file = self.metrics_file(stage)?;
        let every = (file.len() / bytes_max.max(1)).max(1);
        let mut lines = Vec::new();
        let mut damaged = 0;
        for (number, line) in metric_lines(&file).enumerate() {
            let is_wanted =
                || line.windows(always.len().max(1)).any(|part| part == always.as_bytes());
            if !number.is_multiple_of(every) && !is_wanted() {
                continue;
            }
            match parse(line) {
                Ok(line) => lines.push(line),
                Err(_) => damaged += usize::from(parse::<serde_json::Value>(line).is_err()),
            }
        }
        Ok((lines, damaged))
    }

    /// The whole lines of the stage's file from byte `begin` on, where a line begins.
    pub(crate) fn metrics_after(&self, stage: Stage, begin: u64) -> Result<Vec<u8>> {
        let mut content = self.metrics_from(stage, begin)?;
        let end = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        content.truncate(end);
        Ok(content)
    }

    /// The stage's file; nothing where there is none yet.
    fn metrics_file(&self, stage: Stage) -> Result<Vec<u8>> {
        self.metrics_from(stage, 0)
    }

    /// The stage's file from byte `begin` on; nothing where the file is missing or shorter.
    fn metrics_from(&self, stage: Stage, begin: u64) -> Result<Vec<u8>> {
        let path = metrics_path(stage);
        match open_to_read(&self.root().join(&path)).and_then(|mut file| {
            let mut content = Vec::new();
            file.seek(SeekFrom::Start(begin))?;
            file.read_to_end(&mut content).map(|_| content)
        }) {
            Ok(content) => Ok(content),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(StoreError::io(path, e)),
        }
    }
}
