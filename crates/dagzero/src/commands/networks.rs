//! Players with networks: a run's champion, a network file.

use std::path::Path;

use anyhow::Context;
use dz_config::{BootstrapEvaluator, SearchSection};
use dz_game::{GameSpec, canonical_spec};
use dz_network_file::NetworkFile;
use dz_play::{MatchPlayer, PlayerEvaluator, SearchPlayer};
use dz_store::{Ledger, ObjectRef, PlayerName, Run};

use super::rollout_settings::{search_with, shown};
use crate::{drive, exit::UsageError};

/// A player, with other data of its run or file.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Who plays.
    pub(crate) player: MatchPlayer,
    /// The game that its network or run is for.
    pub(crate) game: Option<GameSpec>,
    /// Whether it plays that game on boards of any size.
    pub(crate) any_size: bool,
    /// Plies after which its run ends a game.
    pub(crate) plies_max: Option<u32>,
}

impl Found {
    /// Plies after which its run ends a game of `game`, in canonical form, if it is that game.
    pub(crate) fn plies_max_on(&self, game: &GameSpec) -> Option<u32> {
        let own = self.own_game().ok().flatten();
        self.plies_max.filter(|_| own.as_ref() == Some(game))
    }

    /// The game that it is for, in canonical form, if it cannot play `game`, which is in this form
    /// as well: on boards of any size it plays all of one name.
    pub(crate) fn other_game(&self, game: &GameSpec) -> anyhow::Result<Option<GameSpec>> {
        let plays = |own: &GameSpec| own == game || (self.any_size && own.name() == game.name());
        Ok(self.own_game()?.filter(|own| !plays(own)))
    }

    fn own_game(&self) -> anyhow::Result<Option<GameSpec>> {
        Ok(self.game.as_ref().map(canonical_spec).transpose()?)
    }
}

/// The player at a path, its search with these keys; none where there is neither run nor file.
pub(super) fn find_file_or_run(
    path: &Path,
    playouts: u32,
    keys: &[String],
) -> anyhow::Result<Option<Found>> {
    if path.is_file() {
        return network_file_with(path, playouts, keys).map(Some);
    }
    if Run::exists(path) {
        return champion_with(path, None, playouts, keys).map(Some);
    }
    let text = path.to_string_lossy();
    if let Some((dir, generation)) = text.rsplit_once('@')
        && let Ok(generation) = generation.parse()
        && Run::exists(dir)
    {
        return champion_with(Path::new(dir), Some(generation), playouts, keys).map(Some);
    }
    Ok(None)
}

/// The keys shown behind a player's name, which distinguish the players of a match.
pub(super) fn shown_keys(keys: &[String]) -> String {
    keys.iter().flat_map(|key| [",".to_owned(), shown(key)]).collect()
}

/// A run's champion, or its champion of some generation; 0 is what stands in for a network.
pub(crate) fn champion(
    dir: &Path,
    generation: Option<u32>,
    playouts: u32,
) -> anyhow::Result<Found> {
    champion_with(dir, generation, playouts, &[])
}

/// As [`champion`], its search with these keys.
fn champion_with(
    dir: &Path,
    generation: Option<u32>,
    playouts: u32,
    keys: &[String],
) -> anyhow::Result<Found> {
    let run = Run::open(dir)?;
    let ledger = Ledger::open(&run)?;
    let state = ledger.state();
    let config = drive::config_of(&run, state)?.with_policies_in(run.root());
    let newest = generation.is_none();
    let generation = generation.unwrap_or(state.generation());
    let (word, evaluator) = if generation == 0 {
        let what = match config.bootstrap.evaluator {
            BootstrapEvaluator::Rollout => "a search with one game of random moves a leaf",
            BootstrapEvaluator::Uniform => "a search that knows the rules alone",
        };
        let why = if newest { "has no champion yet" } else { "has no network at generation 0" };
        dz_stage::stderr_line(&format!("{} {why}: {what} plays for it", dir.display()));
        ("bootstrap".to_owned(), config.bootstrap.evaluator.into())
    } else {
        let champions = state.cycles.values().filter_map(|cycle| cycle.champion.as_ref());
        let champion = champions.into_iter().find(|champion| champion.generation == generation);
        let newest = state.generation();
        let champion = champion.with_context(|| {
            format!("{} has no generation {generation}; it is at {newest}", dir.display())
        })?;
        (PlayerName::network(champion.cycle).to_string(), network(&run, &champion.network)?)
    };
    let section = search_with(config.search, keys).map_err(UsageError)?;
    let search = SearchPlayer::of_run(evaluator, &section, playouts);
    let name = format!("{}/{word}{}", run.name(), shown_keys(keys));
    Ok(Found {
        player: MatchPlayer::search(name, search),
        game: Some(config.run.game.parse()?),
        any_size: config.network.any_size,
        plies_max: Some(config.selfplay.plies_max),
    })
}

/// A network file, with the search settings of the run that it lies in, if it does.
pub(crate) fn network_file(path: &Path, playouts: u32) -> anyhow::Result<Found> {
    network_file_with(path, playouts, &[])
}

/// As [`network_file`], its search with these keys.
fn network_file_with(path: &Path, playouts: u32, keys: &[String]) -> anyhow::Result<Found> {
    let bytes = dz_text::read_input(path, NetworkFile::BYTES_MAX)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let file = NetworkFile::from_bytes(&bytes)
        .with_context(|| format!("{} is no network to play with", path.display()))?;
    let run = path.canonicalize()?.ancestors().skip(1).find(|dir| Run::exists(dir)).map(Run::open);
    let config_of = |run: &Run| -> anyhow::Result<_> {
        let config = drive::config_of(run, Ledger::open(run)?.state())?;
        Ok(config.with_policies_in(run.root()))
    };
    let config = run.transpose()?.as_ref().map(config_of).transpose()?;
    let plies_max = config.as_ref().map(|config| config.selfplay.plies_max);
    let search = config.map_or_else(SearchSection::defaults, |config| config.search);
    let search = search_with(search, keys).map_err(UsageError)?;
    let evaluator = PlayerEvaluator::Network { hash: file.content_id(), bytes: bytes.into() };
    let search = SearchPlayer::of_run(evaluator, &search, playouts);
    Ok(Found {
        player: MatchPlayer::search(format!("{}{}", path.display(), shown_keys(keys)), search),
        game: Some(file.header.spec.game.parse()?),
        any_size: file.header.spec.any_size,
        plies_max,
    })
}

fn network(run: &Run, object: &ObjectRef) -> anyhow::Result<PlayerEvaluator> {
    let bytes = run.get(object)?.as_ref().into();
    Ok(PlayerEvaluator::Network { hash: object.blake3.clone(), bytes })
}
