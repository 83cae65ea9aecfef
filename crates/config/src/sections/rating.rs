//! `[rating]`: the games that place a champion on the Elo scale.

use std::collections::BTreeSet;

use dz_search_settings::{RolloutMoves, SelectionWord};

use dz_config_keys::{
    Entry, Fault, Field, Limits, Table, TableReader, Value, above, choice, even, real,
    schema::object, section, whole,
};
section! {
    /// `[rating]`: the games that place a champion on the Elo scale; gate games are no part of
    /// them.
    pub struct RatingSection = "rating" {
        /// Games a cycle against each opponent, two an opening with colours swapped; 0 rates
        /// nobody.
        [Results, even(0, 1_000_000)] games: u32 = 40;
        /// Share of a run that rating games may take, counted in playouts of self-play and ratings
        /// so far (50 with rollouts count as one with a network; random moves and solvers count
        /// nothing, other programs like a network). It is not counted in seconds, so the same seed
        /// plans the same matches on every machine. Above the share all matches are shortened
        /// equally, to 4 games each at least, and then left out from the last one on. 1 is no
        /// limit.
        [Results, above(0.0, 1.0)] time_share: f64 = 0.1;
        /// Playouts a move of the champion and of earlier generations.
        [Results, whole(2, 1_000_000)] playouts: u32 = 100;
        /// Whether each candidate's raw policy, which plays without a search, meets the anchors too
        /// and is rated as `policy-NNNN`: it separates what the network has learned from what the
        /// search adds.
        [Results, Limits::Any] policy: bool = true;
        /// How many earlier champions are played: those 1, 3, 10, 2, 30, 5, 100 and 7 before, in
        /// this order. The games of an anchor that the last two networks beat nearly always, or
        /// lost to, go to the champion whose rating is the least certain.
        [Results, whole(0, 8)] neighbours: u32 = 2;
        /// Random plies of each opening; openings are distinct.
        [Results, whole(0, 10_000)] opening_plies: u32 = 4;
        /// The fixed opponents, which pin the Elo scale. A `solver` plays an optimal move, each
        /// equally likely; it needs a game that has a solver (Connect Four's takes seconds a move
        /// before ply 10, so set `opening_plies = 10`). With `depth = N` it searches N plies only,
        /// in any game. Another program (`gtp`, `uci`) that is `optional` is left out on machines
        /// that do not have it.
        [Results, Limits::Any] anchors: Vec<Anchor> = vec![
            Anchor { name: "random".to_owned(), kind: AnchorKind::Random },
            Anchor {
                name: "rollout-1000".to_owned(),
                kind: AnchorKind::Rollout(RolloutAnchor::plain(1_000)),
            },
        ];
    }
}

/// A fixed opponent.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// What reports call it; each anchor of a run has its own.
    pub name: String,
    /// How it plays.
    pub kind: AnchorKind,
}

/// How a fixed opponent plays.
#[derive(Clone, Debug, PartialEq)]
pub enum AnchorKind {
    /// Legal moves, each equally likely.
    Random,
    /// Tree search without a network.
    Rollout(RolloutAnchor),
    /// One of the best moves, each as likely.
    Solver {
        /// Plies of every line that is looked at, at least 1. A line that is not decided by then
        /// counts as a draw. Without it perfect play, in games that have a solver.
        depth: Option<u32>,
    },
    /// Another program.
    Engine(EngineAnchor),
}

/// Tree search as an anchor: one rollout a leaf is all it knows.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutAnchor {
    /// Playouts a move; at least 1.
    pub playouts: u32,
    /// How rollouts move; `uniform` where the file does not say.
    pub policy: RolloutMoves,
    /// Formula that picks the search's moves; `uct` where the file does not say.
    pub selection: SelectionWord,
}

impl RolloutAnchor {
    /// UCT with rollouts of random moves, `playouts` a move.
    pub const fn plain(playouts: u32) -> Self {
        Self { playouts, policy: RolloutMoves::Uniform, selection: SelectionWord::Uct }
    }

