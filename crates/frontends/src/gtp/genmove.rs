//! `genmove` and its variants, and the clock commands.

use std::time::Duration;

use dz_game::{Player, Status, Wdl};
use dz_search::formula::resigns_at_once;

use super::job::{CommandResult, Genmove, Job, Progress, Reply, done, text};
use super::options::{Options, Style};
use super::{
    Gtp,
    syntax::{answer, color, whole, word},
};
use crate::{
    clock::{SideClock, TimeSettings},
    limits::{ResignRule, Resignation},
    search_slice::{SliceEnd, search_slice},
};

pub(super) fn genmove(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let player = color(word(arguments, 0, "the color")?)?;
    begin(gtp, player, true, None)
}

/// As `genmove`, but the move is not played.
pub(super) fn reg_genmove(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let player = color(word(arguments, 0, "the color")?)?;
    begin(gtp, player, false, None)
}

pub(super) fn lz_genmove_analyze(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    begin_with_progress(gtp, Style::LeelaZero, arguments)
}

pub(super) fn kata_genmove_analyze(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    begin_with_progress(gtp, Style::KataGo, arguments)
}

fn begin_with_progress(gtp: &mut Gtp, style: Style, arguments: &[String]) -> CommandResult {
    let mut options = Options::read(style, arguments)?;
    let player = options.player.unwrap_or_else(|| gtp.mover());
    options.read_ownership(&mut *gtp.session, player)?;
    let next = options.interval.map(|interval| gtp.clock.now() + interval);
    begin(gtp, player, true, Some(Progress { options, next }))
}

fn begin(gtp: &mut Gtp, player: Player, plays: bool, progress: Option<Progress>) -> CommandResult {
    let beyond =
        gtp.session.moves_after_draw().filter(|(mover, _)| *mover == player && progress.is_none());
    if let Some(&mv) = beyond.as_ref().and_then(|(_, moves)| moves.first()) {
        // Our rules call it a draw and the front end plays on, so all moves are equally good.
        let name = gtp.session.format(mv);
        if plays {
            gtp.session.play(player, mv).map_err(|error| error.to_string())?;
        }
        return text(name);
    }
    if let Status::Over(_) = gtp.session.status() {
        // Nothing is left to win; a pass does no harm.
        let pass = gtp.session.pass().filter(|_| progress.is_none()).ok_or("the game is over")?;
        if plays {
            gtp.session.play(player, pass).map_err(|error| error.to_string())?;
        }
        return text(gtp.session.format(pass));
    }
    let started = gtp.clock.now();
    let clock = gtp.clocks.as_ref().map(|clocks| clocks[player.index()].time_left());
    let legal = gtp.session.legal().len();
    let share = clock.map(|clock| clock.for_a_move(legal));
    let allowed = [share, gtp.limits.time].into_iter().flatten().min();
    let playouts = gtp.limits.playouts_of_a_move(clock.is_some());
    // A move without choice needs no time. Out of turn, after a pass that nobody sent, these are
    // the other player's moves.
    let is_forced = legal == 1 && gtp.session.status() == Status::ToMove(player);
    let playouts = if is_forced && allowed.is_some() { Some(1) } else { playouts };
    let options = progress.as_ref().map(|progress| &progress.options);
    let among = options.map_or(Ok(Vec::new()), |options| options.among(&*gtp.session, player))?;
    gtp.session.begin_among(player, playouts, &among).map_err(|error| error.to_string())?;
    let deadline = allowed.map(|allowed| started.saturating_add(allowed));
    Ok(Reply::Job(Job::Genmove(Genmove { id: None, progress, player, plays, started, deadline })))
}

impl Gtp {
    /// Searches for a slice of time. Returns reports, and the answer once the move is found.
    pub(super) fn step_genmove(&mut self, mut genmove: Genmove) -> String {
        let mut said = String::new();
        let now = self.clock.now();
        if let Some(progress) = &mut genmove.progress
            && let Some(next) = progress.next.filter(|next| *next <= now)
        {
            said = progress.options.analysis_line(&*self.session);
            progress.next = progress.options.interval.map(|interval| next.max(now) + interval);
        }
        match search_slice(&mut *self.session, &*self.clock, genmove.deadline) {
            Ok(SliceEnd::Unfinished) => {
                self.job = Some(Job::Genmove(genmove));
                said
            }
            Ok(SliceEnd::Finished | SliceEnd::OutOfTime) => {
                let found = self.play_found(&genmove);
                let said = said + &self.close_genmove(&genmove, found);
                self.begin_pondering(&genmove);
                said
            }
            Err(error) => said + &self.close_genmove(&genmove, Err(error.to_string())),
        }
    }

