//! What the configuration alone cannot know: games, devices, threads, programs.

use dz_config::{Anchor, AnchorKind, Fault, PolicyHead, RunConfig};
use dz_game::{AnyGame, Encoding, Game, GameSpec, PlaneShape};
use dz_network_file::{Board, NetworkSpec};
use dz_search_settings::MoveHeuristic;
use dz_shard::{Head, is_offered};

/// Faults in `run.game`, in names of devices and in programs, which the configuration alone cannot
/// know.
pub(crate) fn outside_faults(config: &RunConfig) -> Vec<Fault> {
    let mut faults = Vec::new();
    let game = config.run.game.parse::<GameSpec>();
    if let Err(error) = game.and_then(|spec| dz_game::game_ids(&spec)) {
        let known = format!("one of {}", dz_game::game_names().join(", "));
        faults
            .push(Fault::new("run.game", error.to_string()).value(&config.run.game).allowed(known));
    }
    if let Err(error) = dz_burn_net::pick_device(&config.run.device.to_string()) {
        faults.push(Fault::new("run.device", error.to_string()).value(config.run.device));
    }
    for (key, list) in [
        ("selfplay.devices", &config.selfplay.devices),
        ("training.devices", &config.training.devices),
        ("gate.devices", &config.gate.devices),
    ] {
        if !list.is_empty()
            && let Err(error) = dz_burn_net::pick_devices(list)
        {
            faults.push(Fault::new(key, error.to_string()));
        }
    }
    let threads = config.run.threads;
    let most = dz_stage::threads_max();
    if threads > most {
        let problem = "more threads than this machine has use for";
        let allowed = format!("0 for all cores, or up to {most}");
        faults.push(Fault::new("run.threads", problem).value(threads).allowed(allowed));
    }
    faults.extend(dz_search_settings::search_faults(&config.search));
    if config.search.heuristic != MoveHeuristic::None {
        let problem = "a run's searches ask a network, and heuristics of moves are for rollouts";
        let fault = Fault::new("search.heuristic", problem);
        faults.push(fault.allowed("\"none\"; players such as rollout:N,heuristic=linear:FILE"));
    }
    faults.extend(dz_play::anchor_faults(&config.rating.anchors));
    faults.extend(head_faults(config));
    faults.extend(score_fault(config));
    faults.extend(error_faults(config));
    faults.extend(komi_faults(config));
    faults.extend(size_fault(config));
    faults.extend(policy_head_fault(config));
    faults.extend(board_faults(config));
    faults.extend(solver_fault(config));
    faults
}

/// The configuration's game; `None` where there is no such game, which is a fault of its own.
fn game_of(config: &RunConfig) -> Option<GameSpec> {
    config.run.game.parse().ok()
}

/// Heads that would learn what the game does not offer.
fn head_faults(config: &RunConfig) -> Vec<Fault> {
    let offered =
        game_of(config).and_then(|spec| Some(AnyGame::of(&spec).ok()?.encoding().targets()));
    let Some(offered) = offered else { return Vec::new() };
    let missing = config.heads.heads().into_iter().filter(|&head| !is_offered(head, offered));
    let fault = |head: Head| {
        let problem = format!("{} offers no {head}", config.run.game);
        let weight = head.weight(&config.heads);
        Fault::new(format!("heads.{head}_weight"), problem).value(weight).allowed("0")
    };
    missing.map(fault).collect()
}

/// Points that would count in searches without a head that says how many.
fn score_fault(config: &RunConfig) -> Option<Fault> {
    let search = &config.search;
    let keys = [
        ("search.score_utility_static", search.score_utility_static),
        ("search.score_utility_dynamic", search.score_utility_dynamic),
    ];
    let (key, value) = keys.into_iter().find(|&(_, value)| value > 0.0)?;
    (config.heads.margin_weight == 0.0).then(|| {
        let problem = "the network of this run does not learn points, as heads.margin_weight is 0";
        let allowed = "0, or heads.margin_weight above 0 in a game that counts points, such as 2.2";
        Fault::new(key, problem).value(value).allowed(allowed)
    })
}

