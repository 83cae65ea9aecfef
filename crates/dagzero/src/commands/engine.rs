//! `dagzero engine`: a player behind a protocol that front ends speak.

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::ensure;
use clap::{ArgGroup, ValueEnum};
use dz_engine::{
    GameSession, Gtp, Limits, Maker, Protocol, Resignation, Session, SystemClock, Uci, converse,
    read_lines,
};
use dz_game::{Game, GameSpec, GameVisitor, with_game};
use dz_gatekeeper::{Contestant, ContestantKind, Mind, OnDevice, Players};
use dz_net::DeviceChoice;
use dz_play::search_faults;

use super::{
    match_cmd::{CACHE_ENTRIES, game_of},
    players::{Found, PlayerArg, champion, network_file},
    search::seconds,
};
use crate::{Exit, exit::UsageError};

/// Play behind a protocol that front ends speak: GTP 2 or, for chess, UCI
///
/// The player is a run's champion, a network file, or a player as `dagzero match` names them. A front end
/// may ask for another size or komi: then the game begins anew under these rules, if the player can play
/// them; a network is for one size.
///
/// A move's search ends at --playouts, --seconds, or its share of the clock that the front end has set,
/// whichever comes first; without any of them after 400 playouts. `rollout:N` and `uniform:N` bring
/// their N. What a search found is kept for the next moves, the opponent's too.
///
/// In UCI, `go nodes` goes before --playouts, and `go depth` is no limit; everything else of `go` is. In
/// Go areas are counted with every stone alive; two passes end the game, and moves after them take the
/// passes back.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "dagzero engine <PROTOCOL> <PLAYER | --run RUN | --network PATH> [OPTIONS]",
    group = ArgGroup::new("who").required(true).args(["player", "run", "network"]),
    after_help = "Examples:\n  \
    dagzero engine gtp --run data/go9-quick --seconds 2\n  \
    dagzero engine gtp --network data/go9-quick/networks/cycle-0009.dzn --playouts 800\n  \
    dagzero engine gtp rollout:1000 --game go:size=9\n  \
    dagzero engine uci --run data/my-chess-run"
)]
pub(crate) struct Args {
    /// The protocol
    protocol: ProtocolName,
    /// A player: RUN, RUN@GENERATION, a network file, random, rollout:N or uniform:N
    player: Option<PlayerArg>,
    /// A run, whose champion plays
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
    /// A network file
    #[arg(long, value_name = "PATH")]
    network: Option<PathBuf>,
    /// The game, where the player has none of its own
    #[arg(long, value_name = "GAME")]
    game: Option<GameSpec>,
    /// Playouts a move at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    playouts: Option<u32>,
    /// Seconds a move at most
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Resign (GTP) when the value, from -1 to 1, is below this for three own moves in a row; -1 is never
    #[arg(long, value_name = "VALUE", default_value_t = -0.9, value_parser = value,
        allow_negative_numbers = true)]
    resign: f32,
    /// Fixes every random choice
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// What evaluates networks: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
}

/// What front ends speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProtocolName {
    /// GTP 2: Go, Othello, Hex, Gomoku
    Gtp,
    /// UCI: chess
    Uci,
}

/// Playouts where neither the command line nor the front end sets a limit.
const PLAYOUTS: u32 = 400;

/// Nodes that a search of one game may hold at least: half a gigabyte of Go 19x19.
const NODES: u32 = 1 << 19;

