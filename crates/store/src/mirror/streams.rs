//! Streams of a mirror: what only grows, in parts.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::head::Extent;
use super::{MIRROR, MirrorError};
use crate::{Mailbox, MailboxError, Stage};

/// The stream of the ledger's records.
pub(super) const LOG: &str = "log";
/// Longest part, in bytes.
const PART_BYTES_MAX: u64 = 512 << 20;

/// The stream of a stage's metrics.
pub(super) fn metrics_stream(stage: Stage) -> String {
    format!("metrics-{stage}")
}

fn folder(stream: &str) -> String {
    format!("{MIRROR}/streams/{stream}")
}

/// A record in the stream: its length, a newline, and its file.
pub(super) fn frame(record: &[u8]) -> Vec<u8> {
    [format!("{}\n", record.len()).as_bytes(), record].concat()
}

/// The records in a stream.
///
/// # Errors
/// In words, if it is none.
pub(super) fn unframe(mut stream: &[u8]) -> Result<Vec<&[u8]>, String> {
    let mut records = Vec::new();
    while !stream.is_empty() {
        let wrong = || format!("record {} has no length", records.len() + 1);
        let end = stream.iter().take(24).position(|&byte| byte == b'\n').ok_or_else(wrong)?;
        let length = std::str::from_utf8(&stream[..end]).ok().and_then(|text| text.parse().ok());
        let rest = &stream[end + 1..];
        let (record, after) =
            length.and_then(|length| rest.split_at_checked(length)).ok_or_else(wrong)?;
        records.push(record);
        stream = after;
    }
    Ok(records)
}

/// Parts that are merged into one: a restore reads them one after another.
const MERGED_PARTS: usize = 256;

/// The newest parts of a stream, from byte `begin` on.
#[derive(Debug)]
pub(super) struct Tail {
    begin: u64,
    /// Where each part begins.
    offsets: Vec<u64>,
    content: Vec<u8>,
}

impl Tail {
    pub(super) const fn at(begin: u64) -> Self {
        Self { begin, offsets: Vec::new(), content: Vec::new() }
    }

    /// Notes the part that begins at this offset.
    pub(super) fn put(&mut self, offset: u64, part: &[u8]) {
        self.content.truncate((offset - self.begin) as usize);
        self.offsets.retain(|before| *before < offset);
        self.offsets.push(offset);
        self.content.extend_from_slice(part);
    }

    /// Makes one part of many. Whoever reads meanwhile may find a part gone, and reads again.
    ///
    /// # Errors
    /// What the mailbox reports.
    pub(super) fn merge(
        &mut self,
        mailbox: &Mailbox,
        stream: &str,
        epoch: u64,
    ) -> Result<(), MailboxError> {
        if self.offsets.len() < MERGED_PARTS {
            return Ok(());
        }
        put_part(mailbox, stream, self.begin, epoch, &self.content)?;
        let merged = self.offsets.iter().filter(|offset| **offset != self.begin);
        let merged: Vec<String> = merged.map(|offset| part_path(stream, *offset, epoch)).collect();
        mailbox.delete_all(&merged)?;
        *self = Self::at(self.begin + self.content.len() as u64);
        Ok(())
    }
}

fn part_path(stream: &str, offset: u64, epoch: u64) -> String {
    format!("{}/{offset:016}.{epoch:08}", folder(stream))
}

/// Puts the part of a stream that begins at this offset.
///
/// # Errors
/// What the mailbox reports.
pub(super) fn put_part(
    mailbox: &Mailbox,
    stream: &str,
    offset: u64,
    epoch: u64,
    bytes: &[u8],
) -> Result<(), MailboxError> {
    mailbox.replace(&part_path(stream, offset, epoch), bytes)
}

/// Offset and epoch of a part.
fn part_of(path: &str, stream: &str) -> Option<(u64, u64)> {
    let name = path.strip_prefix(&folder(stream))?.strip_prefix('/')?;
    let (offset, epoch) = name.split_once('.')?;
    Some((offset.parse().ok()?, epoch.parse().ok()?))
}

/// What of a stream counts.
///
/// # Errors
/// What the mailbox reports, and [`MirrorError::Damaged`] where a part is missing or another one.
pub(super) fn read_stream(
    mailbox: &Mailbox,
    stream: &str,
    extent: &Extent,
) -> Result<Vec<u8>, MirrorError> {
    let folder = folder(stream);
    let listed = mailbox.list(&folder)?;
    // By path: of one offset the highest epoch comes last, and that one counts.
    let parts = listed.iter().filter_map(|found| {
        let (offset, _) = part_of(&found.path, stream)?;
        Some((offset, &found.path))
    });
    let parts: BTreeMap<u64, &String> = parts.collect();
    let mut content = Vec::new();
    while (content.len() as u64) < extent.bytes {
        let missing = || {
            let what = format!("its part at byte {} is missing", content.len());
            MirrorError::damaged(&folder, what)
        };
        let path = *parts.get(&(content.len() as u64)).ok_or_else(missing)?;
        let part: Bytes = mailbox.get(path, PART_BYTES_MAX)?.ok_or_else(missing)?;
        if part.is_empty() {
            return Err(MirrorError::damaged(path, "it is empty"));
        }
        content.extend_from_slice(&part);
    }
    let is_right = content.len() as u64 == extent.bytes
        && blake3::hash(&content).to_hex().as_str() == extent.blake3;
    if !is_right {
        return Err(MirrorError::damaged(folder, "it does not agree with its head"));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_any_bytes_come_back() {
        let records: [&[u8]; 4] = [b"{}\n", b"", b"7\n", b"{\n}"];
        let stream: Vec<u8> = records.iter().flat_map(|record| frame(record)).collect();
        assert_eq!(unframe(&stream).unwrap(), records);
        for wrong in ["3\nab", "x\nab", "3", "-1\na", "99999999999999999999999999\n"] {
            assert!(unframe(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
