//! Players by what people write: a run, a network file, or a fixed opponent.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use anyhow::ensure;
use dz_config::{SOLVER_DEPTH_MAX, SearchSection};
use dz_external_engines::{EngineError, EnginePool, EngineSpec};
use dz_game::{GameSpec, canonical_spec};
use dz_play::{
    MatchPlayer, PlayerEvaluator, PlayerKind, SearchPlayer, one_ply_player, rollout_player,
};

pub(crate) use super::networks::{Found, champion, network_file};
use super::networks::{find_file_or_run, shown_keys};
use super::rollout_settings::{rollout_settings, setting, split_outside_braces};
use crate::exit::UsageError;

/// Evaluations that each network's cache keeps.
pub(super) const CACHE_ENTRIES: usize = 1 << 18;

/// A player as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayerArg {
    /// `random`.
    Random,
    /// `rollout:N`, with keys of `[search]` behind it: `rollout:N,policy=mogo,selection=rave`.
    Rollout {
        /// Playouts a move.
        playouts: u32,
        /// `search.key=value`, as far as it differs from the anchors' search.
        settings: Vec<String>,
    },
    /// `uniform:N`.
    Uniform(u32),
    /// `amaf:N`, the reference bot of the computer-go list.
    Amaf(u32),
    /// `solver`, or `solver:DEPTH`, which knows no more than every line of so many plies.
    Solver(Option<u32>),
    /// `gtp:COMMAND` or `uci:COMMAND`.
    Engine(EngineSpec),
    /// A run's directory, or one with `@GENERATION` behind it, or a network file. Keys of
    /// `[search]` may follow.
    Path(PathBuf),
}

/// What a game with one player of ours is played with.
#[derive(Debug, clap::Args)]
pub(crate) struct TableArgs {
    /// The game, where the player has none of its own
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<GameSpec>,
    /// Fixes every random choice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// What evaluates networks: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto")]
    pub(crate) device: String,
}

/// One player of ours, where it is not named as `dagzero match` names players.
#[derive(Debug, clap::Args)]
pub(crate) struct ChampionArgs {
    /// A run, whose champion is meant
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
    /// A network file
    #[arg(long, value_name = "PATH")]
    network: Option<PathBuf>,
}

impl ChampionArgs {
    /// Whether a run or a network is named.
    pub(crate) fn is_named(&self) -> bool {
        self.run.is_some() || self.network.is_some()
    }

    /// Finds the run's champion, the network, or `player`, of which there is one; no program of
    /// others, for those are no players of sessions.
    pub(crate) fn find(&self, player: Option<&PlayerArg>, playouts: u32) -> anyhow::Result<Found> {
        match (&self.run, &self.network, player) {
            (Some(run), _, _) => champion(run, None, playouts),
            (None, Some(path), _) => network_file(path, playouts),
            (None, None, Some(player)) => player.find_ours(playouts),
            (None, None, None) => unreachable!("one of them is asked for"),
        }
    }
}

/// Returns the one game that all players can play: the given one; else that of a player whose
/// network is for one board; else that of the first player.
pub(super) fn game_of(given: Option<&GameSpec>, found: &[Found]) -> anyhow::Result<GameSpec> {
    let games = |any_size: bool| {
        let some = found.iter().filter(move |found| found.any_size == any_size);
        some.filter_map(|found| found.game.as_ref())
    };
    let first = given.into_iter().chain(games(false)).chain(games(true)).next();
    let first =
        first.ok_or_else(|| UsageError("no player has a game; name one with --game".to_owned()))?;
    let canonical = canonical_spec(first)?;
    for player in found {
        if let Some(other) = player.other_game(&canonical)? {
            let what = format!("one is for {canonical}, the other for {other}");
            return Err(UsageError(what).into());
        }
    }
    Ok(canonical)
}

