//! A run's numbers as event files that TensorBoard reads.
//!
//! Formats, from TensorFlow's sources: a file is a row of records (`tsl/lib/io/record_writer.h`):
//! length, masked CRC-32C of the length, bytes, masked CRC-32C of the bytes; the bytes are a
//! protobuf `Event` (`tsl/protobuf/event.proto`: field 1 `wall_time`, a double; 2 `step`, an int64;
//! 3 `file_version`, a string; 5 `summary`) whose `Summary` has values (1) of `tag` (1, a string)
//! and `simple_value` (2, a float).

use dz_aux_heads::Head;

use crate::facts::CycleFacts;
use crate::report::Report;

/// What every event file begins with.
const FILE_VERSION: &str = "brain.Event:2";

impl Report {
    /// The bytes of an event file: a scalar a cycle and tag with the cycle as its step, and the
    /// losses of training by step.
    pub fn to_tensorboard(&self) -> Vec<u8> {
        let mut events = Events::default();
        let begun = seconds(self.run.started_unix_ms);
        events.push(begun, 0, &Content::Version(FILE_VERSION));
        for facts in &self.cycles {
            let wall = seconds(facts.newest_unix_ms);
            for (tag, value) in self.scalars(facts) {
                events.push(wall, i64::from(facts.cycle), &Content::Scalar(&tag, value as f32));
            }
        }
        let end = seconds(self.run.newest_unix_ms);
        let steps = &self.measures.steps;
        for (place, point) in steps.iter().enumerate() {
            // The trainer's lines have no time; they are spread over the run.
            let wall = begun + (end - begun) * (place + 1) as f64 / steps.len() as f64;
            for (tag, value) in [
                ("step/policy_loss", point.policy_loss),
                ("step/value_loss", point.value_loss),
                ("step/policy_target_entropy", point.policy_entropy),
            ] {
                events.push(wall, point.step as i64, &Content::Scalar(tag, value as f32));
            }
        }
        events.bytes
    }

    /// Tags and values of a cycle; only what it has.
    fn scalars(&self, facts: &CycleFacts) -> Vec<(String, f64)> {
        let mut out = Vec::new();
        let mut add = |tag: &str, value: Option<f64>| {
            if let Some(value) = value.filter(|value| value.is_finite()) {
                out.push((tag.to_owned(), value));
            }
        };
        let point = self.curve.iter().find(|point| point.cycle == facts.cycle);
        add("elo/champion", point.map(|point| point.elo));
        add("elo/error95", point.map(|point| point.error95));
        let verdict = facts.verdict.as_ref();
        add("gate/score", verdict.and_then(|v| v.score));
        add("gate/accepted", verdict.map(|v| f64::from(u8::from(v.accepted))));
        let losses = facts.losses.as_ref();
        add("loss/policy_train", losses.map(|l| l.policy));
        add("loss/value_train", losses.map(|l| l.value));
        add("loss/policy_validation", losses.and_then(|l| l.validation_policy));
        add("loss/value_validation", losses.and_then(|l| l.validation_value));
        add("loss/value_mse_train", losses.and_then(|l| l.value_mse));
        add("loss/value_mse_validation", losses.and_then(|l| l.validation_value_mse));
        for head in Head::ALL {
            let loss = losses.and_then(|l| l.heads.get(head.name()));
            add(&format!("loss/{head}_train"), loss.map(|loss| loss.training));
            add(&format!("loss/{head}_validation"), loss.and_then(|loss| loss.validation));
        }
        add("training/learning_rate", losses.map(|l| l.learning_rate));
        let s = facts.selfplay.as_ref();
        add("selfplay/games", s.map(|s| s.games as f64));
        add("selfplay/plies_mean", s.map(|s| s.plies_mean));
        let share = |count: u64, of: u64| (of > 0).then(|| count as f64 / of as f64);
        add("selfplay/first_won", s.and_then(|s| share(s.wins_first, s.games)));
        add("selfplay/drawn", s.and_then(|s| share(s.draws, s.games)));
        let rate = |s: &dz_store::SelfplaySummary| share(1000 * s.evaluations, s.wall_ms);
        add("selfplay/evaluations_per_second", s.and_then(rate));
        let health = facts.health.as_ref();
        add("selfplay/target_entropy", health.map(|h| h.target_entropy));
        add("selfplay/value_surprise", health.map(|h| h.value_surprise));
        add("selfplay/repeated", health.and_then(|h| share(h.duplicates, h.games)));
        add("window/rows", facts.rows.as_ref().map(|r| r.window_rows as f64));
        add("time/cycle_seconds", facts.wall_ms.map(|ms| ms as f64 / 1000.0));
        out
    }
}

fn seconds(unix_ms: u64) -> f64 {
    unix_ms as f64 / 1000.0
}

/// What an event says.
enum Content<'a> {
    Version(&'a str),
    Scalar(&'a str, f32),
}

/// An event file under way.
#[derive(Default)]
struct Events {
    bytes: Vec<u8>,
}

impl Events {
    fn push(&mut self, wall_time: f64, step: i64, content: &Content<'_>) {
        let mut event = vec![1 << 3 | 1];
        event.extend(wall_time.to_le_bytes());
        event.push(2 << 3);
        varint(&mut event, step as u64);
        match content {
            Content::Version(version) => field(&mut event, 3, version.as_bytes()),
            Content::Scalar(tag, value) => {
                let mut scalar = Vec::new();
                field(&mut scalar, 1, tag.as_bytes());
                scalar.push(2 << 3 | 5);
                scalar.extend(value.to_le_bytes());
                let mut summary = Vec::new();
                field(&mut summary, 1, &scalar);
                field(&mut event, 5, &summary);
            }
        }
        let length = (event.len() as u64).to_le_bytes();
        self.bytes.extend(length);
        self.bytes.extend(masked_crc(&length).to_le_bytes());
        self.bytes.extend(&event);
        self.bytes.extend(masked_crc(&event).to_le_bytes());
    }
}

/// A length-delimited protobuf field.
fn field(out: &mut Vec<u8>, number: u8, content: &[u8]) {
    out.push(number << 3 | 2);
    varint(out, content.len() as u64);
    out.extend(content);
}

/// Seven bits a byte, the lowest first.
fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// CRC-32C, rotated and shifted as the record format requires. So the CRC of data that contains
/// CRCs is no fixed point.
fn masked_crc(data: &[u8]) -> u32 {
    crc32c(data).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Castagnoli's CRC-32, bit by bit: event files are small.
fn crc32c(data: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    !data.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, appendix B.4.
    #[test]
    fn the_crc_is_castagnolis() {
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn an_event_is_framed() {
        let mut events = Events::default();
        events.push(1.5, 300, &Content::Scalar("a", 2.0));
        let mut event = vec![0x09];
        event.extend(1.5_f64.to_le_bytes());
        event.extend([0x10, 0xac, 0x02, 0x2a, 0x0a, 0x0a, 0x08, 0x0a, 0x01, b'a', 0x15]);
        event.extend(2.0_f32.to_le_bytes());
        assert_eq!(events.bytes[..8], (event.len() as u64).to_le_bytes());
        assert_eq!(events.bytes[12..12 + event.len()], event);
        assert_eq!(events.bytes.len(), event.len() + 16);
    }
}