/// Errors of values that searches would weigh by, or a head would learn, without the head that they
/// come from.
fn error_faults(config: &RunConfig) -> Vec<Fault> {
    let heads = &config.heads;
    let mut faults = Vec::new();
    let coeff = config.search.uncertainty_coeff;
    if coeff > 0.0 && heads.short_term_error_weight == 0.0 {
        let problem = "the network of this run does not learn errors of its values";
        let fault = Fault::new("search.uncertainty_coeff", problem).value(coeff);
        faults.push(fault.allowed("0, or heads.short_term_error_weight above 0, such as 2"));
    }
    let optimism = config.search.policy_optimism;
    if optimism > 0.0 && heads.optimistic_policy_weight == 0.0 {
        let problem = "the network of this run does not learn an optimistic policy";
        let fault = Fault::new("search.policy_optimism", problem).value(optimism);
        faults.push(fault.allowed("0, or heads.optimistic_policy_weight above 0, such as 1"));
    }
    let weight = heads.optimistic_policy_weight;
    if weight > 0.0 && heads.short_term_error_weight == 0.0 {
        let problem = "the head is about what turns out better than heads.short_term_error_weight \
                       lets the network expect, and that is 0";
        let fault = Fault::new("heads.optimistic_policy_weight", problem).value(weight);
        faults.push(fault.allowed("0, or heads.short_term_error_weight above 0, such as 2"));
    }
    let weight = heads.short_term_error_weight;
    if weight > 0.0 && heads.short_term_weight == 0.0 {
        let problem = "the head is about short-term values, and heads.short_term_weight is 0";
        let fault = Fault::new("heads.short_term_error_weight", problem).value(weight);
        faults.push(fault.allowed("0, or heads.short_term_weight above 0, such as 2.16"));
    }
    faults
}

/// Komi that varies where there is none.
fn komi_faults(config: &RunConfig) -> Vec<Fault> {
    let Some(game) = game_of(config) else { return Vec::new() };
    let Ok(any) = AnyGame::of(&game) else { return Vec::new() };
    let has_komi = any.komi().is_some();
    let selfplay = &config.selfplay;
    let keys = [
        ("selfplay.komi_deviation", selfplay.komi_deviation),
        ("selfplay.komi_wide_share", selfplay.komi_wide_share),
    ];
    let vary = keys.into_iter().filter(|&(_, value)| value > 0.0 && !has_komi);
    let fault = |(key, value)| {
        let problem = format!("{} has no komi that could vary", game.name());
        Fault::new(key, problem).value(value).allowed("0, or go")
    };
    vary.map(fault).collect()
}

/// A network for boards of any size whose policy is no map of the board.
fn size_fault(config: &RunConfig) -> Option<Fault> {
    let game = game_of(config)?;
    let is_board = is_policy_board(&AnyGame::of(&game).ok()?);
    let problem = format!("moves of {} are no points of its board", game.name());
    (config.network.any_size && !is_board).then(|| {
        Fault::new("network.any_size", problem).value(true).allowed("false, or another game")
    })
}

/// A policy of planes for a game whose moves are laid out otherwise.
fn policy_head_fault(config: &RunConfig) -> Option<Fault> {
    let game = game_of(config)?;
    let planes = AnyGame::of(&game).ok()?.encoding().policy_planes();
    let head = config.network.policy_head;
    let problem = format!("moves of {} are not laid out as planes of its board", game.name());
    (head == PolicyHead::Convolution && planes.is_none()).then(|| {
        let allowed = "\"dense\", or a game such as chess";
        Fault::new("network.policy_head", problem).value(head).allowed(allowed)
    })
}

/// Whether the policy has a place for each point, and few others.
fn is_policy_board<G: Game>(game: &G) -> bool {
    network_on(game).actions_beside_points().is_some()
}

/// A small network for this game, as far as its board is concerned.
fn network_on<G: Game>(game: &G) -> NetworkSpec {
    let encoding = game.encoding();
    let PlaneShape { channels, height, width, .. } = encoding.planes();
    NetworkSpec {
        game: game.spec().to_string(),
        encoding: encoding.id(),
        ..NetworkSpec::plain([channels, height, width], encoding.policy_len(), 1, 8)
    }
}

/// Boards that are none, that the network of `run.game` cannot play on, or that stand twice.
fn board_faults(config: &RunConfig) -> Vec<Fault> {
    let any = |game: &str| AnyGame::of(&game.parse()?);
    // A game that does not exist has its own fault.
    let Ok(own) = any(&config.run.game) else { return Vec::new() };
    let spec = network_on(&own);
    let mut names = vec![own.spec().to_string()];
    let mut faults = Vec::new();
    for (at, board) in config.run.boards.iter().enumerate() {
        let fault = |problem: String| Fault::new(format!("run.boards[{at}]"), problem).value(board);
        let game = match any(board) {
            Ok(game) => game,
            Err(error) => {
                faults.push(fault(error.to_string()));
                continue;
            }
        };
        let name = game.spec().to_string();
        let NetworkSpec { encoding, height, width, policy_len, .. } = network_on(&game);
        let there = Board { game: &name, encoding: &encoding, height, width, policy_len };
        if let Err(error) = spec.on_board(&there) {
            let allowed = format!("{} of another size", own.spec().name());
            faults.push(fault(error.to_string()).allowed(allowed));
        } else if names.contains(&name) {
            let problem = "the board stands here twice, or is that of run.game".to_owned();
            faults.push(fault(problem).allowed("each board once"));
        }
        names.push(name);
    }
    faults
}