    /// The keys behind the playouts in the name of such a player, `,policy=mogo,selection=rave`, as
    /// `dagzero match` reads them.
    pub fn player_keys(&self) -> String {
        let policy = match &self.policy {
            RolloutMoves::Uniform => String::new(),
            other => format!(",policy={other}"),
        };
        match self.selection {
            SelectionWord::Uct => policy,
            other => format!("{policy},selection={other}"),
        }
    }
}

/// Another program as an anchor.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineAnchor {
    /// What it speaks.
    pub protocol: EngineProtocol,
    /// Its command line; quotes keep words together.
    pub command: String,
    /// Lines said to it once it runs, such as `setoption name Skill Level value 0`.
    pub setup: Vec<String>,
    /// Seconds that it gets to think about a move.
    pub seconds: f64,
    /// Whether ratings do without it on machines that do not have the program.
    pub optional: bool,
}

/// What another program speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineProtocol {
    /// GTP 2.
    Gtp,
    /// UCI.
    Uci,
}

/// Most plies that a solver of some depth looks ahead.
pub const SOLVER_DEPTH_MAX: u32 = 100;

const PLAYOUTS: Limits = whole(1, 1_000_000);
const DEPTH: Limits = whole(1, SOLVER_DEPTH_MAX as u64);
const SECONDS: Limits = real(0.001, 3600.0);

choice! {
    /// What an anchor's `kind` may be in the file.
    enum KindWord {
        /// See [`AnchorKind::Random`].
        Random = "random",
        /// See [`AnchorKind::Rollout`].
        Rollout = "rollout",
        /// See [`AnchorKind::Solver`].
        Solver = "solver",
        /// See [`AnchorKind::Engine`].
        Gtp = "gtp",
        /// See [`AnchorKind::Engine`].
        Uci = "uci",
    }
}

const ALLOWED: &str = "an array of { name = \"...\", kind = \"random\" }, \
    { name = \"...\", kind = \"rollout\", playouts = 1 to 1000000 } with policy = \"uniform\" or \
    \"mogo\" and selection = \"uct\" or another of search.selection, \
    { name = \"...\", kind = \"solver\" } with depth = 1 to 100 (plies looked ahead; without it the truth) or \
    { name = \"...\", kind = \"gtp\" or \"uci\", command = \"...\", seconds = 0.001 to 3600 } with \
    setup = [\"lines sent first\"] where the program needs some and optional = true where ratings \
    may do without it, no name twice";

impl Entry for Anchor {
    fn array_allowed(_: &Limits) -> String {
        ALLOWED.to_owned()
    }

    fn clash(&self, key: &str, names: &mut BTreeSet<String>) -> Option<Fault> {
        if names.insert(self.name.clone()) {
            return None;
        }
        let problem = "an anchor before it has the same name";
        Some(Fault::new(format!("{key}.name"), problem).value(self.name.write()))
    }
}

impl Field for Anchor {
    fn allowed(_: &Limits) -> String {
        r#"{ name = "...", kind = "..." }"#.to_owned()
    }

    fn stand_in(_: &Limits) -> Self {
        Self { name: String::new(), kind: AnchorKind::Random }
    }