impl FromStr for PlayerArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let playouts = |count: &str| match count.parse() {
            Ok(count) if count >= 1 => Ok(count),
            _ => Err(format!("{count:?} is no number of playouts; write for example rollout:1000")),
        };
        let depth = |count: &str| match count.parse() {
            Ok(depth @ 1..=SOLVER_DEPTH_MAX) => Ok(Self::Solver(Some(depth))),
            _ => Err(format!("{count:?} is no depth; write for example solver:4")),
        };
        // Records and ratings call a player rollout-1000, so that is read as well.
        let dashed = text.split_once('-').filter(|(_, count)| count.parse::<u32>().is_ok());
        match dashed.or(text.split_once(':')) {
            _ if text == "random" => Ok(Self::Random),
            _ if text == "solver" => Ok(Self::Solver(None)),
            Some(("solver", count)) => depth(count),
            Some(("gtp" | "uci", _)) => {
                text.parse().map(Self::Engine).map_err(|error: EngineError| error.to_string())
            }
            Some(("rollout", rest)) => {
                let mut parts = split_outside_braces(rest).into_iter();
                let playouts = playouts(parts.next().unwrap_or_default())?;
                let settings = parts.map(setting).collect();
                Self::Rollout { playouts, settings }.checked()
            }
            Some(("uniform", count)) => Ok(Self::Uniform(playouts(count)?)),
            Some(("amaf", count)) => Ok(Self::Amaf(playouts(count)?)),
            _ => Ok(Self::Path(text.into())),
        }
    }
}

impl PlayerArg {
    /// Refuses settings that the search does not have.
    fn checked(self) -> Result<Self, String> {
        if let Self::Rollout { settings, .. } = &self {
            rollout_settings(settings)?;
        }
        Ok(self)
    }

    /// As [`PlayerArg::find`], of players that are no other programs.
    pub(crate) fn find_ours(&self, playouts: u32) -> anyhow::Result<Found> {
        let what = "another program speaks for itself: give its own command to the front end";
        ensure!(!matches!(self, Self::Engine(_)), UsageError(what.to_owned()));
        self.find(playouts)
    }

    /// Playouts a move that the player's name brings along.
    pub(crate) fn own_playouts(&self) -> Option<u32> {
        match self {
            Self::Rollout { playouts, .. } | Self::Uniform(playouts) => Some(*playouts),
            // It knows, and searches nothing.
            Self::Solver(_) | Self::Amaf(_) => Some(1),
            Self::Random | Self::Engine(_) | Self::Path(_) => None,
        }
    }

    /// Finds the player. `playouts` a move are those of a run's champion or a network file.
    pub(crate) fn find(&self, playouts: u32) -> anyhow::Result<Found> {
        let player = match self {
            Self::Random => MatchPlayer { name: "random".to_owned(), kind: PlayerKind::Random },
            Self::Rollout { playouts, settings } => {
                let section = rollout_settings(settings).map_err(UsageError)?;
                // Its name distinguishes it from the other players of a match.
                let name = format!("rollout-{playouts}{}", shown_keys(settings));
                rollout_player(&name, &section, *playouts)
            }
            Self::Uniform(playouts) => {
                let section = SearchSection::defaults();
                let search = SearchPlayer::of_run(PlayerEvaluator::Uniform, &section, *playouts);
                MatchPlayer::search(format!("uniform-{playouts}"), search)
            }
            Self::Amaf(playouts) => {
                one_ply_player(&format!("amaf-{playouts}"), PlayerEvaluator::Amaf(*playouts))
            }
            Self::Solver(None) => one_ply_player("solver", PlayerEvaluator::Solver),
            Self::Solver(Some(depth)) => {
                one_ply_player(&format!("solver-{depth}"), PlayerEvaluator::Lookahead(*depth))
            }
            Self::Engine(spec) => {
                let kind = PlayerKind::Engine(Arc::new(EnginePool::new(spec.clone())));
                MatchPlayer { name: spec.program().to_owned(), kind }
            }
            Self::Path(path) => return find_path(path, playouts),
        };
        Ok(Found { player, game: None, any_size: false, plies_max: None })
    }

    /// The same player, with so much time for a move if it is another program.
    pub(crate) fn with_move_time(&self, move_time: Duration) -> Self {
        match self {
            Self::Engine(spec) => Self::Engine(EngineSpec { move_time, ..spec.clone() }),
            other => other.clone(),
        }
    }
}