    /// Begins a search in the opponent's time if pondering is on. The next move's search keeps its
    /// tree.
    fn begin_pondering(&mut self, genmove: &Genmove) {
        let opponent = genmove.player.opponent();
        let goes_on = genmove.plays && self.session.status() == Status::ToMove(opponent);
        if self.ponders && goes_on && self.session.begin(opponent, None).is_ok() {
            self.job = Some(Job::Ponder);
        }
    }

    /// Ponders for a slice of time, until nothing is left to search.
    pub(super) fn step_pondering(&mut self) {
        // A failing evaluator is reported at the next search of a move.
        if let Ok(SliceEnd::Unfinished) = search_slice(&mut *self.session, &*self.clock, None) {
            self.job = Some(Job::Ponder);
        }
    }

    fn close_genmove(&self, genmove: &Genmove, found: Result<String, String>) -> String {
        match (&genmove.progress, found) {
            (None, found) => {
                answer(genmove.id.as_deref(), found.as_deref().map_err(String::as_str))
            }
            // The answer's first line is written already, so the error follows in its own line.
            (Some(_), Err(error)) => format!("error {}\n\n", error.replace('\n', " ")),
            (Some(progress), Ok(found)) => {
                format!("{}play {found}\n\n", progress.options.analysis_line(&*self.session))
            }
        }
    }

    /// Whether the player gives up after this search, which is counted.
    fn resigns(&mut self, player: Player) -> bool {
        let Resignation { value, rule } = self.resignation;
        let report = self.session.report();
        match rule {
            ResignRule::Turns(turns_min) => {
                let turns = &mut self.turns_below_resignation[player.index()];
                *turns = if report.wdl.value() < value { *turns + 1 } else { 0 };
                *turns >= turns_min
            }
            ResignRule::BestMove => {
                let tried = report.moves.iter().filter_map(|found| found.wdl);
                let best = tried.map(Wdl::value).max_by(f32::total_cmp);
                best.is_some_and(|best| resigns_at_once(f64::from(best), f64::from(value)))
            }
        }
    }

    /// Plays what the search found, or resigns.
    fn play_found(&mut self, genmove: &Genmove) -> Result<String, String> {
        let mv = self.session.choose().ok_or("the game is over")?;
        if !genmove.plays {
            return Ok(self.session.format(mv));
        }
        if let Some(clocks) = &mut self.clocks {
            let spent = self.clock.now().saturating_sub(genmove.started);
            clocks[genmove.player.index()].spend(spent);
        }
        if self.resigns(genmove.player) {
            return Ok("resign".to_owned());
        }
        let name = self.session.format(mv);
        self.session.play(genmove.player, mv).map_err(|error| error.to_string())?;
        Ok(name)
    }
}

/// Main time, a period of byo-yomi and its stones. A period without stones is a game without limit.
pub(super) fn time_settings(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let main = seconds(arguments, 0, "the main time")?;
    let period = seconds(arguments, 1, "the time of byo-yomi")?;
    let stones = whole(arguments, 2, "the number of stones")?;
    let settings = match (period.is_zero(), stones) {
        (false, 0) => None,
        (true, _) => Some(TimeSettings { main, byo_yomi: None }),
        (false, _) => Some(TimeSettings { main, byo_yomi: Some((period, stones)) }),
    };
    gtp.set_clocks(settings);
    done()
}

pub(super) fn time_left(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let player = color(word(arguments, 0, "the color")?)?;
    let left = seconds(arguments, 1, "the time")?;
    let stones = whole(arguments, 2, "the number of stones")?;
    // A referee may send the time without having sent the settings.
    let sudden_death = TimeSettings { main: left, byo_yomi: None };
    let clocks = gtp.clocks.get_or_insert([SideClock::new(sudden_death); 2]);
    clocks[player.index()].set(left, stones);
    done()
}

/// Reads seconds. Referees may send fractions and negative numbers.
fn seconds(arguments: &[String], index: usize, what: &str) -> Result<Duration, String> {
    let number = word(arguments, index, what)?.parse::<f64>().ok();
    let time = number.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
    // The limit is longer than any game, and sums of times stay in range.
    let most = Duration::from_secs(u64::from(u32::MAX));
    time.map(|time| time.min(most)).ok_or_else(|| format!("syntax error: {what} is in seconds"))
}
