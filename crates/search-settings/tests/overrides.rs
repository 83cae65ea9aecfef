//! Overrides of `[search]`: every form is read and written, and faults say what was meant.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use dz_config_keys::SameOr;
use dz_search_settings::{
    CatchUp, Expansion, FirstPlay, KataGoFirstPlay, ParamsError, SearchParams, SearchSection,
    SearchSettings, SelectionWord, ValueBias, search_faults,
};

fn laid(overrides: &[&str]) -> Result<(SearchSection, u64), Vec<String>> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    SearchSection::plain()
        .with_overrides(&overrides)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

#[test]
fn nothing_laid_over_changes_nothing() {
    assert_eq!(laid(&[]), Ok((SearchSection::plain(), 0)));
}

#[test]
fn values_of_every_form_are_taken() {
    let (section, seed) = laid(&[
        "search.seed=7",
        "search.selection=rave",
        "search.fpu.value=0.25",
        "search.root_fpu={ kind = \"katago\", reduction = 0, loss_share = 0.1, mix_power = 2 }",
        "search.catch_up={ leak = 0.1 }",
        "search.expansion={ start = 4, waiting_max = 9 }",
    ])
    .unwrap();
    assert_eq!((seed, section.selection), (7, SelectionWord::Rave));
    assert_eq!(section.fpu, FirstPlay::Absolute(0.25));
    let own = FirstPlay::KataGo(KataGoFirstPlay {
        mix_power: Some(2.0),
        reduction: 0.0,
        loss_share: 0.1,
    });
    assert_eq!(section.root_fpu, SameOr::Own(own));
    assert_eq!(section.catch_up, CatchUp::Leak(0.1));
    assert_eq!(section.expansion, Expansion::Dynamic { start: 4, waiting_max: 9 });
    let plain = SearchSection::plain();
    let lists = section.values().into_iter().zip(plain.values());
    assert_eq!(lists.filter(|(new, old)| new != old).count(), 5);
}

#[test]
fn every_form_reads_as_it_is_written() {
    let changes = [
        "catch_up={ margin = 3 }",
        "in_flight={ losses = 3 }",
        "leaf_value={ mix = 0.5 }",
        "leaf_value=rollout",
        "epsilon={ root = 0.25 }",
        "epsilon={ share = 0.015625 }",
        "epsilon={ visits = 5 }",
        "epsilon={ visits_random = [5, 10] }",
        "expansion=40",
        "leaf_rollouts=5",
        "untried=rollout",
        "grow=episode",
        "fpu={ kind = \"parent\" }",
        "fpu={ kind = \"katago\", loss_share = 0.0, reduction = 0.2 }",
        "root_fpu={ kind = \"absolute\", value = -1.0 }",
    ];
    for change in changes {
        let (section, _) = laid(&[&format!("search.{change}")]).unwrap();
        assert_ne!(section, SearchSection::plain(), "{change}");
        let values = section.values();
        let all: Vec<String> =
            values.iter().map(|(key, value)| format!("search.{key}={value}")).collect();
        assert_eq!(SearchSection::defaults().with_overrides(&all), Ok((section, 0)));
        let (key, given) = change.split_once('=').unwrap();
        let written = values.iter().find(|(name, _)| *name == key).unwrap().1.to_string();
        assert_eq!(written.trim_matches('"'), given, "{change}");
    }
}

#[test]
fn one_name_at_a_time() {
    for wrong in ["{ leak = 0.1, margin = 2 }", "{}", "3", "{ leak = 2 }", "[\"stop\"]"] {
        let faults = laid(&[&format!("search.catch_up={wrong}")]).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].starts_with("search.catch_up"), "{faults:?}");
    }
}

#[test]
fn ranges_of_visits_are_two_numbers_in_order() {
    for wrong in ["[10, 5]", "[5]", "[5, 6, 7]", "5", "[0, 3]", "[1, 2.5]"] {
        let faults = laid(&[&format!("search.epsilon={{ visits_random = {wrong} }}")]).unwrap_err();
        assert!(faults[0].starts_with("search.epsilon.visits_random"), "{wrong}: {faults:?}");
    }
    let faults = laid(&["search.epsilon={ visit = 5 }"]).unwrap_err();
    assert!(faults[0].contains("did you mean 'search.epsilon.visits'"), "{faults:?}");
}