    fn read(key: &str, entry: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let mut table = TableReader::open(key, entry, &Self::allowed(limits), faults)?;
        let name = table.take::<String>("name", &Limits::Any);
        let word = table.take::<KindWord>("kind", &Limits::Any);
        let kind = match word {
            Some(KindWord::Random) => Some(AnchorKind::Random),
            Some(KindWord::Rollout) => read_rollout(&mut table),
            Some(KindWord::Solver) if table.has("depth") => table
                .take::<u32>("depth", &DEPTH)
                .map(|depth| AnchorKind::Solver { depth: Some(depth) }),
            Some(KindWord::Solver) => Some(AnchorKind::Solver { depth: None }),
            Some(KindWord::Gtp) => read_engine(&mut table, EngineProtocol::Gtp),
            Some(KindWord::Uci) => read_engine(&mut table, EngineProtocol::Uci),
            None => {
                // Which other keys belong here is not known without the kind.
                for key in [
                    "playouts",
                    "policy",
                    "selection",
                    "depth",
                    "command",
                    "setup",
                    "seconds",
                    "optional",
                ] {
                    table.ignore(key);
                }
                None
            }
        };
        table.close();
        Some(Self { name: name?, kind: kind? })
    }

    fn write(&self) -> Value {
        write_anchor(self)
    }

    fn schema(any: &Limits) -> Table {
        let keys = [
            ("name", String::schema(any)),
            ("kind", KindWord::schema(any)),
            ("playouts", u32::schema(&PLAYOUTS)),
            ("policy", RolloutMoves::schema(any)),
            ("selection", SelectionWord::schema(any)),
            ("depth", u32::schema(&DEPTH)),
            ("command", String::schema(any)),
            ("seconds", f64::schema(&SECONDS)),
            ("setup", Vec::<String>::schema(any)),
            ("optional", bool::schema(any)),
        ];
        object(keys, &["name", "kind"])
    }
}

fn read_rollout(table: &mut TableReader<'_>) -> Option<AnchorKind> {
    let playouts = table.take::<u32>("playouts", &PLAYOUTS);
    let policy = table.take_or("policy", &Limits::Any, RolloutMoves::Uniform);
    let selection = table.take_or("selection", &Limits::Any, SelectionWord::Uct);
    let anchor = RolloutAnchor { playouts: playouts?, policy: policy?, selection: selection? };
    Some(AnchorKind::Rollout(anchor))
}

fn read_engine(table: &mut TableReader<'_>, protocol: EngineProtocol) -> Option<AnchorKind> {
    let command = table.take::<String>("command", &Limits::Any);
    let seconds = table.take::<f64>("seconds", &SECONDS);
    let setup = table.take_or("setup", &Limits::Any, Vec::new());
    let optional = table.take_or("optional", &Limits::Any, false);
    Some(AnchorKind::Engine(EngineAnchor {
        protocol,
        command: command?,
        setup: setup?,
        seconds: seconds?,
        optional: optional?,
    }))
}

fn write_anchor(anchor: &Anchor) -> Value {
    let mut table = Table::new();
    table.insert("name".to_owned(), anchor.name.write());
    let word = match &anchor.kind {
        AnchorKind::Random => KindWord::Random,
        AnchorKind::Rollout(RolloutAnchor { playouts, policy, selection }) => {
            table.insert("playouts".to_owned(), playouts.write());
            // Left out where they are the rule, so that runs from before there was a choice keep
            // their configuration's text.
            if *policy != RolloutMoves::Uniform {
                table.insert("policy".to_owned(), policy.write());
            }
            if *selection != SelectionWord::Uct {
                table.insert("selection".to_owned(), selection.write());
            }
            KindWord::Rollout
        }
        AnchorKind::Solver { depth } => {
            if let Some(depth) = depth {
                table.insert("depth".to_owned(), depth.write());
            }
            KindWord::Solver
        }
        AnchorKind::Engine(engine) => {
            table.insert("command".to_owned(), engine.command.write());
            table.insert("seconds".to_owned(), engine.seconds.write());
            if !engine.setup.is_empty() {
                table.insert("setup".to_owned(), engine.setup.write());
            }
            if engine.optional {
                table.insert("optional".to_owned(), engine.optional.write());
            }
            match engine.protocol {
                EngineProtocol::Gtp => KindWord::Gtp,
                EngineProtocol::Uci => KindWord::Uci,
            }
        }
    };
    table.insert("kind".to_owned(), word.write());
    Value::Table(table)
}
