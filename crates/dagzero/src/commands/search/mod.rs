//! `dagzero search`: one search laid open, of a position or of a graph given node by node.

mod budget;
mod drive;
mod graph;
mod report;
mod saved;
mod subject;
mod tidy;
mod trace;

use std::{io::Write, path::PathBuf};

use anyhow::Context;
use clap::ArgGroup;
use dz_config::SearchSection;
use dz_game::{AnyGame, Game, GameSpec};

use dz_search::{Domain, Exact, ExplicitGraph, GraphFile, RootNoise, Search};
use dz_search_file::SearchIdentity;
#[cfg(feature = "serve")]
use dz_search_settings::MoveHeuristic;
use dz_search_settings::{SearchSettings, search_faults};

use self::{
    budget::{BudgetArgs, Limit},
    drive::drive,
    graph::Graph,
    report::Report,
    subject::{EvaluatorArg, GameSubject, GraphSubject, Subject},
    trace::Playout,
};
use super::{LineArgs, write_line};
use crate::{Exit, exit::UsageError};

/// Search a position or an explicit graph with any settings, and print what was found as JSON
///
/// Starts from the plain reference, not from a run's settings: PUCT with c = 1.5, untried moves at
/// value 0, ties to the lowest move, backup along the path only, playouts that always go on, no
/// noise, no cache, seed 0; in 64-bit numbers. --set lays keys of [search] over it
/// (configs/README.md has them all), and `search.seed`, which seeds all random choices. The first
/// playout evaluates the root.
///
/// `root` holds every legal move; its values are the mover's, in [-1, 1]. Where the game is over
/// there are no visits and no moves, and the value is the first player's. `best` is the move of
/// `search.move_choice`, `pv` the line of most visits, `target` the policy target of
/// `search.target`.
#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("subject").required(true).args(["game", "graph"]),
    after_help = "Examples:\n  \
    dagzero search --game connect4 --moves 4435 --playouts 800\n  \
    dagzero search --game tictactoe --evaluator rollout --playouts 500 --set search.selection=uct\n  \
    dagzero search --game connect4 --playouts 100 --set 'search.catch_up={ leak = 0.1 }'\n  \
    dagzero search --graph diamond.json --playouts 20 --nodes --trace\n  \
    dagzero search --game connect4 --playouts 10000 --save half.search\n  \
    dagzero search --game connect4 --playouts 20000 --load half.search"
)]
pub(crate) struct Args {
    /// Game and parameters, `name:key=value,...`: connect4, hex:size=7, tictactoe
    #[arg(long, value_name = "GAME")]
    game: Option<GameSpec>,
    #[command(flatten)]
    line: LineArgs,
    /// A graph in JSON:
    /// `{"root": id, "nodes": [{"id", "to_move": 1 or -1, "value", "children", "priors"} or
    /// {"id", "terminal"}]}`, values the first player's; moves are the children's indices
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "position", "moves", "evaluator"])]
    graph: Option<PathBuf>,
    /// What evaluates positions: uniform, hashed, rollout, a network file, RUN or RUN@GENERATION
    #[arg(long, value_name = "EVALUATOR", default_value = "uniform")]
    evaluator: EvaluatorArg,
    #[command(flatten)]
    budget: BudgetArgs,
    /// A setting, `search.key=value`; may be repeated
    #[arg(long = "set", value_name = "search.KEY=VALUE")]
    sets: Vec<String>,
    /// Concentration of Dirichlet noise on the root's priors, as `search.noise_shape` spreads it
    #[arg(long, value_name = "ALPHA", requires = "dirichlet_share")]
    dirichlet_alpha: Option<f64>,
    /// Share of that noise, from 0 to 1
    #[arg(long, value_name = "SHARE", requires = "dirichlet_alpha")]
    dirichlet_share: Option<f64>,
    /// Save the search as it stands at the end, to go on with --load
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Go on with a saved search of the same position and settings; the budget counts from its
    /// beginning, and the result is that of a search which was never interrupted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dirichlet_alpha", "dirichlet_share"])]
    load: Option<PathBuf>,
    /// Also print every node, values the first player's
    #[arg(long)]
    nodes: bool,
    /// Also print every playout: each choice on its way, what every move counted, and why it ended
    #[arg(long)]
    trace: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let noise = args.dirichlet_alpha.zip(args.dirichlet_share);
    let plan = Plan::of(&args.sets, noise)?;
    let parts = Parts {
        limit: args.budget.limit(),
        nodes: args.nodes,
        trace: args.trace,
        save: args.save.clone(),
        load: args.load.clone(),
    };
    let report = match (&args.game, &args.graph) {
        (Some(spec), _) => {
            search_game(AnyGame::of(spec)?, &args.line, &args.evaluator, &plan, &parts, &|| false)?
        }
        (None, Some(path)) => {
            let file = read_graph(path)?;
            let graph = ExplicitGraph::new(&file)
                .map_err(|error| UsageError(format!("{}: {error}", path.display())))?;
            let root = graph.root();
            plan.search(&parts, &|| false, &mut GraphSubject, graph, root, ())?
        }
        (None, None) => return Err(UsageError("give --game or --graph".to_owned()).into()),
    };
    write_line(out, &report)?;
    Ok(Exit::Done)
}

/// What a search begins from and ends with, and what is printed of it.
struct Parts {
    limit: Limit,
    nodes: bool,
    trace: bool,
    save: Option<PathBuf>,
    load: Option<PathBuf>,
}

