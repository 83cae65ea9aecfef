//! A process that is talked to in lines.

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

/// A longer line is cut.
const LINE_BYTES_MAX: usize = 1 << 16;

/// Lines that may wait; a program that writes more is not read on until somebody listens.
const LINES_WAITING_MAX: usize = 1 << 10;

/// How much of the end of standard error is kept.
const LAST_WORDS_MAX: usize = 400;

/// How long lines are heard that came in time.
const HEARING: Duration = Duration::from_millis(500);

/// How long a program may take to end by itself when it is told to.
const FAREWELL: Duration = Duration::from_millis(300);

/// A running program. Dropping it kills it, and with it every process of its group.
#[derive(Debug)]
pub(crate) struct LineProcess {
    child: Child,
    /// Lines to write; a thread writes them, so that a program that does not read cannot hold us
    /// up.
    lines_in: Option<Sender<String>>,
    lines_out: Receiver<String>,
    last_words: Arc<Mutex<String>>,
    reaped: bool,
}

impl LineProcess {
    pub(crate) fn start(command: &[String]) -> Result<Self, EngineError> {
        let program = command.first().map_or("", String::as_str);
        let spawned = Command::new(program)
            .args(&command[1.min(command.len())..])
            // A group of its own: Ctrl-C at the terminal is ours, and all of it can be ended at
            // once.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child =
            spawned.map_err(|source| EngineError::Start { program: program.to_owned(), source })?;
        let (lines_in, to_write) = channel::<String>();
        let (read, lines_out) = sync_channel(LINES_WAITING_MAX);
        let last_words = Arc::new(Mutex::new(String::new()));
        if let Some(mut stdin) = child.stdin.take() {
            // Ends when the sender is dropped or the program reads no more.
            thread::spawn(move || {
                for line in to_write {
                    if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        return;
                    }
                }
            });
        }
        if let Some(stdout) = child.stdout.take() {
            // Ends with the program, or when nobody listens any more.
            thread::spawn(move || each_line(stdout, |line| read.send(line).is_ok()));
        }
        if let Some(stderr) = child.stderr.take() {
            let kept = Arc::clone(&last_words);
            thread::spawn(move || {
                each_line(stderr, |line| {
                    keep(&kept, &line);
                    true
                });
            });
        }
        Ok(Self { child, lines_in: Some(lines_in), lines_out, last_words, reaped: false })
    }

    /// Writes a line. That the program does not read it shows when it does not answer.
    pub(crate) fn say(&self, line: &str) {
        if let Some(lines) = &self.lines_in {
            let _ = lines.send(format!("{line}\n"));
        }
    }

    /// The next line, without its end.
    pub(crate) fn hear(
        &mut self,
        asked: &str,
        begun: Instant,
        within: Duration,
    ) -> Result<String, EngineError> {
        let spent = begun.elapsed();
        let late = |last_words| EngineError::Late { asked: asked.to_owned(), within, last_words };
        // A line that waits is taken without a look at the time, so one that writes without end
        // would never be late. What came in time is heard all the same.
        if spent > within + HEARING {
            return Err(late(self.last_words()));
        }
        match self.lines_out.recv_timeout(within.saturating_sub(spent)) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(late(self.last_words())),
            Err(RecvTimeoutError::Disconnected) => {
                // It has closed its output; what is left of it is of no use.
                let how = self.end();
                let last_words = self.last_words();
                Err(EngineError::Ended { asked: asked.to_owned(), how, last_words })
            }
        }
    }

    /// Whether it still has its output open and nothing to say: an idle program that is well.
    pub(crate) fn is_quiet(&self) -> bool {
        matches!(self.lines_out.try_recv(), Err(TryRecvError::Empty))
    }

    fn last_words(&self) -> String {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Kills the group and says how the program ended.
    fn end(&mut self) -> String {
        // One that is ending gets the moment that it needs to leave its own exit code.
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
        self.say("quit");
        // Closes its input once that is written.
        self.lines_in = None;
        let begun = Instant::now();
        // It is read on, or it could not end for a full pipe.
        while let Some(left) = FAREWELL.checked_sub(begun.elapsed()) {
            if self.lines_out.recv_timeout(left) == Err(RecvTimeoutError::Disconnected) {
                break;
            }
        }
        self.end();
    }
}

/// Hands on every line of `input`, cut to [`LINE_BYTES_MAX`], until it ends or `take` has enough.
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

/// Keeps the end of what is said.
fn keep(kept: &Mutex<String>, line: &str) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if !kept.is_empty() {
        kept.push_str(" / ");
    }
    kept.push_str(line);
    let from = kept.len().saturating_sub(LAST_WORDS_MAX);
    let from = (from..=kept.len()).find(|&at| kept.is_char_boundary(at)).unwrap_or(0);
    kept.drain(..from);
}
