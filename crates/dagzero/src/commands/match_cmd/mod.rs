//! `dagzero match`: two players against each other.

mod judge;
mod report;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, ensure};
use dz_burn_net::DeviceChoice;
use dz_game::{AnyGame, Game, GameSpec};
use dz_infer::Lockstep;
use dz_play::{
    EarlyStop, Match, MatchObserver, MatchPlayer, MatchProgress, MatchTask, PlayedMatch,
    write_match,
};
use dz_record::{Format, Sheet};
use dz_stats::SprtPlan;

use self::judge::Judged;
use self::report::Report;
use super::{
    create,
    export::games::match_record,
    players::{CACHE_ENTRIES, PlayerArg, game_of},
    seconds, write_line,
};
use crate::{Exit, exit::UsageError, shown::Shown};

/// Play a match between two players and say how sure the result is
///
/// A player is a run's directory (its champion), RUN@GENERATION (0 is what stood in for a network),
/// a network file, random, rollout:N (tree search with one random game a leaf), amaf:N (N random
/// games and all-moves-as-first values, without a tree), uniform:N (the search without knowledge),
/// with N playouts a move, solver (perfect play, in games that have a solver), solver:DEPTH (every
/// line of so many plies), or another program by its command line: gtp:COMMAND or uci:COMMAND, and
/// after each ; a line that is sent to it first. Keys of [search] may follow a run, a network file
/// or rollout:N, as in data/go9,selection=gumbel. Games are paired: each opening is played twice,
/// colours swapped, and no two openings are the same if the game has enough.
///
/// Every move is checked by our rules, which also say how a game ends. A program that ends, does
/// not answer in time or plays an illegal move loses the game and is started again.
///
/// Results are the first player's. Intervals are at 95 % and count pairs, not games.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero match data/connect4-quick rollout:1000 --games 400 --json\n  \
    dagzero match data/connect4-quick data/connect4-quick@1 --games 100 --playouts 200\n  \
    dagzero match uniform:100 random --game tictactoe --games 20 --judge\n  \
    dagzero match data/go9,value_bias_lambda=0.35 data/go9 --games 400\n  \
    dagzero match rollout:500,policy=mogo rollout:500 --game go:size=9 --games 100\n  \
    dagzero match data/go9 'gtp:gnugo --mode gtp --level 10' --out games.sgf\n  \
    dagzero match data/my-chess-run 'uci:stockfish; setoption name Skill Level value 0' \\\n      \
        --seconds 0.1 --sprt 0,50")]
pub(crate) struct Args {
    /// The player that the result is about
    #[arg(value_name = "A")]
    a: PlayerArg,
    /// Its opponent
    #[arg(value_name = "B")]
    b: PlayerArg,
    /// Games; even, two an opening [default: 100; 10000 at most with --sprt]
    #[arg(long, value_name = "N", value_parser = even)]
    games: Option<u64>,
    /// End as soon as a sequential test knows whether A is better than B by no more than ELO0 or by
    /// at least ELO1, in normalised Elo, with errors of 5 %
    #[arg(long, value_name = "ELO0,ELO1", value_parser = elos, allow_hyphen_values = true)]
    sprt: Option<Elos>,
    /// Playouts a move of champions and network files
    #[arg(long, value_name = "N", default_value_t = 100,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    playouts: u32,
    /// Seconds that other programs get to think about a move
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "1")]
    seconds: Duration,
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
    /// Keep the games in this file, which must not exist: records where its name ends in .sgf, .pgn
    /// or .txt, else as a run keeps its matches
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Judge A's moves by the game's solver, which may take minutes near the start of a game
    #[arg(long)]
    judge: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Plies after which a game is a draw, where no player's run says otherwise.
const PLIES_MAX: u32 = 1_000;

/// Games of a match, without and with a test that may end it before.
const GAMES: u64 = 100;
const GAMES_SPRT: u64 = 10_000;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let find = |player: &PlayerArg| player.with_move_time(args.seconds).find(args.playouts);
    let found = [find(&args.a)?, find(&args.b)?];
    let game = game_of(args.game.as_ref(), &found)?;
    // What cannot be judged is known before a game is played.
    let judge = args.judge.then(|| judge::judge(&game)).transpose()?;
    let plies_max = found.iter().filter_map(|found| found.plies_max_on(&game)).max();
    let plies_max = plies_max.unwrap_or(PLIES_MAX);
    let players = with_distinct_names(found.map(|found| found.player));
    let games = args.games.unwrap_or(if args.sprt.is_some() { GAMES_SPRT } else { GAMES });
    let test = args.sprt.map(|elos| elos.plan(games)).transpose()?;
    let plan = Match {
        players,
        games,
        opening_plies: args.opening_plies,
        seed: args.seed,
        plies_max,
        early_stop: test.map(EarlyStop::Test),
    };
    let device = dz_burn_net::pick_device(&args.device)?;
    let parallel_games = args.parallel_games as usize;
    let out_file = args.out.as_deref();
    let played = play(&game, &plan, device, parallel_games, out_file)?;
    let mut report = Report::of(&played, test.zip(args.sprt.map(|elos| elos.0)));
    report.judged = judge.map(|mut judge| Judged::of(&mut *judge, &played)).transpose()?;
    if args.json {
        write_line(out, &report)?;
    } else {
        report.write_text(&mut Shown::new(out))?;
    }
    Ok(Exit::Done)
}

