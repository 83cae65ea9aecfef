//! What a search thinks, while it thinks: `lz-analyze` (Leela Zero) and `kata-analyze` (`KataGo`,
//! `docs/GTP_Extensions.md`), until the next line comes.

use super::Gtp;
use super::job::{Analysis, Answered, Job, Reply};
use super::options::{Options, Style};
use crate::search_slice::{Thought, think};

pub(super) fn lz_analyze(gtp: &mut Gtp, arguments: &[String]) -> Answered {
    begin(gtp, Style::LeelaZero, arguments)
}

pub(super) fn kata_analyze(gtp: &mut Gtp, arguments: &[String]) -> Answered {
    begin(gtp, Style::KataGo, arguments)
}

fn begin(gtp: &mut Gtp, style: Style, arguments: &[String]) -> Answered {
    let mut options = Options::read(style, arguments)?;
    let player = options.player.unwrap_or_else(|| gtp.mover());
    options.look(&mut *gtp.session, player)?;
    let among = options.among(&*gtp.session, player)?;
    gtp.session.begin_among(player, None, &among).map_err(|error| error.to_string())?;
    let next = gtp.clock.now() + options.interval();
    Ok(Reply::Later(Job::Analysis(Analysis { options, next, rests: false })))
}

impl Gtp {
    pub(super) fn go_on_analysing(&mut self, mut analysis: Analysis) -> String {
        let said = match think(&mut *self.session, &*self.clock, Some(analysis.next)) {
            Ok(Thought::On) => String::new(),
            Ok(Thought::Late) => {
                analysis.next = self.clock.now() + analysis.options.interval();
                analysis.options.tell(&*self.session)
            }
            Ok(Thought::Decided) => {
                analysis.rests = true;
                analysis.options.tell(&*self.session)
            }
            Err(error) => {
                analysis.rests = true;
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
