//! Peers in Python: a process that answers a line for each line.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Once;

use anyhow::{Context, bail};

/// The environment variable that names a Python which has the peers.
pub(crate) const PYTHON: &str = "DAGZERO_PYTHON";

/// A peer's process. It ends when this is dropped.
pub(crate) struct PythonPeer {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// What its script printed first.
    pub(crate) greeting: String,
}

impl PythonPeer {
    /// Runs `script` with arguments. Its first line is the greeting, or `none` if the Python does
    /// not have `packages`. Where there is no peer, one line on standard error says why.
    ///
    /// # Errors
    /// If the Python that is named cannot be started, or what it runs fails.
    pub(crate) fn start(
        script: &str,
        packages: &str,
        args: &[&OsStr],
    ) -> anyhow::Result<Option<Self>> {
        // A bench asks for its peer once a network or a game; the reason stays the same.
        static SAID: Once = Once::new();
        static LACKED: Once = Once::new();
        let Some(python) = env::var_os(PYTHON) else {
            let line = format!("no peer: {PYTHON} does not name a Python that has {packages}");
            SAID.call_once(|| eprintln!("{line}"));
            return Ok(None);
        };
        let mut command = Command::new(&python);
        command.args(["-c", script]).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command
            .spawn()
            .with_context(|| format!("cannot start {}, which {PYTHON} names", python.display()))?;
        let (Some(to), Some(from)) = (process.stdin.take(), process.stdout.take()) else {
            bail!("the peer has no streams");
        };
        let mut peer = Self { process, to, from: BufReader::new(from), greeting: String::new() };
        peer.greeting = peer.line()?;
        if peer.greeting == "none" {
            let line = format!("no peer: {} has no {packages} (pip install)", python.display());
            LACKED.call_once(|| eprintln!("{line}"));
            return Ok(None);
        }
        Ok(Some(peer))
    }

    /// Sends a line and waits for the answer.
    ///
    /// # Errors
    /// If the process has ended.
    pub(crate) fn ask(&mut self, line: &str) -> anyhow::Result<String> {
        writeln!(self.to, "{line}").context("the peer has ended; its message is above")?;
        self.line()
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            bail!("the peer has ended; its message is above");
        }
        Ok(line.trim().to_owned())
    }
}

impl Drop for PythonPeer {
    fn drop(&mut self) {
        // It would end by itself at the end of its input; nothing is left to lose.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