/// Players of one name, two programs of one file for example, are numbered, so that records and
/// ratings can distinguish them.
fn with_distinct_names(mut players: [MatchPlayer; 2]) -> [MatchPlayer; 2] {
    if players[0].name == players[1].name {
        for (number, player) in (1..).zip(&mut players) {
            player.name = format!("{}-{number}", player.name);
        }
    }
    players
}

/// Plays the match, and writes its games to `out_file`.
fn play(
    game: &GameSpec,
    plan: &Match,
    device: DeviceChoice,
    parallel_games: usize,
    out_file: Option<&Path>,
) -> anyhow::Result<PlayedMatch> {
    // What cannot be written is known before a game is played.
    let format = match out_file {
        Some(path) => Some(kept_as(&AnyGame::of(game)?, path)?),
        None => None,
    };
    let file = out_file.map(create).transpose()?;
    let mut arena = dz_gatekeeper::arena(game, &[device], CACHE_ENTRIES)?;
    let lockstep = Lockstep { parallel_games, groups: 2 };
    let task = MatchTask { plan, store: None };
    let played = arena.play(vec![task], &lockstep, &mut Tenths::default());
    if let (Some(path), true) = (out_file, played.is_err()) {
        // An empty file would only be in the way of the next try. Failing to remove it is no second
        // fault.
        let _ = fs::remove_file(path);
    }
    let played = played?.pop().context("a match was not played; please report this")?;
    if let (Some(path), Some(mut file), Some(format)) = (out_file, file, format) {
        let bytes = match format {
            None => write_match(&played.header, &played.games)?,
            Some(format) => records(&AnyGame::of(game)?, &played, format)?.into_bytes(),
        };
        let done = file.write_all(&bytes);
        done.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(played)
}

/// The format of records that a file's name asks for, `None` for a match file. Known before a game
/// is played.
fn kept_as<G: Game>(game: &G, path: &Path) -> anyhow::Result<Option<Format>> {
    let extension = path.extension().unwrap_or_default();
    let format = match extension.to_str() {
        Some("sgf") => Format::Sgf,
        Some("pgn") => Format::Pgn,
        Some("txt") => Format::Plain,
        _ => return Ok(None),
    };
    let own = Format::of(game);
    let fits = format == own || format == Format::Plain;
    let spec = game.spec();
    let wrong = format.extension();
    let right = own.extension();
    let what = || format!("{spec} is not kept as .{wrong}; let --out end in .{right} or .txt");
    ensure!(fits, UsageError(what()));
    Ok(Some(format))
}

/// All games, one after the other.
fn records<G: Game>(game: &G, played: &PlayedMatch, format: Format) -> anyhow::Result<String> {
    let [a, b] = &played.header.players;
    let event = format!("{} against {}", a.name, b.name);
    let one = |kept| Ok(match_record(event.clone(), &played.header, kept).sheet(game, format)?);
    let sheets: anyhow::Result<Vec<Sheet>> = played.games.iter().map(one).collect();
    let texts: Vec<String> = sheets?.iter().map(ToString::to_string).collect();
    Ok(texts.join(format.separator()))
}

/// The two differences that a sequential test decides between.
#[derive(Clone, Copy, Debug)]
struct Elos([f64; 2]);

impl Elos {
    fn plan(self, games: u64) -> anyhow::Result<SprtPlan> {
        let [elo0, elo1] = self.0;
        // The errors that engine testers commonly allow, and the gate's defaults.
        let plan = SprtPlan::new(elo0, elo1, 0.05, 0.05, games / 2);
        plan.map_err(|error| UsageError(format!("--sprt: {error}")).into())
    }
}

fn elos(text: &str) -> Result<Elos, String> {
    let numbers: Vec<f64> =
        text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    match numbers[..] {
        [elo0, elo1] if elo0 < elo1 => Ok(Elos([elo0, elo1])),
        _ => Err("two numbers, the smaller first, such as 0,50".to_owned()),
    }
}

/// Says on standard error how far the match is, ten times in all.
#[derive(Default)]
struct Tenths {
    said: u64,
}

impl MatchObserver for Tenths {
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
}

fn even(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(games) if games >= 2 && games % 2 == 0 => Ok(games),
        _ => Err("games come in pairs: write an even number of 2 or more".to_owned()),
    }
}
