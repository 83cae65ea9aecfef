//! Analyses that report until the next line comes: `lz-analyze` (Leela Zero) and `kata-analyze`
//! (`KataGo`, `docs/GTP_Extensions.md`).

use super::Gtp;
use super::job::{Analysis, CommandResult, Job, Reply};
use super::options::{Options, Style};
use crate::search_slice::{SliceEnd, search_slice};

pub(super) fn lz_analyze(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    begin(gtp, Style::LeelaZero, arguments)
}

pub(super) fn kata_analyze(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    begin(gtp, Style::KataGo, arguments)
}

fn begin(gtp: &mut Gtp, style: Style, arguments: &[String]) -> CommandResult {
    let mut options = Options::read(style, arguments)?;
    let player = options.player.unwrap_or_else(|| gtp.mover());
    options.read_ownership(&mut *gtp.session, player)?;
    let among = options.among(&*gtp.session, player)?;
    gtp.session.begin_among(player, None, &among).map_err(|error| error.to_string())?;
    let next = gtp.clock.now() + options.interval();
    Ok(Reply::Job(Job::Analysis(Analysis { options, next, finished: false })))
}

impl Gtp {
    pub(super) fn step_analysis(&mut self, mut analysis: Analysis) -> String {
        let said = match search_slice(&mut *self.session, &*self.clock, Some(analysis.next)) {
            Ok(SliceEnd::Unfinished) => String::new(),
            Ok(SliceEnd::OutOfTime) => {
                analysis.next = self.clock.now() + analysis.options.interval();
                analysis.options.analysis_line(&*self.session)
            }
            Ok(SliceEnd::Finished) => {
                analysis.finished = true;
                analysis.options.analysis_line(&*self.session)
            }
            Err(error) => {
                analysis.finished = true;
                format!("error {}\n", error.to_string().replace('\n', " "))
            }
        };
        self.job = Some(Job::Analysis(analysis));
        said
    }

    /// Ends an analysis; the empty line ends its answer.
    pub(super) fn end_analysis(&mut self) -> String {
        if matches!(self.job, Some(Job::Analysis(_))) {
            self.job = None;
            return "\n".to_owned();
        }
        String::new()
    }
}
