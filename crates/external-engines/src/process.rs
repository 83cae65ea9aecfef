//! A child process that reads and writes lines.

use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use crate::EngineError;

/// A longer line is cut to this length.
const LINE_BYTES_MAX: usize = 1 << 16;

/// Lines that may wait unread. The reading thread pauses at this number, so that a program which
/// writes without end cannot fill our memory.
const LINES_WAITING_MAX: usize = 1 << 10;

/// Bytes of the end of standard error that are kept for error messages.
const STDERR_TAIL_MAX: usize = 400;

/// How long after the limit lines are still read that had arrived before it.
const LATE_READ: Duration = Duration::from_millis(500);

/// How long a program may take to exit after `quit`.
const QUIT_TIME: Duration = Duration::from_millis(300);

/// A running program. Dropping it kills the program's whole process group.
#[derive(Debug)]
pub(crate) struct LineProcess {
    child: Child,
    /// Lines to write. A thread writes them, so that a program that does not read cannot block us.
    input: Option<Sender<String>>,
    output: Receiver<String>,
    stderr_tail: Arc<Mutex<String>>,
    reaped: bool,
}

impl LineProcess {
    pub(crate) fn start(command: &[String]) -> Result<Self, EngineError> {
        let program = command.first().map_or("", String::as_str);
        let spawned = Command::new(program)
            .args(&command[1.min(command.len())..])
            // In its own process group, Ctrl-C at the terminal does not reach the program, and all
            // that it starts can be killed at once.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child =
            spawned.map_err(|source| EngineError::Start { program: program.to_owned(), source })?;
        let (input, to_write) = channel::<String>();
        let (read, output) = sync_channel(LINES_WAITING_MAX);
        let stderr_tail = Arc::new(Mutex::new(String::new()));
        if let Some(mut stdin) = child.stdin.take() {
            // The thread ends when the sender is dropped or the program stops reading.
            thread::spawn(move || {
                for line in to_write {
                    if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        return;
                    }
                }
            });
        }
        if let Some(stdout) = child.stdout.take() {
            // The thread ends with the program, or when the receiver is dropped.
            thread::spawn(move || each_line(stdout, |line| read.send(line).is_ok()));
        }
        if let Some(stderr) = child.stderr.take() {
            let kept = Arc::clone(&stderr_tail);
            thread::spawn(move || {
                each_line(stderr, |line| {
                    append_tail(&kept, &line);
                    true
                });
            });
        }
        Ok(Self { child, input: Some(input), output, stderr_tail, reaped: false })
    }

    /// Queues a line for writing. A program that does not read it is noticed by its missing answer.
    pub(crate) fn send(&self, line: &str) {
        if let Some(lines) = &self.input {
            let _ = lines.send(format!("{line}\n"));
        }
    }

    /// Returns the next line without its line end, waiting until `within` after `begun`.
    pub(crate) fn receive(
        &mut self,
        asked: &str,
        begun: Instant,
        within: Duration,
    ) -> Result<String, EngineError> {
        let spent = begun.elapsed();
        let late = |stderr_tail| EngineError::Late { asked: asked.to_owned(), within, stderr_tail };
        // A waiting line is taken without a look at the clock, so a program that writes without
        // end would never be late. Lines that arrived in time are still read.
        if spent > within + LATE_READ {
            return Err(late(self.stderr_tail()));
        }
        match self.output.recv_timeout(within.saturating_sub(spent)) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(late(self.stderr_tail())),
            Err(RecvTimeoutError::Disconnected) => {
                // A program that has closed its output cannot answer any more.
                let how = self.end();
                let stderr_tail = self.stderr_tail();
                Err(EngineError::Ended { asked: asked.to_owned(), how, stderr_tail })
            }
        }
    }

    /// Returns whether the program's output is open and empty, as an idle engine's is.
    pub(crate) fn is_quiet(&self) -> bool {
        matches!(self.output.try_recv(), Err(TryRecvError::Empty))
    }

    fn stderr_tail(&self) -> String {
        self.stderr_tail.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Kills the process group and returns how the program ended.
    fn end(&mut self) -> String {
        // A program that is about to exit gets the time to return its own exit code.
        thread::sleep(Duration::from_millis(20));
        self.kill_group();
        self.reaped = true;
        match self.child.wait() {
            Ok(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("exit code {code}"),
                (None, Some(signal)) => format!("signal {signal}"),
                (None, None) => status.to_string(),
            },
            Err(error) => error.to_string(),
        }
    }

    #[allow(unsafe_code)]
    fn kill_group(&self) {
        // SAFETY: kill(2) touches no memory of ours. The group's number is the child's, which is
        // not reaped yet, so it cannot have become another process's.
        unsafe {
            libc::kill(-(self.child.id() as libc::pid_t), libc::SIGKILL);
        }
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.send("quit");
        // The writing thread closes the program's input after the last line.
        self.input = None;
        let begun = Instant::now();
        // Output is still read, because a full pipe would keep the program from exiting.
        while let Some(left) = QUIT_TIME.checked_sub(begun.elapsed()) {
            if self.output.recv_timeout(left) == Err(RecvTimeoutError::Disconnected) {
                break;
            }
        }
        self.end();
    }
}

/// Passes every line of `input`, cut to [`LINE_BYTES_MAX`], to `take`, until the input ends or
/// `take` returns false.
fn each_line(input: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = LINE_BYTES_MAX as u64;
        let Ok(read) = input.by_ref().take(most).read_until(b'\n', &mut line) else { return };
        if read == 0 {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        if !take(text.trim_end_matches(['\n', '\r']).to_owned()) {
            return;
        }
    }
}

/// Appends a line and keeps the last [`STDERR_TAIL_MAX`] bytes.
fn append_tail(kept: &Mutex<String>, line: &str) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if !kept.is_empty() {
        kept.push_str(" / ");
    }
    kept.push_str(line);
    let from = kept.len().saturating_sub(STDERR_TAIL_MAX);
    let from = (from..=kept.len()).find(|&at| kept.is_char_boundary(at)).unwrap_or(0);
    kept.drain(..from);
}
