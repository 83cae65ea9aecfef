//! The result of a match, for programs and for people.

use std::io::Write;

use dz_game::Player;
use dz_gatekeeper::{result_of, verdict};
use dz_play::{Cause, Forfeit, MatchCounts, PlayedGame, PlayedMatch, Seat};
use dz_stats::{Sprt, SprtPlan, SprtStop};
use dz_text::Colour;
use serde::Serialize;

use super::judge::Judged;
use crate::shown::Shown;

/// What is printed. Outside programs rely on the names.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    a: &'a str,
    b: &'a str,
    game: &'a str,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    /// A's games in which A made the first move, and those in which B did.
    first: Side,
    second: Side,
    /// A's mean score a game, 0 to 1.
    score: f64,
    /// 95 % interval of the score.
    lo95: f64,
    hi95: f64,
    /// Elo difference; null where no game or every game was won.
    elo: Option<f64>,
    elo_lo95: Option<f64>,
    elo_hi95: Option<f64>,
    /// Pairs by A's score in both games: 0, 0.5, 1, 1.5, 2.
    pairs: [u64; 5],
    openings: u64,
    duplicates: u64,
    adjudicated: u64,
    /// Games that were lost otherwise than by the rules.
    forfeits: Vec<ForfeitRow>,
    /// Results that an external player counts otherwise, with the games' numbers.
    disputes: Vec<DisputeRow<'a>>,
    /// The sequential test, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtRow>,
    /// A's moves, where they were judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) judged: Option<Judged>,
}

/// Games of one player as the first or the second player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Side {
    wins: u64,
    draws: u64,
    losses: u64,
}

impl Side {
    fn text(self) -> String {
        format!("{} won, {} drawn, {} lost", self.wins, self.draws, self.losses)
    }
}

/// Games that one player lost by one cause.
#[derive(Serialize)]
struct ForfeitRow {
    player: Seat,
    cause: Cause,
    games: u64,
    /// What happened in the first of them.
    what: String,
}

#[derive(Serialize)]
struct DisputeRow<'a> {
    game: u64,
    what: &'a str,
}

/// How a sequential test ended.
#[derive(Serialize)]
struct SprtRow {
    elo0: f64,
    elo1: f64,
    llr: f64,
    /// The ratios at which it refuses and accepts.
    bounds: [f64; 2],
    /// "accepted", "refused" or "undecided".
    verdict: &'static str,
}

impl<'a> Report<'a> {
    pub(super) fn of(played: &'a PlayedMatch, test: Option<(SprtPlan, [f64; 2])>) -> Self {
        let result = result_of(&played.games);
        let interval = verdict::score_interval(&result);
        let [a, b] = &played.header.players;
        // Both rows are the first player's, which is B in the second one.
        let [[wins, draws, losses], [b_wins, b_draws, b_losses]] =
            MatchCounts::of(&played.games).by_first;
        Self {
            a: &a.name,
            b: &b.name,
            game: &played.header.game,
            games: result.games,
            wins: result.wins,
            draws: result.draws,
            losses: result.losses,
            first: Side { wins, draws, losses },
            second: Side { wins: b_losses, draws: b_draws, losses: b_wins },
            score: result.score(),
            lo95: interval.lo95.0,
            hi95: interval.hi95.0,
            elo: interval.elo().map(|elo| elo.0),
            elo_lo95: interval.elo_lo95().map(|elo| elo.0),
            elo_hi95: interval.elo_hi95().map(|elo| elo.0),
            pairs: result.pairs,
            openings: played.header.openings,
            duplicates: result.duplicates,
            adjudicated: played.games.iter().filter(|game| game.adjudicated).count() as u64,
            forfeits: forfeits(&played.games),
            disputes: disputes(&played.games),
            sprt: test.map(|(plan, elos)| {
                SprtRow::of(&plan, elos, &verdict::walked(plan, &played.games))
            }),
            judged: None,
        }
    }

