//! `dagzero engine`: a player behind a protocol that front ends speak.

use std::{
    fs,
    io::{self, Write},
    sync::mpsc,
    thread,
    time::Duration,
};

use clap::{ArgGroup, ValueEnum};
use dz_frontends::{
    Gtp, Limits, Protocol, ResignRule, Resignation, SessionMaker, SystemClock, Uci, converse,
    read_lines,
};
use dz_game::GameSpec;

use super::{
    players::{ChampionArgs, PlayerArg, TableArgs, game_of},
    seconds,
    session::{PLAYOUTS, SessionSetup, for_one_game, make_session},
};
use crate::{Exit, exit::UsageError};

/// Play behind a protocol that front ends speak: GTP 2 or, for chess, UCI
///
/// The player is a run's champion, a network file, or a player as `dagzero match` names them. A
/// front end may ask for another size or komi: then the game begins anew under these rules, if the
/// player can play them; a network is for one size, unless it was made for any
/// (`network.any_size`).
///
/// A move's search ends at --playouts, --seconds, or its share of the clock that the front end has
/// set, whichever comes first; without any of them after 400 playouts. `rollout:N` and `uniform:N`
/// bring their N. The tree is kept for the next moves, the opponent's too.
///
/// In UCI, `go nodes` goes before --playouts, and `go depth` is no limit; everything else of `go`
/// is. In Go areas are counted with every stone alive; two passes end the game, and moves after
/// them take the passes back.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "dagzero engine <PROTOCOL> <PLAYER | --run RUN | --network PATH> [OPTIONS]",
    group = ArgGroup::new("who").required(true).args(["player", "run", "network"]),
    after_help = "Examples:\n  \
    dagzero engine gtp --run data/go9 --seconds 2\n  \
    dagzero engine gtp --network data/go9/networks/cycle-0009.dzn --playouts 800\n  \
    dagzero engine gtp rollout:1000 --game go:size=9\n  \
    dagzero engine uci --run data/my-chess-run"
)]
pub(crate) struct Args {
    /// The protocol
    protocol: ProtocolName,
    /// A player: RUN, RUN@GENERATION, a network file, random, rollout:N, uniform:N, solver or
    /// solver:DEPTH
    player: Option<PlayerArg>,
    #[command(flatten)]
    champion: ChampionArgs,
    #[command(flatten)]
    table: TableArgs,
    /// Playouts a move at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    playouts: Option<u32>,
    /// Seconds a move at most
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Resign (GTP) when the value, from -1 to 1, is below this by the rule; -1 is never
    #[arg(long, value_name = "VALUE", default_value_t = -0.9, value_parser = value,
        allow_negative_numbers = true)]
    resign: f32,
    /// What has to be below --resign
    #[arg(long, value_name = "RULE", value_enum, default_value_t = ResignRuleName::Turns)]
    resign_rule: ResignRuleName,
}

/// When an engine resigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ResignRuleName {
    /// The value of the position, on three own moves in a row
    Turns,
    /// The value of the best move, at once, as AlphaGo did
    BestMove,
}

/// What front ends speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProtocolName {
    /// GTP 2: Go, Othello, Hex, Gomoku
    Gtp,
    /// UCI: chess
    Uci,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let table = &args.table;
    let mut found = args.champion.find(args.player.as_ref(), args.playouts.unwrap_or(PLAYOUTS))?;
    let is_uci = args.protocol == ProtocolName::Uci;
    // UCI has no other game, so a player of any game needs none here.
    let chess: GameSpec = "chess".parse()?;
    let otherwise = (is_uci && found.game.is_none()).then_some(&chess);
    let spec = game_of(table.game.as_ref().or(otherwise), std::slice::from_ref(&found))?;
    if is_uci && spec.name() != "chess" {
        let what = format!("UCI is for chess, not for {spec}; write dagzero engine gtp");
        return Err(UsageError(what).into());
    }
    for_one_game(&mut found.player, rayon::current_num_threads());
    let device = dz_burn_net::pick_device(&table.device)?;
    let player = found.player;
    let seed = table.seed;
    let make = move |spec: &GameSpec| {
        let threads = rayon::current_num_threads();
        let setup =
            SessionSetup { player: &player, device, seed, own_names: false, threads, komi: None };
        make_session(&setup, spec)
    };
    let session = make(&spec)?;
    let maker: SessionMaker =
        Box::new(move |spec| make(spec).map_err(|error| format!("{error:#}")));
    let rule = match args.resign_rule {
        ResignRuleName::Turns => Resignation::default().rule,
        ResignRuleName::BestMove => ResignRule::BestMove,
    };
    let resignation = Resignation { value: args.resign, rule };
    let clock = Box::new(SystemClock::default());
    let mut protocol: Box<dyn Protocol> = match args.protocol {
        ProtocolName::Gtp => {
            let gtp = Gtp::new(session, maker, clock, args.limits(), resignation);
            Box::new(
                gtp.with_files(Box::new(|path| fs::read(path)))
                    .with_written_files(Box::new(|path, bytes| fs::write(path, bytes))),
            )
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
    fn limits(&self) -> Limits {
        let playouts = self.playouts.or(self.player.as_ref().and_then(PlayerArg::own_playouts));
        Limits { playouts, time: self.seconds, default_playouts: PLAYOUTS }
    }
}

fn value(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|value| (-1.0..=1.0).contains(value));
    value.ok_or_else(|| "a value from -1 to 1".to_owned())
}
