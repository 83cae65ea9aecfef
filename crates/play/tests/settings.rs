//! From the `[search]` section to settings: every key counts, and contradictions are found.

use dz_config::{Anchor, AnchorKind, EngineAnchor, EngineProtocol, SearchSection};
use dz_play::{anchor_faults, missing_anchors};
use dz_search::{
    Backup, CatchUp, EdgeValues, EpsilonSchedule, Expansion, Exploration, FirstPlay, Gumbel,
    InFlight, LeafValue, MoveChoice, NoiseShape, PolicyTarget, Puct, Revisit, RootSetup,
    SearchParams, Selection, Staleness, Terminals, TieBreak,
};
use dz_search_settings::{
    ExplorationTerm, Grow, RolloutPolicy, SearchSettings, Untried, search_faults,
};

fn laid(overrides: &[&str]) -> SearchSection {
    let overrides: Vec<String> = overrides.iter().map(|text| format!("search.{text}")).collect();
    SearchSection::plain().with_overrides(&overrides).expect("these are settings").0
}

#[test]
fn the_plain_section_is_the_plain_reference() {
    let settings = SearchSettings::of(&SearchSection::plain());
    let params = SearchParams {
        graph: true,
        // The base of a logarithm that weighs nothing.
        selection: Selection::Puct(Puct {
            exploration: Exploration { c: 1.5, c_log: 0.0, c_base: 500.0 },
            variance: None,
            offset: 0.01,
        }),
        exploration: ExplorationTerm::Log,
        fpu: FirstPlay::Absolute(0.0),
        tie_break: TieBreak::LowestMove,
        epsilon: EpsilonSchedule::Off,
        equivalent_visits: 0,
        backup: Backup::Idempotent,
        staleness: Staleness::Path,
        catch_up: CatchUp::Continue,
        terminals: Terminals::Fixed,
        revisit: Revisit::Count,
        prove: false,
        value_bias: None,
        score_utility: None,
        uncertainty: None,
        policy_optimism: 0.0,
        leaf_value: LeafValue::Network,
        rollout: RolloutPolicy::Uniform,
        leaf_rollouts: 1,
        untried: Untried::Score,
        grow: Grow::Leaf,
        edge_values: EdgeValues::Average,
        expansion: Expansion::FirstVisit,
        leaves_max: 1,
        in_flight: InFlight::Visits,
        collisions_max: 0,
        prior_exponent: 1.0,
        moments: false,
        check_states: false,
        nodes_max: u32::MAX,
    };
    assert_eq!(settings.params, params);
    let selection = Selection::Puct(Puct::constant(1.5));
    assert_eq!(SearchParams::default(), SearchParams { selection, ..params });
    assert_eq!(settings.root, RootSetup::default());
    assert_eq!(settings.target, PolicyTarget::Visits);
    assert_eq!(settings.choice, MoveChoice::MostVisits);
    assert!(!settings.reuse && search_faults(&SearchSection::plain()).is_empty());
}

#[test]
fn each_change_of_the_section_changes_the_settings() {
    let changes = "graph=false selection=ucb1 selection=uct selection=rave selection=gumbel \
        selection=regularized c_puct=2 c_puct_log=1 puct_offset=0 variance_scale=0.5 fpu={kind=\"parent\"} \
        fpu={kind=\"katago\",reduction=0.2,loss_share=0} root_fpu={kind=\"parent\"} \
        tie_break=random epsilon={share=0.1} epsilon={root=0.1} epsilon={visits=5} epsilon={visits_random=[5,10]} exploration=printed equivalent_visits=5 \
        prior_exponent=0.67 backup=incremental backup=delta staleness=parents \
        staleness=ancestors staleness=refresher catch_up=stop catch_up={leak=0.5} \
        catch_up={margin=5} terminals=counted revisit=draw prove=true leaf_value=rollout \
        leaf_value={mix=0.5} rollout=mogo leaf_rollouts=8 untried=rollout grow=episode edge_values=split expansion=40 expansion={start=1,waiting_max=8} leaves_max=8 \
        collisions_max=4 in_flight={losses=3} root_prior_temperature=1.1 forced_playouts=2 target=pruned \
        target=regularized target=completed_q move_choice=value move_choice=amaf \
        move_choice=lcb move_choice=regularized move_choice=gumbel policy_optimism=0.5 nodes_max=100 reuse=true \
        check_states=true";
    let plain = SearchSettings::of(&SearchSection::plain());
    let mut met = vec![plain];
    for change in changes.split_whitespace() {
        let settings = SearchSettings::of(&laid(&[change]));
        assert!(!met.contains(&settings), "{change}");
        met.push(settings);
    }
    // What belongs to one formula changes nothing without it.
    for (formula, change) in [
        ("variance_scale=1", "variance_prior=0.3"),
        ("variance_scale=1", "variance_prior_weight=1"),
        ("c_puct_log=1", "c_puct_base=9"),
        ("selection=uct", "c_uct=1"),
        ("selection=rave", "rave_c=1"),
        ("selection=rave", "rave_k=1"),
        ("selection=rave", "rave_schedule=logarithm"),
        ("selection=gumbel", "gumbel_considered=4"),
        ("selection=gumbel", "gumbel_scale=0"),
        ("selection=gumbel", "gumbel_c_visit=4"),
        ("selection=gumbel", "gumbel_c_scale=0.1"),
        ("selection=gumbel", "gumbel_rescale=true"),
        ("selection=gumbel", "gumbel_inner=puct"),
        ("selection=regularized", "regularized_c=1"),
        ("selection=regularized", "regularized_sample=false"),
        ("backup=delta", "delta_tolerance=0"),
        ("backup=delta", "delta_clamp=false"),
        ("staleness=refresher", "refresher_nodes=1"),
        ("move_choice=lcb", "lcb_deviations=2"),
        ("move_choice=lcb", "lcb_visits_share=0.05"),
    ] {
        let base = SearchSettings::of(&laid(&[formula]));
        assert_ne!(SearchSettings::of(&laid(&[formula, change])), base, "{change}");
    }
}