    pub(super) fn write_text(&self, out: &mut Shown<'_>) -> anyhow::Result<()> {
        let elo =
            |elo: Option<f64>, none: &str| elo.map_or_else(|| none.to_owned(), dz_stage::elo_text);
        writeln!(out, "{} against {}, {}", self.a, self.b, self.game)?;
        writeln!(
            out,
            "{} games from {} distinct openings, colours swapped: {} won, {} drawn, {} lost",
            self.games, self.openings, self.wins, self.draws, self.losses
        )?;
        let score = format!("score {:.3} (95 %: {:.3} to {:.3})", self.score, self.lo95, self.hi95);
        out.painted(self.colour(), &score)?;
        writeln!(
            out,
            ", Elo {} ({} to {})",
            elo(self.elo, "beyond measure"),
            elo(self.elo_lo95, "-infinity"),
            elo(self.elo_hi95, "+infinity"),
        )?;
        let Self { first, second, .. } = self;
        writeln!(out, "as first player {}; as second {}", first.text(), second.text())?;
        let [lost, worse, even, better, won] = self.pairs;
        let pairs = format!(
            "pairs: {won} won both, {better} one and a half, {even} even, {worse} half, {lost} lost both"
        );
        out.painted_line(Colour::Dim, &pairs)?;
        if self.duplicates > 0 {
            let line = format!("{} games repeat earlier ones", self.duplicates);
            out.painted_line(Colour::Dim, &line)?;
        }
        if self.adjudicated > 0 {
            let line = format!("{} games were ended at the ply limit, as draws", self.adjudicated);
            out.painted_line(Colour::Dim, &line)?;
        }
        self.write_ends(out)?;
        self.judged.as_ref().map_or(Ok(()), |judged| judged.write_text(out))
    }

    /// The colour of the score: green where A is surely the stronger player, red where B is, and
    /// yellow where the interval holds one half.
    fn colour(&self) -> Colour {
        if self.lo95 > 0.5 {
            Colour::Green
        } else if self.hi95 < 0.5 {
            Colour::Red
        } else {
            Colour::Yellow
        }
    }

    /// How games ended that the rules did not end, and the test.
    fn write_ends(&self, out: &mut Shown<'_>) -> anyhow::Result<()> {
        for ForfeitRow { player, cause, games, what } in &self.forfeits {
            let name = if *player == Seat::A { self.a } else { self.b };
            writeln!(out, "{games} games {name} {}, first: {what}", cause.word())?;
        }
        for DisputeRow { game, what } in &self.disputes {
            writeln!(out, "result of game {game} in dispute: {what}")?;
        }
        if let Some(SprtRow { elo0, elo1, llr, bounds: [lower, upper], verdict }) = &self.sprt {
            let colour = match *verdict {
                "accepted" => Colour::Green,
                "refused" => Colour::Red,
                _ => Colour::Yellow,
            };
            write!(out, "test of {elo0} against {elo1} normalised Elo: ")?;
            out.painted(colour, verdict)?;
            writeln!(out, ", log-likelihood ratio {llr:.2} between {lower:.2} and {upper:.2}")?;
        }
        Ok(())
    }
}

impl SprtRow {
    fn of(plan: &SprtPlan, [elo0, elo1]: [f64; 2], test: &Sprt) -> Self {
        let verdict = match test.stop() {
            Some(SprtStop::Accepted) => "accepted",
            Some(SprtStop::Refused) => "refused",
            Some(SprtStop::OutOfReach | SprtStop::Exhausted) | None => "undecided",
        };
        Self { elo0, elo1, llr: plan.llr(test.pairs()), bounds: plan.bounds(), verdict }
    }
}

/// Counts by player and cause, in the order of their first games.
fn forfeits(games: &[PlayedGame]) -> Vec<ForfeitRow> {
    let mut rows: Vec<ForfeitRow> = Vec::new();
    for game in games {
        let Some(Forfeit { loser, cause, what }) = &game.forfeit else { continue };
        let by_first = *loser == Player::First;
        let player = if by_first == (game.first == Seat::A) { Seat::A } else { Seat::B };
        match rows.iter_mut().find(|row| row.player == player && row.cause == *cause) {
            Some(row) => row.games += 1,
            None => {
                rows.push(ForfeitRow { player, cause: *cause, games: 1, what: what.clone() });
            }
        }
    }
    rows
}

fn disputes(games: &[PlayedGame]) -> Vec<DisputeRow<'_>> {
    let disputed = games.iter().filter_map(|game| Some((game.number, game.dispute.as_deref()?)));
    disputed.map(|(game, what)| DisputeRow { game, what }).collect()
}
