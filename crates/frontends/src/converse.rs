//! Protocols as state machines, and the loop that drives one: lines in, text out.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    sync::mpsc::{Receiver, Sender, TryRecvError},
};

/// Bytes of a line at most; longer lines are cut.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// What a protocol does between two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It waits for a line.
    Idle,
    /// It searches, and lines wait until it has answered, except those that end the search.
    Thinking,
    /// It searches, and takes lines meanwhile.
    Interruptible,
    /// It was ended by the front end.
    Ended,
}

/// A protocol as a state machine.
///
/// ```
/// use dz_frontends::{Activity, GameSession, Gtp, Limits, Protocol, Resignation, SystemClock};
/// use dz_game::games::TicTacToe;
/// use dz_play::{NoNetworks, PlayerPool, rollout_anchor};
///
/// let pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
/// let player = rollout_anchor("rollouts", 50);
/// let session = GameSession::new(&player, pool, 1).expect("rollouts need no file");
/// let maker = Box::new(|_: &_| Err("only one game".to_owned()));
/// let limits = Limits { playouts: Some(50), time: None, default_playouts: 50 };
/// let clock = Box::new(SystemClock::default());
/// let mut gtp = Gtp::new(Box::new(session), maker, clock, limits, Resignation::default());
///
/// assert_eq!(gtp.line(b"1 protocol_version"), "=1 2\n\n");
/// let mut answer = gtp.line(b"genmove b");
/// while gtp.activity() == Activity::Thinking {
///     answer += &gtp.step();
/// }
/// assert!(answer.starts_with("= "));
/// ```
pub trait Protocol {
    /// Takes a line, with or without its line end. Returns the text to write.
    fn line(&mut self, line: &[u8]) -> String;
    /// Takes a line that arrives during a search. True if the line only ends the search, so that it
    /// need not wait.
    fn interrupt(&mut self, _line: &[u8]) -> bool {
        false
    }
    /// Searches for a short time. Returns the text to write.
    fn step(&mut self) -> String;
    /// Ends searches without limit, because no line will come any more. Returns the text to write.
    fn close(&mut self) -> String;
    /// What the protocol does now.
    fn activity(&self) -> Activity;
}

/// Drives a protocol until it ends, or until no more lines come and all are answered.
///
/// # Errors
/// If the answers cannot be written.
pub fn converse(
    protocol: &mut dyn Protocol,
    lines: &Receiver<Vec<u8>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut closed = false;
    // Lines that arrived during a search.
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
            Activity::Interruptible if !waiting.is_empty() => {
                protocol.line(&waiting.pop_front().unwrap_or_default())
            }
            Activity::Interruptible if !closed => match lines.try_recv() {
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
            Activity::Interruptible => protocol.step(),
        };
        if !text.is_empty() {
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
}

/// Sends the lines of `input`, cut to [`LINE_BYTES_MAX`], until the input ends or the receiver is
/// dropped. A thread beside [`converse`] runs this.
pub fn read_lines(input: &mut dyn BufRead, lines: &Sender<Vec<u8>>) -> io::Result<()> {
    let mut line = Vec::new();
    let mut started = false;
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
