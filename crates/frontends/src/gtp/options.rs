//! What a front end asks an analysis to report, and how that is written.

use std::{fmt::Write, time::Duration};

use dz_game::{Move, Player, Status, Symmetry, Wdl};

use super::syntax::{color, word};
use crate::{Report, Session};

/// Whose number format is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Shares as whole numbers to 10,000.
    LeelaZero,
    /// Shares as they are.
    KataGo,
}

/// What an analysis reports, and how often.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub player: Option<Player>,
    pub interval: Option<Duration>,
    pub style: Style,
    pub moves_max: usize,
    pub root: bool,
    /// Whether reports in `KataGo`'s style include ownership.
    pub wants_ownership: bool,
    /// The ownership by the evaluator, without a search; see [`Options::read_ownership`].
    pub ownership: Option<Vec<f32>>,
    pub rules: Vec<Rule>,
}

/// `allow` or `avoid`: moves to which a player's search is restricted, or that it leaves out.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    allows: bool,
    player: Player,
    /// The points as they were written, separated by commas.
    points: String,
}

impl Options {
    /// Reads `[color] [interval] [key value]...`; the interval is in hundredths of a second.
    pub(super) fn read(style: Style, arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            player: None,
            interval: None,
            style,
            moves_max: usize::MAX,
            root: false,
            wants_ownership: false,
            ownership: None,
            rules: vec![],
        };
        let mut at = 0;
        if let Some(player) = arguments.first().and_then(|word| color(word).ok()) {
            options.player = Some(player);
            at += 1;
        }
        if let Some(interval) = arguments.get(at).and_then(|word| hundredths(word)) {
            options.interval = Some(interval);
            at += 1;
        }
        while let Some(key) = arguments.get(at) {
            let value = word(arguments, at + 1, "a value")?;
            let wrong = || format!("syntax error: {key} {value} is not understood");
            match key.as_str() {
                "allow" | "avoid" => {
                    let allows = key == "allow";
                    let player = color(value)?;
                    let points = word(arguments, at + 2, "points")?.to_owned();
                    // The depth in plies up to which the rule holds. Here a rule always holds for
                    // the next move only.
                    let depth = word(arguments, at + 3, "a depth")?;
                    depth.parse::<u32>().map_err(|_| format!("syntax error: no depth: {depth}"))?;
                    options.rules.push(Rule { allows, player, points });
                    at += 2;
                }
                "interval" => options.interval = Some(hundredths(value).ok_or_else(wrong)?),
                "maxmoves" => options.moves_max = value.parse().map_err(|_| wrong())?,
                "rootInfo" => options.root = value.parse().map_err(|_| wrong())?,
                "ownership" => options.wants_ownership = value.parse().map_err(|_| wrong())?,
                // All moves with visits are reported anyway. The others need outputs that our
                // networks do not have.
                "minmoves"
                | "ownershipStdev"
                | "movesOwnership"
                | "movesOwnershipStdev"
                | "pvVisits"
                | "pvEdgeVisits" => {}
                _ => return Err(wrong()),
            }
            at += 2;
        }
        Ok(options)
    }

    /// Evaluates the ownership from `player`'s point of view, if it is to be reported and the
    /// evaluator predicts it.
    pub(super) fn read_ownership(
        &mut self,
        session: &mut dyn Session,
        player: Player,
    ) -> Result<(), String> {
        if self.wants_ownership && self.style == Style::KataGo {
            let ownership =
                session.ownership(Symmetry::IDENTITY).map_err(|error| error.to_string())?;
            let sign = if session.status() == Status::ToMove(player) { 1.0 } else { -1.0 };
            self.ownership = ownership
                .map(|ownership| ownership.into_iter().map(|share| sign * share).collect());
        }
        Ok(())
    }

    /// Returns the moves to which the search for `player`, who is to move, is restricted; empty if
    /// it is not.
    pub(super) fn among(&self, session: &dyn Session, player: Player) -> Result<Vec<Move>, String> {
        let rules: Vec<&Rule> = self.rules.iter().filter(|rule| rule.player == player).collect();
        if rules.is_empty() {
            return Ok(Vec::new());
        }
        let mut among = session.legal();
        for rule in rules {
            let points: Result<Vec<Move>, String> = rule
                .points
                .split(',')
                .map(|point| session.parse(point).map_err(|_| format!("syntax error: {point}")))
                .collect();
            let points = points?;
            among.retain(|mv| points.contains(mv) == rule.allows);
        }
        if among.is_empty() {
            Err("no legal move is left to think of".to_owned())
        } else {
            Ok(among)
        }
    }

    /// Returns a line with every visited move, the best first. Without visits it has the best move
    /// only.
    pub(super) fn analysis_line(&self, session: &dyn Session) -> String {
        let report = session.report();
        let visited = report.moves.iter().filter(|m| m.visits > 0).count().max(1);
        let most = visited.min(self.moves_max);
        let mut line = String::new();
        for (order, found) in report.moves.iter().take(most).enumerate() {
            let wdl = found.wdl.unwrap_or(report.wdl);
            let space = if order == 0 { "" } else { " " };
            let pv: Vec<String> = found.line.iter().map(|&mv| session.format(mv)).collect();
            let rate = self.share(wdl.score());
            let bound = self.share(lower(wdl, found.visits));
            let prior = self.share(found.prior as f32);
            // Writing to a string cannot fail.
            let _ = write!(
                line,
                "{space}info move {} visits {} winrate {rate}{} prior {prior} lcb {bound} order {order} \
                 pv {}",
                session.format(found.mv),
                found.visits,
                self.lead(found.lead),
                pv.join(" ")
            );
        }
        if self.root && !line.is_empty() {
            let _ = write!(line, " {}", self.root_info(&report));
        }
        if let Some(ownership) = self.ownership.as_ref().filter(|_| !line.is_empty()) {
            line += " ownership";
            for share in ownership {
                let _ = write!(line, " {share:.6}");
            }
        }
        if line.is_empty() { line } else { line + "\n" }
    }

    fn root_info(&self, report: &Report) -> String {
        let rate = self.share(report.wdl.score());
        format!("rootInfo visits {} winrate {rate}{}", report.visits, self.lead(report.lead))
    }

    /// The lead in points where it is known, by both of the names that `KataGo` gives it.
    fn lead(&self, lead: Option<f64>) -> String {
        match (self.style, lead) {
            (Style::KataGo, Some(lead)) => format!(" scoreMean {lead:.6} scoreLead {lead:.6}"),
            _ => String::new(),
        }
    }

    fn share(&self, share: f32) -> String {
        match self.style {
            Style::LeelaZero => format!("{:.0}", 10_000.0 * share),
            Style::KataGo => format!("{share:.6}"),
        }
    }
}

/// Returns a lower confidence bound of the expected score: 1.96 standard errors below it, with the
/// largest variance that scores between loss and win can have, p (1 - p).
fn lower(wdl: Wdl, visits: u32) -> f32 {
    let score = wdl.score();
    (score - 1.96 * (score * (1.0 - score) / visits.max(1) as f32).sqrt()).max(0.0)
}

fn hundredths(text: &str) -> Option<Duration> {
    let number = text.parse::<u32>().ok()?;
    Some(Duration::from_millis(10 * u64::from(number.max(1))))
}

impl Options {
    /// Once a second, where nothing else was asked for.
    pub(super) fn interval(&self) -> Duration {
        self.interval.unwrap_or(Duration::from_secs(1))
    }
}
