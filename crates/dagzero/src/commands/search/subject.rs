//! The subject of a search: a game's position or an explicit graph, with its evaluator.

use std::{convert::Infallible, path::PathBuf, str::FromStr, sync::Arc};

use dz_game::{Game, Key, Move, Player, Symmetry, mix64};
use dz_infer::{Hashed, LeafView, Sources};
use dz_play::{Guide, PlayerEvaluator, PlayerKind};
use dz_search::{
    Domain, ExplicitGraph, OfflineKnowledge, SearchLeaf, SearchParams, Status, ValuePov,
};
use dz_search_settings::SearchSection;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[cfg(feature = "serve")]
use super::super::players::champion;
use super::super::players::{Found, PlayerArg};
use crate::exit::UsageError;

/// A rollout that is not over after this many moves counts as a draw.
const ROLLOUT_PLIES_MAX: u32 = 10_000;

/// What is searched.
pub(super) trait Subject {
    /// Its positions and moves.
    type Domain: Domain;

    /// Evaluates each position.
    fn evaluate(
        &mut self,
        domain: &Self::Domain,
        request: &[LeafRequest<'_, Self::Domain>],
    ) -> anyhow::Result<Vec<Evaluation>>;

    /// The value of each legal move for the player to move, in [-1, 1]; empty without a heuristic.
    fn heuristics(
        &self,
        _domain: &Self::Domain,
        _request: &LeafRequest<'_, Self::Domain>,
    ) -> Vec<f64> {
        Vec::new()
    }

    /// Plays a rollout and returns its outcome for the player to move; fills `moves` with its
    /// moves.
    fn rollout(
        &mut self,
        domain: &Self::Domain,
        request: &LeafRequest<'_, Self::Domain>,
        moves: &mut Vec<(Player, Move)>,
    ) -> ValuePov<f64>;

    /// The policy of rollouts and the heuristics that the search itself asks for.
    fn knowledge(&self) -> Option<Arc<dyn OfflineKnowledge<Self::Domain>>> {
        None
    }

    /// The game in its canonical form, of a game.
    fn game(&self, domain: &Self::Domain) -> Option<String>;

    /// Names the evaluator.
    fn evaluator(&self) -> &str;

    /// Names the evaluator and the content of files that the search takes moves from.
    fn evaluator_with_files(&self) -> String {
        self.evaluator().to_owned()
    }

    /// A move as people write it.
    fn format_move(&self, domain: &Self::Domain, mv: Move) -> String;

    /// The name of a position in its file, of a graph.
    fn id(&self, domain: &Self::Domain, state: &<Self::Domain as Domain>::State) -> Option<i64>;
}

/// A position that waits for its evaluation.
pub(super) struct LeafRequest<'a, D: Domain> {
    pub(super) leaf: SearchLeaf<'a, D>,
    pub(super) eval_key: Key,
}

/// An evaluator's answer, for the player to move.
pub(super) struct Evaluation {
    pub(super) estimate: ValuePov<f64>,
    /// In points, without komi, where the evaluator knows.
    pub(super) margin: Option<f64>,
    /// Of the value against those of the next plies, where the evaluator knows.
    pub(super) error: Option<f64>,
    pub(super) priors: Vec<f64>,
}

/// An evaluator as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EvaluatorArg {
    /// Value 0, equal priors.
    Uniform,
    /// Pseudo-random values and priors.
    Hashed,
    /// One random game a position, equal priors.
    Rollout,
    /// A network file or a run.
    Path(PathBuf),
    /// The champion of a generation of a run; the newest one if none is given.
    #[cfg(feature = "serve")]
    Champion(PathBuf, Option<u32>),
}

impl FromStr for EvaluatorArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "uniform" => Self::Uniform,
            "hashed" => Self::Hashed,
            "rollout" => Self::Rollout,
            _ => Self::Path(text.into()),
        })
    }
}

/// A position of a game.
pub(super) struct GameSubject<G: Game> {
    evaluator: GameEvaluator<G>,
    guide: Arc<Guide>,
}

enum GameEvaluator<G: Game> {
    Uniform,
    Hashed,
    Rollout,
    /// As the only source.
    Network(Sources<G>),
}