#[test]
fn the_printed_term_is_for_formulas_that_are_printed_so() {
    let validated = |changes: &[&str]| {
        let changes: Vec<String> =
            changes.iter().map(|change| format!("search.{change}")).collect();
        let (section, _) = SearchSection::plain().with_overrides(&changes).unwrap();
        SearchSettings::of(&section).params.validate()
    };
    for fits in [&["selection=puct"][..], &["selection=uct"], &["selection=rave"]] {
        assert_eq!(validated(&[fits, &["exploration=printed"]].concat()), Ok(()));
    }
    for other in [&["selection=gumbel"][..], &["selection=rave", "rave_schedule=logarithm"]] {
        let found = validated(&[other, &["exploration=printed"]].concat());
        assert_eq!(found, Err(ParamsError::PrintedElsewhere));
    }
}

#[test]
fn values_are_corrected_where_a_network_s_are_averaged() {
    let validated = |changes: &[&str]| {
        let changes: Vec<String> =
            changes.iter().map(|change| format!("search.{change}")).collect();
        let (section, _) = SearchSection::plain().with_overrides(&changes).unwrap();
        let params = SearchSettings::of(&section).params;
        (params.value_bias, params.validate(), search_faults(&section))
    };
    let on = "value_bias_lambda=0.3";
    let bias = ValueBias { lambda: 0.3, alpha: 0.8, freed: 0.8 };
    assert_eq!(validated(&[on]), (Some(bias), Ok(()), Vec::new()));
    let other = ValueBias { alpha: 0.85, freed: 0.0, ..bias };
    let keys = [on, "value_bias_alpha=0.85", "value_bias_freed=0"];
    assert_eq!(validated(&keys), (Some(other), Ok(()), Vec::new()));
    for elsewhere in [
        &["leaf_value=rollout"][..],
        &["leaf_value={ mix = 0.5 }"],
        &["leaf_value={ mix = 0.5 }", "edge_values=split"],
        &["backup=incremental"],
        &["backup=delta"],
    ] {
        let (_, found, faults) = validated(&[elsewhere, &[on]].concat());
        assert_eq!(found, Err(ParamsError::BiasElsewhere), "{elsewhere:?}");
        let fault = faults[0].to_string();
        assert!(fault.starts_with("search.value_bias_lambda"), "{fault}");
        assert!(fault.contains("search.leaf_value") && fault.contains("search.backup"), "{fault}");
        // Without a share to take off, the other two keys say nothing.
        let off = ["value_bias_lambda=0", "value_bias_alpha=0.5"];
        let (bias, found, _) = validated(&[elsewhere, &off].concat());
        assert_eq!((bias, found), (None, Ok(())), "{elsewhere:?}");
    }
}

#[test]
fn impossible_numbers_of_the_correction_are_refused() {
    for key in ["lambda", "alpha", "freed"] {
        for wrong in ["-0.1", "1.5", "nan", "inf", "\"much\"", "[0.3]", "{ lambda = 0.3 }"] {
            let faults = laid(&[&format!("search.value_bias_{key}={wrong}")]).unwrap_err();
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].starts_with(&format!("search.value_bias_{key}")), "{faults:?}");
        }
        for number in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
            let mut bias = ValueBias::default();
            *match key {
                "lambda" => &mut bias.lambda,
                "alpha" => &mut bias.alpha,
                _ => &mut bias.freed,
            } = number;
            let params = SearchParams { value_bias: Some(bias), ..SearchParams::default() };
            let text = params.validate().unwrap_err().to_string();
            assert_eq!(text, format!("search.value_bias_{key} must be a number from 0 to 1"));
        }
    }
    let faults = laid(&["search.value_bias=0.3"]).unwrap_err();
    assert!(faults[0].contains("did you mean 'search.value_bias_"), "{faults:?}");
}

#[test]
fn faults_name_what_was_meant() {
    let faults = laid(&[
        "search.c_punct=1",
        "search.sed=1",
        "selfplay.games=3",
        "search.seed=-1",
        "search.catch_up={ leek = 1 }",
        "search.selection=\"uctt\"",
    ])
    .unwrap_err();
    assert_eq!(faults.len(), 6, "{faults:#?}");
    for meant in ["'search.c_puct'", "'search.seed'", "'search.catch_up.leak'", "\"uct\""] {
        let meant = format!("did you mean {meant}");
        let named = faults.iter().filter(|fault| fault.contains(&meant));
        assert_eq!(named.count(), 1, "{meant} {faults:#?}");
    }
    assert!(faults.iter().any(|fault| fault.starts_with("selfplay")));
    assert!(faults.iter().any(|fault| fault.starts_with("search.seed = -1: impossible")));
}