#[test]
fn contradictions_are_faults_of_a_key() {
    let key = |changes: &[&str]| {
        let faults = search_faults(&laid(changes));
        assert!(faults.len() <= 1, "{faults:?}");
        faults.first().map(|fault| fault.key.clone())
    };
    assert_eq!(key(&["backup=incremental"]), None);
    let stale = key(&["backup=incremental", "staleness=parents"]);
    assert_eq!(stale.as_deref(), Some("search.staleness"));
    assert_eq!(key(&["expansion=40"]).as_deref(), Some("search.expansion"));
    assert_eq!(key(&["expansion=40", "leaf_value=rollout"]), None);
    let linear = "heuristic=linear:file";
    assert_eq!(key(&[linear]).as_deref(), Some("search.heuristic"));
    assert_eq!(key(&[linear, "equivalent_visits=50"]), None);
    assert_eq!(key(&["move_choice=amaf"]).as_deref(), Some("search.move_choice"));
    assert_eq!(key(&["move_choice=amaf", "selection=rave"]), None);
    assert_eq!(key(&["leaf_rollouts=2"]).as_deref(), Some("search.leaf_rollouts"));
    assert_eq!(key(&["leaf_rollouts=2", "leaf_value={mix=0.5}"]), None);
    assert_eq!(key(&["grow=episode"]).as_deref(), Some("search.grow"));
    assert_eq!(key(&["grow=episode", "leaf_value=rollout"]), None);
    let delta = key(&["grow=episode", "leaf_value=rollout", "backup=delta"]);
    assert_eq!(delta.as_deref(), Some("search.grow"));
    assert_eq!(key(&["untried=rollout", "selection=gumbel"]).as_deref(), Some("search.untried"));
    assert_eq!(key(&["untried=rollout", "selection=rave"]), None);
    let drawn = key(&["backup=delta", "revisit=draw"]);
    assert_eq!(drawn.as_deref(), Some("search.revisit"));
}

#[test]
fn programs_that_cannot_be_started_are_faults_of_their_anchor() {
    let anchor = |command: &str, optional: bool| {
        let (protocol, command) = (EngineProtocol::Gtp, command.to_owned());
        let engine = EngineAnchor { protocol, command, setup: Vec::new(), seconds: 1.0, optional };
        Anchor { name: "other".to_owned(), kind: AnchorKind::Engine(engine) }
    };
    let anchors = ["sh -c true", "not-installed --mode gtp", "sh 'open"]
        .map(|command| anchor(command, false));
    let faults = anchor_faults(&anchors);
    let keys: Vec<&str> = faults.iter().map(|fault| fault.key.as_str()).collect();
    assert_eq!(keys, ["rating.anchors[1]", "rating.anchors[2]"]);
    assert!(faults[0].to_string().contains("not-installed"), "{}", faults[0]);
    assert!(faults[1].to_string().contains("quote"), "{}", faults[1]);
    // Ratings do without optional ones.
    let optional = ["sh -c true", "not-installed --mode gtp"].map(|command| anchor(command, true));
    assert!(anchor_faults(&optional).is_empty());
    assert!(missing_anchors(&optional[..1]).is_empty());
    assert!(missing_anchors(&optional[1..]).contains("other"));
}

#[test]
fn matches_explore_no_more_than_they_must() {
    let section = laid(&[
        "selection=gumbel",
        "forced_playouts=2",
        "root_prior_temperature=1.5",
        "root_fpu={kind=\"parent\"}",
    ]);
    let settings = SearchSettings::for_matches(&section);
    let quiet = RootSetup { fpu: Some(FirstPlay::Parent), ..RootSetup::default() };
    assert_eq!(settings.root, quiet);
    let gumbel = Gumbel { scale: 0.0, ..Gumbel::default() };
    assert_eq!(settings.params.selection, Selection::Gumbel(gumbel));
}

#[test]
fn noise_has_its_shape() {
    let shape = |word: &str| {
        let section = laid(&[&format!("noise_shape={word}")]);
        section.root_noise(3.0, 0.25).unwrap().shape
    };
    assert_eq!(shape("each"), NoiseShape::Plain { alpha: 3.0 });
    assert_eq!(shape("total"), NoiseShape::Total { total: 3.0 });
    assert_eq!(shape("shaped"), NoiseShape::Shaped { total: 3.0 });
    assert_eq!(SearchSection::plain().root_noise(3.0, 0.0), None);
}
