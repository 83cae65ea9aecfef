//! Processes that tests start.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

/// A process that does not outlive its test: it is killed when the value is dropped.
#[derive(Debug)]
pub struct Process(pub Child);

impl Process {
    /// Starts a command whose output nobody reads.
    pub fn start(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("it starts"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a command to its end with `input` as its standard input. Returns its standard output, and
/// its standard error if the command pipes that. The command may end before it has read all.
pub fn output_with_input(command: &mut Command, input: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    thread::scope(|scope| {
        // Its own thread, so that neither side waits for the other with a full pipe.
        scope.spawn(move || {
            let _ = stdin.write_all(input.as_bytes());
        });
        child.wait_with_output().expect("it ends")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_more_than_a_pipe_holds() {
        let input = "line\n".repeat(100_000);
        assert_eq!(output_with_input(&mut Command::new("cat"), &input).stdout, input.as_bytes());
        assert!(output_with_input(&mut Command::new("true"), &input).status.success());
    }

    #[test]
    fn a_process_ends_with_its_value() {
        let process = Process::start(Command::new("sleep").arg("600"));
        let is_there = |id: u32| {
            let mut kill = Command::new("kill");
            kill.args(["-0", &id.to_string()]).stderr(Stdio::null());
            kill.status().expect("kill starts").success()
        };
        let id = process.0.id();
        assert!(is_there(id));
        drop(process);
        assert!(!is_there(id));
    }
}