/// Finds the champion or network file that a path names. Keys of `[search]` may follow the path.
/// Returns `None` where there is neither a run nor a file.
pub(crate) fn find_trained(path: &Path, playouts: u32) -> anyhow::Result<Option<Found>> {
    if let Some(found) = find_file_or_run(path, playouts, &[])? {
        return Ok(Some(found));
    }
    let text = path.to_string_lossy();
    let mut parts = split_outside_braces(&text).into_iter();
    let own = Path::new(parts.next().unwrap_or_default());
    let keys: Vec<String> = parts.map(setting).collect();
    if keys.is_empty() {
        return Ok(None);
    }
    find_file_or_run(own, playouts, &keys)
}

fn find_path(path: &Path, playouts: u32) -> anyhow::Result<Found> {
    if let Some(found) = find_trained(path, playouts)? {
        return Ok(found);
    }
    let text = path.to_string_lossy();
    let what = format!(
        "{text} is no player: there is neither a run nor a network file; write a run's directory, \
         RUN@GENERATION, a network file, random, rollout:N, amaf:N, uniform:N, solver, \
         solver:DEPTH, \
         gtp:COMMAND or uci:COMMAND"
    );
    Err(UsageError(what).into())
}

#[cfg(test)]
mod tests {
    use dz_config::{Anchor, AnchorKind, RolloutAnchor, RolloutMoves, SelectionWord};

    use super::*;

    #[test]
    fn a_rollout_anchor_plays_as_the_player_of_its_keys() {
        let plain = RolloutAnchor::plain(30);
        let mogo = RolloutAnchor { policy: RolloutMoves::Mogo, ..plain.clone() };
        let rave = RolloutAnchor { selection: SelectionWord::Rave, ..mogo.clone() };
        for rollout in [plain, mogo, rave] {
            let text = format!("rollout:{}{}", rollout.playouts, rollout.player_keys());
            let player = text.parse::<PlayerArg>().unwrap().find(1).unwrap().player;
            let anchor = Anchor { name: text, kind: AnchorKind::Rollout(rollout) };
            assert_eq!(player.kind, dz_play::anchor_player(&anchor).unwrap().kind);
        }
    }

    #[test]
    fn players_are_distinguished() {
        let parse = |text: &str| text.parse::<PlayerArg>();
        assert_eq!(parse("random"), Ok(PlayerArg::Random));
        let rollout = |playouts, settings: &[&str]| {
            let settings = settings.iter().map(|&key| key.to_owned()).collect();
            Ok(PlayerArg::Rollout { playouts, settings })
        };
        assert_eq!(parse("rollout:1000"), rollout(1000, &[]));
        let mogo =
            ["search.rollout=mogo", "search.selection=rave", "search.epsilon={ share = 0.1 }"];
        let found = parse("rollout:30,policy=mogo,selection=rave,epsilon={ share = 0.1 }");
        assert_eq!(found, rollout(30, &mogo));
        let name = found.unwrap().find(1).unwrap().player.name;
        assert_eq!(name, "rollout-30,policy=mogo,selection=rave,epsilon={ share = 0.1 }");
        for wrong in ["rollout:30,policy=best", "rollout:30,polcy=mogo", "rollout:30,", "rollout:,"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse("uniform:8"), Ok(PlayerArg::Uniform(8)));
        assert_eq!(parse("amaf:2000"), Ok(PlayerArg::Amaf(2000)));
        assert_eq!(parse("amaf-2000").unwrap().find(1).unwrap().player.name, "amaf-2000");
        assert_eq!(parse("rollout-30"), rollout(30, &[]));
        assert_eq!(parse("solver"), Ok(PlayerArg::Solver(None)));
        assert_eq!(parse("solver:4"), Ok(PlayerArg::Solver(Some(4))));
        assert!(matches!(parse("uci:stockfish; go nodes 5"), Ok(PlayerArg::Engine(_))));
        assert!(
            parse("gtp:").is_err() && parse("gtp:sh 'x").is_err() && parse("solver:0").is_err()
        );
        assert_eq!(parse("data/go9"), Ok(PlayerArg::Path("data/go9".into())));
        assert_eq!(parse("data/x@3"), Ok(PlayerArg::Path("data/x@3".into())));
        assert!(parse("rollout:0").is_err() && parse("rollout:many").is_err());
        assert!(parse("amaf:0").is_err());
        let error = PlayerArg::Path("/nowhere@2".into()).find(10).unwrap_err();
        assert!(error.to_string().contains("RUN@GENERATION"), "{error}");
    }
}
