//! Sessions of one game with one player, for the commands that talk to people or front ends.

use dz_burn_net::DeviceChoice;
use dz_frontends::{COLLISIONS_MAX, GameSession, Session};
use dz_game::{Game, GameSpec, Komi, with_game};
use dz_gatekeeper::OnDevices;
use dz_infer::NetworkEvaluator;
use dz_play::{BoxError, MatchPlayer, NetworkLoader, PlayerEvaluator, PlayerKind, PlayerPool};

use super::players::{CACHE_ENTRIES, Found, TableArgs};

/// Playouts where neither the command line nor the front end sets a limit.
pub(super) const PLAYOUTS: u32 = 400;

/// Nodes that a search of one game may hold at least: half a gigabyte of Go 19x19.
const NODES: u32 = 1 << 19;

/// Leaves in flight that a thread's network evaluates together, and most of all threads. Two
/// batches a thread are out, so that none waits for the search; AlphaGo Zero had batches of 8 as
/// well (Silver et al. 2017, Methods, "Expand and evaluate"). The loss of strength by leaves in
/// flight is too small to show on the positions of `benchmarks/engine.md`.
const LEAVES_A_BATCH: usize = 8;
const LEAVES_MAX: usize = 64;

/// Sets up a search that has the device to itself: more nodes, and enough leaves for full batches.
pub(super) fn for_one_game(player: &mut MatchPlayer, threads: usize) {
    let PlayerKind::Search(search) = &mut player.kind else { return };
    search.reuse = true;
    let params = &mut search.params;
    params.nodes_max = params.nodes_max.max(NODES);
    if matches!(search.evaluator, PlayerEvaluator::Network { .. }) {
        let leaves = params.leaves_max;
        // A round of sequential halving ends while some of its leaves are in flight. In Connect
        // Four 32 leaves cost 49 Elo. The cost of 8 is within the error (`benchmarks/engine.md`).
        let batches = if params.selection.halves() { 1 } else { 2 * threads };
        let wanted = (LEAVES_A_BATCH * batches).min(LEAVES_MAX);
        params.leaves_max = leaves.max(u32::try_from(wanted).unwrap_or(leaves));
        if params.collisions_max == 0 {
            params.collisions_max = COLLISIONS_MAX;
        }
        // Some selections take one leaf at a time.
        if params.validate().is_err() {
            params.leaves_max = leaves;
        }
    }
}

/// Returns a session of a game with the player `found`, which has the device to itself. Moves have
/// the game's own names.
pub(super) fn session_of(
    found: Found,
    spec: &GameSpec,
    table: &TableArgs,
) -> anyhow::Result<Box<dyn Session>> {
    let mut player = found.player;
    let threads = rayon::current_num_threads();
    for_one_game(&mut player, threads);
    let device = dz_burn_net::pick_device(&table.device)?;
    let setup = SessionSetup {
        player: &player,
        device,
        seed: table.seed,
        own_names: true,
        threads,
        komi: None,
    };
    make_session(&setup, spec)
}

/// Returns a session of the game `spec`.
pub(super) fn make_session(
    setup: &SessionSetup<'_>,
    spec: &GameSpec,
) -> anyhow::Result<Box<dyn Session>> {
    with_game!(spec, |game| session(&game, setup))?
}

/// The player of a session and how the session is made.
pub(super) struct SessionSetup<'a> {
    pub(super) player: &'a MatchPlayer,
    pub(super) device: DeviceChoice,
    pub(super) seed: u64,
    /// Whether moves have the game's own names instead of the protocols' names.
    pub(super) own_names: bool,
    /// Threads of a network on the processor.
    pub(super) threads: usize,
    /// Another komi than the game's, for the same network.
    pub(super) komi: Option<Komi>,
}

/// Loads networks for a game, also where positions have another komi. Networks take komi as an
/// input.
struct ForEveryKomi<G> {
    game: G,
    devices: OnDevices,
}

impl<G: Game> NetworkLoader<G> for ForEveryKomi<G> {
    fn load(
        &self,
        _variant: &G,
        bytes: &[u8],
        optimism: f64,
    ) -> Result<Box<dyn NetworkEvaluator>, BoxError> {
        self.devices.load(&self.game, bytes, optimism)
    }
}

fn session<G: Game>(game: &G, setup: &SessionSetup<'_>) -> anyhow::Result<Box<dyn Session>> {
    let variant = setup.komi.and_then(|komi| game.with_komi(komi));
    let devices = OnDevices(vec![setup.device]);
    let loader = ForEveryKomi { game: game.clone(), devices };
    let mut pool = PlayerPool::new(variant.as_ref().unwrap_or(game), loader, CACHE_ENTRIES);
    // Loaded networks are what threads of their own work for.
    pool.prepare(setup.player)?;
    let pool = pool.on_threads(setup.threads);
    let made = GameSession::new(setup.player, pool, setup.seed)?;
    Ok(Box::new(if setup.own_names { made.with_own_names() } else { made }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dz_play::rollout_anchor;
    use dz_search::{Gumbel, Puct, Selection};

    use super::*;

    #[test]
    fn sequential_halving_has_one_batch_in_flight() {
        let leaves = |selection| {
            let mut player = rollout_anchor("network", 100);
            let PlayerKind::Search(search) = &mut player.kind else { panic!("it searches") };
            search.evaluator =
                PlayerEvaluator::Network { hash: String::new(), bytes: Arc::from([]) };
            search.params.selection = selection;
            for_one_game(&mut player, 2);
            let PlayerKind::Search(search) = player.kind else { panic!("it searches") };
            search.params.leaves_max
        };
        assert_eq!(leaves(Selection::Puct(Puct::default())), 32);
        assert_eq!(leaves(Selection::Gumbel(Gumbel::default())), 8);
    }
}
