//! Lines of the protocol to commands, and their answers.

use super::Gtp;
use super::job::{Job, Reply};
use super::syntax::{self, Request, answer};
use super::table;
use crate::{Activity, LINE_BYTES_MAX, Protocol};

impl Gtp {
    fn obey(&mut self, request: &Request) -> String {
        self.rest.clone_from(&request.rest);
        let found = table::find(&request.name).filter(|command| command.scope.holds(self));
        let answered = match found {
            Some(command) => (command.run)(self, &request.arguments),
            None => Err("unknown command".to_owned()),
        };
        match answered {
            Ok(Reply::Text(text)) => answer(request.id.as_deref(), Ok(&text)),
            Ok(Reply::Job(job)) => self.start_job(job, request.id.clone()),
            Err(error) => answer(request.id.as_deref(), Err(&error)),
        }
    }

    fn start_job(&mut self, mut job: Job, id: Option<String>) -> String {
        let opened = match &mut job {
            Job::Analysis(_) | Job::Ponder => true,
            Job::Genmove(genmove) => {
                genmove.id.clone_from(&id);
                genmove.progress.is_some()
            }
        };
        self.job = Some(job);
        // A move alone is answered at once, when it is found.
        if opened { format!("={}\n", id.unwrap_or_default()) } else { String::new() }
    }
}

impl Protocol for Gtp {
    fn line(&mut self, line: &[u8]) -> String {
        // Whatever comes ends an analysis, an empty line too.
        let mut text = self.end_analysis();
        if matches!(self.job, Some(Job::Ponder)) {
            self.job = None;
        }
        if let Some(request) = syntax::parse(line) {
            // The end of a line that was too long may be missing.
            text += &if line.len() < LINE_BYTES_MAX {
                self.obey(&request)
            } else {
                let why = format!("the line is longer than {LINE_BYTES_MAX} bytes");
                answer(request.id.as_deref(), Err(&why))
            };
        }
        text
    }

    fn interrupt(&mut self, line: &[u8]) -> bool {
        let Some(Job::Genmove(genmove)) = &mut self.job else { return false };
        let ends = syntax::is_interrupt(line);
        if ends {
            genmove.deadline = Some(std::time::Duration::ZERO);
        }
        ends
    }

    fn step(&mut self) -> String {
        match self.job.take() {
            Some(Job::Genmove(genmove)) => self.step_genmove(genmove),
            Some(Job::Analysis(analysis)) => self.step_analysis(analysis),
            Some(Job::Ponder) => {
                self.step_pondering();
                String::new()
            }
            None => String::new(),
        }
    }

    fn close(&mut self) -> String {
        if matches!(self.job, Some(Job::Ponder)) {
            self.job = None;
        }
        self.end_analysis()
    }

    fn activity(&self) -> Activity {
        match &self.job {
            _ if self.ended => Activity::Ended,
            None => Activity::Idle,
            Some(Job::Genmove(_)) => Activity::Thinking,
            Some(Job::Analysis(analysis)) if analysis.finished => Activity::Idle,
            Some(Job::Analysis(_) | Job::Ponder) => Activity::Interruptible,
        }
    }
}
