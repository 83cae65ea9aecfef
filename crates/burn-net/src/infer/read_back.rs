//! Threads that read answers back from a device.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use dz_infer::{NetworkOutputs, Ticket};
use dz_network_file::NetworkSpec;

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::runner::{Sent, on_lane};

type Answered = Result<NetworkOutputs, NetError>;

/// Reads the answers of one lane's batches, each from the moment when it is submitted.
///
/// Burn begins to copy a tensor to the host when it is read, and blocks the thread that reads.
/// Without a thread for that, the copy would begin when the answer is waited for, and the caller
/// would be idle meanwhile.
#[derive(Debug)]
pub(super) struct ReadBack {
    choice: DeviceChoice,
    /// `None` once there are no more batches.
    sent: Option<Sender<(Ticket, Sent)>>,
    answers: Receiver<(Ticket, Answered)>,
    /// Answers that came before they were waited for.
    early: BTreeMap<Ticket, Answered>,
    thread: Option<JoinHandle<()>>,
}

impl ReadBack {
    /// Starts the thread of a lane of a device, for a network with this specification.
    ///
    /// # Errors
    /// [`NetError::Device`] if the system gives no thread.
    pub(super) fn start(
        choice: DeviceChoice,
        lane: usize,
        spec: NetworkSpec,
    ) -> Result<Self, NetError> {
        let (sent, batches) = channel::<(Ticket, Sent)>();
        let (to_answers, answers) = channel();
        let work = move || {
            for (ticket, batch) in batches {
                let answer = choice.guard(|| on_lane(lane, || batch.read(&spec)));
                if to_answers.send((ticket, answer)).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name(format!("answers of lane {lane}")).spawn(work);
        let thread = thread.map_err(|error| choice.failed(&error.to_string()))?;
        let thread = Some(thread);
        Ok(Self { choice, sent: Some(sent), answers, early: BTreeMap::new(), thread })
    }

    /// Begins to read a batch's answers.
    pub(super) fn begin(&self, ticket: Ticket, batch: Sent) -> Result<(), NetError> {
        let sent = self.sent.as_ref().and_then(|sent| sent.send((ticket, batch)).ok());
        sent.ok_or_else(|| self.gone())
    }

    /// Waits for the answers of a batch whose reading has begun.
    pub(super) fn wait(&mut self, ticket: Ticket) -> Answered {
        loop {
            if let Some(answer) = self.early.remove(&ticket) {
                return answer;
            }
            let (other, answer) = self.answers.recv().map_err(|_| self.gone())?;
            self.early.insert(other, answer);
        }
    }

    /// Waits until some answer is there, for as long. Takes none.
    #[cfg(test)]
    pub(super) fn has_answer_within(&mut self, time: std::time::Duration) -> bool {
        let found = self.answers.recv_timeout(time);
        found.map(|(ticket, answer)| self.early.insert(ticket, answer)).is_ok()
    }

    fn gone(&self) -> NetError {
        self.choice.failed("the thread that reads answers has ended: start the program again")
    }
}

impl Drop for ReadBack {
    /// Ends the thread, so that the memory of its batches is free when a network is gone.
    fn drop(&mut self) {
        self.sent = None;
        if let Some(thread) = self.thread.take() {
            // A panic was an answer already.
            let _ = thread.join();
        }
    }
}