impl<G: Game> GameSubject<G> {
    /// Loads the evaluator if it is a network, for the processor.
    pub(super) fn new(
        game: &G,
        evaluator: &EvaluatorArg,
        section: &SearchSection,
    ) -> anyhow::Result<Self> {
        let optimism = section.policy_optimism;
        let evaluator = match evaluator {
            EvaluatorArg::Uniform => GameEvaluator::Uniform,
            EvaluatorArg::Hashed => GameEvaluator::Hashed,
            EvaluatorArg::Rollout => GameEvaluator::Rollout,
            EvaluatorArg::Path(path) => load(game, path.clone(), optimism)?,
            #[cfg(feature = "serve")]
            EvaluatorArg::Champion(run, generation) => {
                let found = champion(run, *generation, 1)?;
                of_player(game, found, &run.display().to_string(), optimism)?
            }
        };
        let guide = Guide::load(game, &section.rollout, &section.heuristic)?;
        Ok(Self { evaluator, guide: Arc::new(guide) })
    }

    /// Refuses a search that uses numbers which the game or the evaluator does not give.
    pub(super) fn check_numbers(&self, game: &G, params: &SearchParams) -> Result<(), UsageError> {
        let none = Sources::default();
        let sources = match &self.evaluator {
            GameEvaluator::Network(sources) => sources,
            _ => &none,
        };
        let checked = dz_play::check_numbers(game, params, sources, 0);
        checked.map_err(|missing| UsageError(missing.to_string()))
    }
}

fn load<G: Game>(game: &G, path: PathBuf, optimism: f64) -> anyhow::Result<GameEvaluator<G>> {
    let text = path.display().to_string();
    if !path.exists() && !text.contains('@') {
        let what = format!(
            "{text} is no evaluator: write uniform, hashed, rollout, a network file or a run's \
             directory"
        );
        return Err(UsageError(what).into());
    }
    of_player(game, PlayerArg::Path(path).find(1)?, &text, optimism)
}

/// The evaluator of the player that `text` names, with this share of the optimistic policy.
fn of_player<G: Game>(
    game: &G,
    found: Found,
    text: &str,
    optimism: f64,
) -> anyhow::Result<GameEvaluator<G>> {
    let ours = game.spec();
    if let Some(theirs) = found.other_game(&ours)? {
        return Err(UsageError(format!("{text} is for {theirs}, and --game is {ours}")).into());
    }
    let PlayerKind::Search(search) = found.player.kind else {
        return Err(UsageError(format!("{text} has no evaluator")).into());
    };
    Ok(match search.evaluator {
        PlayerEvaluator::Network { bytes, .. } => {
            let device = dz_burn_net::pick_device("cpu")?;
            let network = dz_burn_net::optimistic_evaluator_on(game, &bytes, &[device], optimism)?;
            let mut sources = Sources::default();
            sources.add_network(game, network, 0)?;
            GameEvaluator::Network(sources)
        }
        PlayerEvaluator::Uniform => GameEvaluator::Uniform,
        PlayerEvaluator::Rollout => GameEvaluator::Rollout,
        _ => return Err(UsageError(format!("{text} has no evaluator")).into()),
    })
}

impl<G: Game> Subject for GameSubject<G> {
    type Domain = G;

