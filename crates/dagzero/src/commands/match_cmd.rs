//! `dagzero match`: two players against each other.

use std::{fs, io::Write, path::PathBuf};

use anyhow::{Context, ensure};
use dz_game::{Game, GameSpec, GameVisitor, with_game};
use dz_gatekeeper::{
    Bout, MatchProgress, Observer, OnDevice, Played, Players, match_file, play_bout, verdict,
};
use dz_infer::Lockstep;
use dz_net::DeviceChoice;
use serde::Serialize;

use super::{
    players::{Found, PlayerArg},
    write_line,
};
use crate::{Exit, exit::UsageError};

/// Play a match between two players and say how sure the result is
///
/// A player is a run's directory (its champion), RUN@GENERATION (0 is what stood in for a network),
/// a network file, random, rollout:N (tree search with one random game a leaf) or uniform:N (the
/// search without knowledge), with N playouts a move. Games are paired: each opening is played
/// twice, colours swapped, and no two openings are the same as long as the game has so many.
///
/// Results are the first player's. Intervals are at 95 % and count pairs, not games.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero match data/connect4-quick rollout:1000 --games 400 --json\n  \
    dagzero match data/connect4-quick data/connect4-quick@1 --games 100 --playouts 200\n  \
    dagzero match uniform:100 random --game tictactoe --games 20")]
pub(crate) struct Args {
    /// The player that the result is about
    #[arg(value_name = "A")]
    a: PlayerArg,
    /// Its opponent
    #[arg(value_name = "B")]
    b: PlayerArg,
    /// Games; even, two an opening
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = even)]
    games: u64,
    /// Playouts a move of champions and network files
    #[arg(long, value_name = "N", default_value_t = 100,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    playouts: u32,
    /// The game, where no player has one of its own
    #[arg(long, value_name = "GAME")]
    game: Option<GameSpec>,
    /// Random plies of each opening
    #[arg(long, value_name = "P", default_value_t = 4)]
    opening_plies: u32,
    /// Fixes openings and games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Games played at once
    #[arg(long, value_name = "N", default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(1..=65_536))]
    parallel_games: u32,
    /// What evaluates networks: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
    /// Keep the games in this file, as a run keeps its matches; it must not exist
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Plies after which a game is a draw, where no player's run says otherwise.
const PLIES_MAX: u32 = 1_000;

/// Evaluations that each network's cache keeps.
pub(super) const CACHE_ENTRIES: usize = 1 << 18;

/// What is printed. Outside programs rely on the names.
#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    game: &'a str,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
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
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let found = [args.a.find(args.playouts)?, args.b.find(args.playouts)?];
    let game = game_of(args.game.as_ref(), &found)?;
    if let Some(path) = &args.out {
        let text = || format!("{} exists; name another file with --out", path.display());
        ensure!(!path.exists(), UsageError(text()));
    }
    let plies_max = found.iter().filter_map(|found| found.plies_max).max().unwrap_or(PLIES_MAX);
    let players = found.map(|found| found.contestant);
    let bout = Bout {
        players,
        games: args.games,
        opening_plies: args.opening_plies,
        seed: args.seed,
        plies_max,
        test: None,
    };
    let device = dz_net::pick_device(&args.device)?;
    let parallel_games = args.parallel_games as usize;
    let played = with_game(&game, Play { bout: &bout, device, parallel_games })??;
    if let Some(path) = &args.out {
        let bytes = match_file::write_match(&played.header, &played.games)?;
        fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let report = Report::of(&played);
    if args.json {
        write_line(out, &report)?;
    } else {
        report.write_text(out)?;
    }
    Ok(Exit::Done)
}

struct Play<'a> {
    bout: &'a Bout,
    device: DeviceChoice,
    parallel_games: usize,
}

impl GameVisitor for Play<'_> {
    type Output = anyhow::Result<Played>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        let networks = OnDevice(self.device);
        let mut players = Players::new(&game, &networks, CACHE_ENTRIES);
        let lockstep = Lockstep { parallel_games: self.parallel_games, groups: 2 };
        play_bout(self.bout, &mut players, &lockstep, None, &mut Tenths::default())
    }
}

/// Says on standard error how far the match is, ten times in all.
#[derive(Default)]
struct Tenths {
    said: u64,
}

impl Observer for Tenths {
    fn progress(&mut self, progress: &MatchProgress) {
        let tenths = 10 * progress.games / progress.games_total;
        if tenths > self.said {
            self.said = tenths;
            let MatchProgress { games, games_total, score, evaluations_per_second, .. } = progress;
            let rate = match *evaluations_per_second {
                // Players without networks evaluate nothing.
                0.0 => String::new(),
                rate => format!(", {} evaluations/s", dz_stage::number_text(rate)),
            };
            let line = format!("{games}/{games_total} games, score {score:.3}{rate}");
            dz_stage::stderr_line(&line);
        }
    }

    fn stopped(&self) -> bool {
        false
    }
}

impl<'a> Report<'a> {
    fn of(played: &'a Played) -> Self {
        let result = played.result();
        let interval = verdict::score_interval(&result);
        let [a, b] = &played.header.players;
        Self {
            a: &a.name,
            b: &b.name,
            game: &played.header.game,
            games: result.games,
            wins: result.wins,
            draws: result.draws,
            losses: result.losses,
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
        }
    }

    fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let elo = |elo: Option<f64>, none: &str| {
            elo.map_or_else(|| none.to_owned(), |elo| format!("{elo:+.0}"))
        };
        writeln!(out, "{} against {}, {}", self.a, self.b, self.game)?;
        writeln!(
            out,
            "{} games from {} distinct openings, colours swapped: {} won, {} drawn, {} lost",
            self.games, self.openings, self.wins, self.draws, self.losses
        )?;
        writeln!(
            out,
            "score {:.3} (95 %: {:.3} to {:.3}), Elo {} ({} to {})",
            self.score,
            self.lo95,
            self.hi95,
            elo(self.elo, "beyond measure"),
            elo(self.elo_lo95, "-infinity"),
            elo(self.elo_hi95, "+infinity"),
        )?;
        let [lost, worse, even, better, won] = self.pairs;
        writeln!(
            out,
            "pairs: {won} won both, {better} one and a half, {even} even, {worse} half, {lost} lost both"
        )?;
        if self.duplicates > 0 {
            writeln!(out, "{} games repeat earlier ones", self.duplicates)?;
        }
        if self.adjudicated > 0 {
            writeln!(out, "{} games were ended at the ply limit, as draws", self.adjudicated)?;
        }
        Ok(())
    }
}

/// The one game that all players are for.
pub(super) fn game_of(given: Option<&GameSpec>, found: &[Found]) -> anyhow::Result<GameSpec> {
    let mut games = given.into_iter().chain(found.iter().filter_map(|found| found.game.as_ref()));
    let first = games.next().ok_or_else(|| {
        UsageError("no player is of a game; say which one with --game".to_owned())
    })?;
    let canonical = with_game(first, Canonical)?;
    for other in games {
        let other = with_game(other, Canonical)?;
        if other != canonical {
            return Err(UsageError(format!("one is for {canonical}, the other for {other}")).into());
        }
    }
    Ok(canonical)
}

/// The game with every parameter.
struct Canonical;

impl GameVisitor for Canonical {
    type Output = GameSpec;

    fn visit<G: Game>(self, game: G) -> GameSpec {
        game.spec()
    }
}

fn even(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(games) if games >= 2 && games % 2 == 0 => Ok(games),
        _ => Err("games come in pairs: write an even number of 2 or more".to_owned()),
    }
}