/// Leaves that a network evaluates together at least. With 8, AlphaGo Zero's number (Silver et al. 2017,
/// Methods, "Expand and evaluate"), one search has nine tenths of the evaluations a second that many
/// searches have together on two cores, with 16 nearly as many; what that costs in moves is too little for
/// the positions there to show (`benchmarks/engine.md`).
const LEAVES: u32 = 16;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let mut found = args.found()?;
    let spec = game_of(args.game.as_ref(), std::slice::from_ref(&found))?;
    if args.protocol == ProtocolName::Uci && spec.name() != "chess" {
        let what = format!("UCI is for chess, not for {spec}; write dagzero engine gtp");
        return Err(UsageError(what).into());
    }
    no_program(args.player.as_ref())?;
    for_one_game(&mut found.contestant);
    let device = dz_net::pick_device(&args.device)?;
    let (contestant, seed) = (found.contestant, args.seed);
    let make = move |spec: &GameSpec| make_session(&contestant, spec, device, seed);
    let session = make(&spec)?;
    let maker: Maker = Box::new(move |spec| make(spec).map_err(|error| format!("{error:#}")));
    let resignation = Resignation { value: args.resign, ..Resignation::default() };
    let clock = Box::new(SystemClock::default());
    let mut protocol: Box<dyn Protocol> = match args.protocol {
        ProtocolName::Gtp => {
            let gtp = Gtp::new(session, maker, clock, args.limits(), resignation);
            Box::new(gtp.with_files(Box::new(|path| fs::read(path))))
        }
        ProtocolName::Uci => Box::new(Uci::new(session, clock, args.limits())),
    };
    let (sender, lines) = mpsc::channel();
    // Ends with the process, which does not wait for a front end's next line.
    thread::spawn(move || read_lines(&mut io::stdin().lock(), &sender));
    converse(&mut *protocol, &lines, out)?;
    Ok(Exit::Done)
}

impl Args {
    fn found(&self) -> anyhow::Result<Found> {
        let playouts = self.playouts.unwrap_or(PLAYOUTS);
        match (&self.run, &self.network, &self.player) {
            (Some(run), _, _) => champion(run, None, playouts),
            (None, Some(path), _) => network_file(path, playouts),
            (None, None, Some(player)) => player.find(playouts),
            (None, None, None) => unreachable!("the command line has one of them"),
        }
    }

    fn limits(&self) -> Limits {
        let own = match self.player {
            Some(PlayerArg::Rollout(playouts) | PlayerArg::Uniform(playouts)) => Some(playouts),
            // It knows, and searches nothing.
            Some(PlayerArg::Solver(_)) => Some(1),
            _ => None,
        };
        let playouts = self.playouts.or(own);
        Limits { playouts, time: self.seconds, otherwise: PLAYOUTS }
    }
}

/// Other programs are no players of sessions.
pub(super) fn no_program(player: Option<&PlayerArg>) -> anyhow::Result<()> {
    let what = "another program speaks for itself: give its own command to the front end";
    ensure!(!matches!(player, Some(PlayerArg::Engine(_))), UsageError(what.to_owned()));
    Ok(())
}

/// A search that is alone with the device: it keeps more, and fills batches by itself.
fn for_one_game(contestant: &mut Contestant) {
    let ContestantKind::Search { mind, search, .. } = &mut contestant.kind else { return };
    search.reuse = true;
    search.nodes_max = search.nodes_max.max(NODES);
    let leaves = search.leaves_max;
    if matches!(mind, Mind::Network { .. }) {
        search.leaves_max = leaves.max(LEAVES);
        // Some selections take one leaf at a time.
        if !search_faults(search).is_empty() {
            search.leaves_max = leaves;
        }
    }
}

/// A session of a game whose player is `found`, which has the device to itself.
pub(super) fn session_of(
    found: Found,
    spec: &GameSpec,
    device: &str,
    seed: u64,
) -> anyhow::Result<Box<dyn Session>> {
    let mut contestant = found.contestant;
    for_one_game(&mut contestant);
    make_session(&contestant, spec, dz_net::pick_device(device)?, seed)
}

fn make_session(
    contestant: &Contestant,
    spec: &GameSpec,
    device: DeviceChoice,
    seed: u64,
) -> anyhow::Result<Box<dyn Session>> {
    let seat = Seat { contestant, device, seed };
    with_game(spec, seat).map_err(anyhow::Error::from).and_then(|made| made)
}

/// Makes a session of whichever game.
struct Seat<'a> {
    contestant: &'a Contestant,
    device: DeviceChoice,
    seed: u64,
}

impl GameVisitor for Seat<'_> {
    type Output = anyhow::Result<Box<dyn Session>>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        let networks = OnDevice(self.device);
        let mut players = Players::new(&game, &networks, CACHE_ENTRIES);
        let setup = players.seat(self.contestant)?;
        let sources = players.into_sources();
        Ok(Box::new(GameSession::new(game.clone(), setup, sources, self.seed)))
    }
}

fn value(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|value| (-1.0..=1.0).contains(value));
    value.ok_or_else(|| "a value from -1 to 1".to_owned())
}