    fn evaluate(
        &mut self,
        game: &G,
        request: &[LeafRequest<'_, G>],
    ) -> anyhow::Result<Vec<Evaluation>> {
        let views = request.iter().map(|request| view(game, request, request.leaf.random));
        Ok(match &mut self.evaluator {
            GameEvaluator::Uniform => {
                let estimate = ValuePov { value: 0.0, draw: 0.0 };
                views
                    .map(|view| Evaluation {
                        estimate,
                        margin: None,
                        error: None,
                        priors: equal(view.legal.len()),
                    })
                    .collect()
            }
            GameEvaluator::Hashed => views.map(|view| hashed(&view)).collect(),
            GameEvaluator::Rollout => views
                .map(|view| Evaluation {
                    estimate: self.guide.play(&view, &mut Vec::new()).into(),
                    margin: None,
                    error: None,
                    priors: equal(view.legal.len()),
                })
                .collect(),
            GameEvaluator::Network(sources) => {
                if request.is_empty() {
                    return Ok(Vec::new());
                }
                let wide = |prior: f32| f64::from(prior);
                let evaluations = sources.evaluate(0, &views.collect::<Vec<_>>())?.into_iter();
                evaluations
                    .map(|evaluation| Evaluation {
                        estimate: evaluation.expected.wdl.into(),
                        margin: evaluation.expected.margin.map(f64::from),
                        error: evaluation.expected.error.map(f64::from),
                        priors: evaluation.priors.into_iter().map(wide).collect(),
                    })
                    .collect()
            }
        })
    }

    fn rollout(
        &mut self,
        game: &G,
        request: &LeafRequest<'_, G>,
        moves: &mut Vec<(Player, Move)>,
    ) -> ValuePov<f64> {
        // Other words than those of the evaluator `rollout`.
        let view = view(game, request, mix64(request.leaf.random));
        self.guide.play(&view, moves).into()
    }

    fn heuristics(&self, game: &G, request: &LeafRequest<'_, G>) -> Vec<f64> {
        let leaf = &request.leaf;
        let mut values = Vec::new();
        self.guide.heuristics(game, leaf.state, leaf.legal, &mut values);
        values
    }

    fn knowledge(&self) -> Option<Arc<dyn OfflineKnowledge<G>>> {
        Some(self.guide.clone())
    }

    fn game(&self, game: &G) -> Option<String> {
        Some(game.spec().to_string())
    }

    fn evaluator(&self) -> &str {
        match &self.evaluator {
            GameEvaluator::Uniform => "uniform",
            GameEvaluator::Hashed => "hashed",
            GameEvaluator::Rollout => "rollout",
            GameEvaluator::Network(sources) => &sources.ids()[0],
        }
    }

    fn evaluator_with_files(&self) -> String {
        self.guide.named(self.evaluator())
    }

    fn format_move(&self, game: &G, mv: Move) -> String {
        game.format_move(mv)
    }

    fn id(&self, _: &G, _: &G::State) -> Option<i64> {
        None
    }
}

/// A leaf as evaluators see it; networks see it as it stands, through no symmetry.
fn view<'a, G: Game>(game: &'a G, request: &LeafRequest<'a, G>, random: u64) -> LeafView<'a, G> {
    LeafView {
        game,
        state: request.leaf.state,
        history: request.leaf.history,
        legal: request.leaf.legal,
        eval_key: request.eval_key,
        symmetry: Symmetry::IDENTITY,
        last: request.leaf.last,
        random,
    }
}

fn equal(moves: usize) -> Vec<f64> {
    vec![1.0 / moves as f64; moves]
}

fn hashed<G: Game>(view: &LeafView<'_, G>) -> Evaluation {
    let mut priors = Vec::new();
    let [win, draw, loss] = Hashed::exact(view.eval_key, view.legal, &mut priors);
    Evaluation { estimate: ValuePov { value: win - loss, draw }, margin: None, error: None, priors }
}

/// An explicit graph, whose file holds the values of its nodes.
pub(super) struct GraphSubject;

impl Subject for GraphSubject {
    type Domain = ExplicitGraph;

    fn evaluate(
        &mut self,
        graph: &ExplicitGraph,
        request: &[LeafRequest<'_, ExplicitGraph>],
    ) -> anyhow::Result<Vec<Evaluation>> {
        let evaluation = |request: &LeafRequest<'_, ExplicitGraph>| {
            let mut priors = Vec::new();
            let estimate = graph.evaluate(*request.leaf.state, &mut priors);
            Evaluation { estimate, margin: None, error: None, priors }
        };
        Ok(request.iter().map(evaluation).collect())
    }

    fn rollout(
        &mut self,
        graph: &ExplicitGraph,
        request: &LeafRequest<'_, ExplicitGraph>,
        moves: &mut Vec<(Player, Move)>,
    ) -> ValuePov<f64> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(mix64(request.leaf.random));
        let mut state = *request.leaf.state;
        let mut legal = request.leaf.legal.to_vec();
        let mut sign = None;
        moves.clear();
        for _ in 0..ROLLOUT_PLIES_MAX {
            match graph.status(&state, &()) {
                Status::ToMove(player) => {
                    let first = if player == Player::First { 1.0 } else { -1.0 };
                    sign.get_or_insert(first);
                    graph.legal_moves(&state, &(), &mut legal);
                    let mv = legal[random.random_range(0..legal.len())];
                    moves.push((player, mv));
                    graph.advance(&mut state, &mut (), mv);
                }
                Status::Over { value, draw } => {
                    return ValuePov { value: sign.unwrap_or(1.0) * value, draw };
                }
            }
        }
        ValuePov { value: 0.0, draw: 1.0 }
    }

    fn game(&self, _: &ExplicitGraph) -> Option<String> {
        None
    }

    fn evaluator(&self) -> &'static str {
        "graph"
    }

    fn format_move(&self, _: &ExplicitGraph, mv: Move) -> String {
        mv.0.to_string()
    }

    fn id(&self, graph: &ExplicitGraph, state: &u32) -> Option<i64> {
        Some(graph.id(*state))
    }
}