/// The settings of a search, checked.
struct Plan {
    section: SearchSection,
    settings: SearchSettings,
    seed: u64,
    noise: Option<RootNoise>,
}

impl Plan {
    /// The settings of `sets` over the plain reference, with Dirichlet noise of this concentration
    /// and share.
    fn of(sets: &[String], noise: Option<(f64, f64)>) -> Result<Self, UsageError> {
        let lines = |faults: Vec<dz_config::Fault>| {
            let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
            UsageError(lines.join("\n"))
        };
        let (section, seed) = SearchSection::plain().with_overrides(sets).map_err(lines)?;
        let faults = search_faults(&section);
        if !faults.is_empty() {
            return Err(lines(faults));
        }
        let noise = match noise {
            Some((alpha, share)) => {
                if !(alpha > 0.0 && alpha.is_finite() && (0.0..=1.0).contains(&share)) {
                    let what = "--dirichlet-alpha is above 0, --dirichlet-share from 0 to 1";
                    return Err(UsageError(what.to_owned()));
                }
                section.root_noise(alpha, share)
            }
            None => None,
        };
        Ok(Self { settings: SearchSettings::of(&section), section, seed, noise })
    }

    fn search<S: Subject>(
        &self,
        parts: &Parts,
        stop: &dyn Fn() -> bool,
        subject: &mut S,
        domain: S::Domain,
        state: <S::Domain as Domain>::State,
        history: <S::Domain as Domain>::History,
    ) -> anyhow::Result<Report> {
        let mut search: Search<S::Domain, Exact> =
            Search::new(domain, self.settings.params, state, history);
        if let Some(knowledge) = subject.knowledge() {
            search.set_knowledge(knowledge);
        }
        search.set_trace(parts.trace);
        let identity = identity_of(&search, subject);
        let seed = if let Some(path) = &parts.load {
            saved::load(&mut search, &identity, path, parts.limit.budget)?
        } else {
            let root = dz_search::RootSetup { noise: self.noise, ..self.settings.root };
            search.start(parts.limit.budget, self.seed, root);
            self.seed
        };
        drive(&mut search, subject, &parts.limit, stop)?;
        if let Some(path) = &parts.save {
            saved::save(&mut search, &identity, path)?;
        }
        let trace = parts.trace.then(|| search.take_trace());
        let graph = Graph::of(&search);
        let mut report = Report::of(&search, &graph, subject, &self.settings, seed);
        report.set_settings(&self.section, seed)?;
        if parts.nodes || parts.trace {
            let places = graph.places(&search);
            report.nodes = parts.nodes.then(|| graph.nodes(&places, search.domain(), subject));
            let playout = |playout| Playout::of(playout, &places, search.domain(), subject);
            report.trace = trace.as_ref().map(|trace| trace.iter().map(playout).collect());
        }
        Ok(report)
    }
}

/// What a saved search belongs to.
fn identity_of<S: Subject>(search: &Search<S::Domain, Exact>, subject: &S) -> SearchIdentity {
    let name = subject.game(search.domain()).unwrap_or_else(|| "graph".to_owned());
    SearchIdentity::of(search, name, subject.evaluator_with_files())
}

fn search_game<G: Game>(
    game: G,
    line: &LineArgs,
    evaluator: &EvaluatorArg,
    plan: &Plan,
    parts: &Parts,
    stop: &dyn Fn() -> bool,
) -> anyhow::Result<Report> {
    let line = line.play(&game)?;
    let mut subject = GameSubject::new(&game, evaluator, &plan.section)?;
    subject.check_numbers(&game, &plan.settings.params)?;
    plan.search(parts, stop, &mut subject, game, line.state, line.history)
}

/// Does a search that a page asks for, by the rules of its position, and returns what the command
/// prints with `--nodes` and `--trace`. The search ends early once `stop` is true.
#[cfg(feature = "serve")]
pub(super) fn lay_open(
    request: &dz_serve::SearchRequest,
    stop: &dyn Fn() -> bool,
) -> anyhow::Result<serde_json::Value> {
    let plan = Plan::of(&request.settings, None)?;
    if plan.section.rollout.file().is_some() || plan.section.heuristic != MoveHeuristic::None {
        let what = "settings that name files are for the command line: dagzero search";
        return Err(UsageError(what.to_owned()).into());
    }
    let limit = Limit::playouts(request.playouts);
    let parts = Parts { limit, nodes: true, trace: true, save: None, load: None };
    let line = LineArgs { position: None, moves: request.moves.clone() };
    let evaluator = EvaluatorArg::Champion(request.run.clone(), request.generation);
    // A network takes komi as an input, so the one of the board serves every komi.
    let board = AnyGame::of(&request.rules.board)?;
    let game = request.rules.game()?;
    let line = line.play(&game)?;
    let mut subject = GameSubject::new(&board, &evaluator, &plan.section)?;
    subject.check_numbers(&game, &plan.settings.params)?;
    let report = plan.search(&parts, stop, &mut subject, game, line.state, line.history)?;
    Ok(serde_json::to_value(report)?)
}

/// The longest graph that is read. One of 100,000 nodes takes 10 MB.
const GRAPH_BYTES_MAX: u64 = 64 << 20;

fn read_graph(path: &std::path::Path) -> anyhow::Result<GraphFile> {
    let wrong = |what: String| UsageError(format!("{}: {what}", path.display()));
    let text = dz_text::read_input(path, GRAPH_BYTES_MAX)
        .map_err(|error| wrong(error.to_string()))
        .context("the graph cannot be read")?;
    let file = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()));
    file.context("this is no graph; `dagzero help search` shows one")
}
