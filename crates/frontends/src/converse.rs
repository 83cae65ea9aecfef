//! A conversation: lines in, text out.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    sync::mpsc::{Receiver, Sender, TryRecvError},
};

/// Longer lines are cut; what a front end has to say fits.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// What a protocol does between two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It waits for a line.
    Idle,
    /// It thinks, and lines wait until it has answered, but those that end its thinking.
    Thinking,
    /// It thinks, and takes lines meanwhile.
    Open,
    /// It has said good-bye.
    Ended,
}

/// A protocol as a state machine.
pub trait Protocol {
    /// Takes a line, with or without its end; answers what is to be written.
    fn line(&mut self, line: &[u8]) -> String;
    /// Takes a line that comes while it thinks: true if the line does nothing but end that, so that
    /// it need not wait.
    fn interrupt(&mut self, _line: &[u8]) -> bool {
        false
    }
    /// Thinks a little; answers what is to be written.
    fn step(&mut self) -> String;
    /// No line will come any more: what thinks without end stops.
    fn close(&mut self) -> String;
    /// What it does.
    fn activity(&self) -> Activity;
}

/// Carries on a conversation until the protocol ends it, or no more lines come and all is answered.
///
/// # Errors
/// If the answers cannot be written.
pub fn converse(
    protocol: &mut dyn Protocol,
    lines: &Receiver<Vec<u8>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut closed = false;
    // Lines that came too early.
    let mut waiting = VecDeque::new();
    loop {
        let text = match protocol.activity() {
            Activity::Ended => return Ok(()),
            Activity::Idle if closed => return Ok(()),
            Activity::Idle => {
                let next = waiting.pop_front().or_else(|| lines.recv().ok());
                if let Some(line) = next {
                    protocol.line(&line)
                } else {
                    closed = true;
                    protocol.close()
                }
            }
            Activity::Open if !waiting.is_empty() => {
                protocol.line(&waiting.pop_front().unwrap_or_default())
            }
            Activity::Open if !closed => match lines.try_recv() {
                Ok(line) => protocol.line(&line),
                Err(TryRecvError::Empty) => protocol.step(),
                Err(TryRecvError::Disconnected) => {
                    closed = true;
                    protocol.close()
                }
            },
            Activity::Thinking => {
                if let Ok(line) = lines.try_recv()
                    && !protocol.interrupt(&line)
                {
                    waiting.push_back(line);
                }
                protocol.step()
            }
            Activity::Open => protocol.step(),
        };
        if !text.is_empty() {
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
}

/// Sends the lines of `input`, cut to [`LINE_BYTES_MAX`], until it ends or nobody listens: the work
/// of a thread beside [`converse`].
pub fn read_lines(input: &mut dyn BufRead, lines: &Sender<Vec<u8>>) -> io::Result<()> {
    let (mut line, mut started) = (Vec::new(), false);
    loop {
        let chunk = input.fill_buf()?;
        let (end, whole) = match chunk.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (chunk.len(), chunk.is_empty()),
        };
        let room = LINE_BYTES_MAX.saturating_sub(line.len()).min(end);
        line.extend_from_slice(&chunk[..room]);
        started |= end > 0;
        let last = chunk.is_empty();
        input.consume(end);
        if whole && started {
            started = false;
            if lines.send(std::mem::take(&mut line)).is_err() {
                return Ok(());
            }
        }
        if last {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn lines_are_cut_and_the_last_needs_no_end() {
        let long = vec![b'x'; LINE_BYTES_MAX + 5];
        let input = [b"a\n\nb ".as_slice(), &long, b"\nlast"].concat();
        let (sender, receiver) = mpsc::channel();
        let mut reader = io::BufReader::with_capacity(7, input.as_slice());
        read_lines(&mut reader, &sender).expect("memory can be read");
        drop(sender);
        let lines: Vec<Vec<u8>> = receiver.iter().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(
            (&lines[0][..], &lines[1][..], &lines[3][..]),
            (&b"a\n"[..], &b"\n"[..], &b"last"[..])
        );
        assert_eq!(lines[2].len(), LINE_BYTES_MAX);
    }
}