/// An anchor that knows the truth about a game without a solver.
fn solver_fault(config: &RunConfig) -> Option<Fault> {
    let knows = |anchor: &Anchor| anchor.kind == AnchorKind::Solver { depth: None };
    let at = config.rating.anchors.iter().position(knows)?;
    // A game that does not exist has its own fault.
    let game = game_of(config)?;
    let error = dz_solver::solved_positions(&game, 0).err()?;
    let allowed = "a depth, which any game takes, or another kind of anchor";
    Some(Fault::new(format!("rating.anchors[{at}]"), error.to_string()).allowed(allowed))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A small configuration of a game, with overrides.
    pub(crate) fn config(game: &str, overrides: &[&str]) -> RunConfig {
        let text = format!(
            "format = 1\nrun = {{ game = \"{game}\", cycles = 1 }}\nselfplay = {{ games = 8 }}\n\
             bootstrap = {{ games = 8 }}\nnetwork = {{ blocks = 1, channels = 8 }}\n\
             gate = {{ rule = \"always\" }}\n"
        );
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        RunConfig::from_text(&text, &overrides).expect("a good configuration")
    }

    #[test]
    fn heads_need_targets_that_the_game_offers() {
        let faults = |game: &str, heads: &[&str]| {
            head_faults(&config(game, heads)).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let both = ["heads.margin_weight=1", "heads.ownership_weight=1.5"];
        assert_eq!(faults("go:size=9", &both), Vec::<String>::new());
        assert_eq!(faults("chess", &["heads.reply_weight=0.15"]), Vec::<String>::new());
        let found = faults("connect4", &both);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("heads.margin_weight") && found[0].contains("offers no margin"));
    }

    #[test]
    fn searches_need_the_heads_that_they_read() {
        let faults = |game: &str, keys: &[&str]| -> Vec<String> {
            let config = config(game, keys);
            let faults = score_fault(&config).into_iter().chain(error_faults(&config));
            faults.map(|fault| fault.to_string()).collect()
        };
        let points = "search.score_utility_dynamic=0.3";
        assert_eq!(faults("go:size=9", &[points, "heads.margin_weight=1"]), Vec::<String>::new());
        let found = faults("go:size=9", &[points]);
        assert!(found[0].contains("score_utility_dynamic") && found[0].contains("margin_weight"));
        let weighs = "search.uncertainty_coeff=0.25";
        let [values, errors] = ["heads.short_term_weight=2", "heads.short_term_error_weight=2"];
        assert_eq!(faults("connect4", &[weighs, values, errors]), Vec::<String>::new());
        let found = faults("connect4", &[weighs, values]);
        assert!(found.len() == 1 && found[0].contains("uncertainty_coeff"), "{found:?}");
        let found = faults("connect4", &[weighs, errors]);
        assert!(
            found.len() == 1 && found[0].contains("heads.short_term_error_weight"),
            "{found:?}"
        );
    }

    #[test]
    fn boards_of_any_size_need_moves_that_are_points() {
        let fault = |game: &str, any_size: bool| {
            let any_size = format!("network.any_size={any_size}");
            size_fault(&config(game, &[&any_size])).map(|fault| fault.to_string())
        };
        for game in ["go:size=9", "hex:swap=true", "gomoku:opening=swap2", "othello", "tictactoe"] {
            assert_eq!(fault(game, true), None, "{game}");
        }
        for game in ["connect4", "chess"] {
            assert_eq!(fault(game, false), None);
            let found = fault(game, true).expect("a fault");
            assert!(found.contains("network.any_size") && found.contains("no points"), "{found}");
        }
    }

    #[test]
    fn policies_of_planes_need_moves_that_are_laid_out_so() {
        let fault = |game: &str| {
            let set = "network.policy_head=convolution";
            policy_head_fault(&config(game, &[set])).map(|fault| fault.to_string())
        };
        assert_eq!(fault("chess"), None);
        assert_eq!(fault("chess:history_planes=2"), None);
        let found = fault("go:size=9").expect("a fault");
        assert!(found.contains("network.policy_head") && found.contains("planes"), "{found}");
        assert_eq!(policy_head_fault(&config("go:size=9", &[])), None);
    }

    #[test]
    fn komi_varies_where_there_is_any() {
        let fault = |game: &str, deviation: &str| {
            let deviation = format!("selfplay.komi_deviation={deviation}");
            komi_faults(&config(game, &[&deviation])).first().map(ToString::to_string)
        };
        assert_eq!(fault("go:size=9", "1"), None);
        assert_eq!(fault("othello", "0"), None);
        assert_eq!(fault("nothing", "1"), None, "that is a fault of run.game");
        let found = fault("othello:size=6", "1.5").expect("a fault");
        assert!(found.contains("selfplay.komi_deviation") && found.contains("othello has no komi"));
        let both = ["selfplay.komi_wide_share=0.1", "selfplay.komi_deviation=1"];
        let wide = komi_faults(&config("othello", &both[..1]));
        assert!(wide.first().expect("a fault").to_string().contains("selfplay.komi_wide_share"));
        assert_eq!(komi_faults(&config("othello", &both)).len(), 2, "all are reported at once");
    }
}
