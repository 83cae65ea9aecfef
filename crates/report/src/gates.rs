//! The tables of gates.

use dz_store::VerdictState;

use crate::count;
use crate::facts::{CycleFacts, GateFacts};
use crate::report::Report;
use crate::sections::NONE;
use crate::table::{Cell, Table};

/// Every gate and what it decided.
pub(crate) fn gates(report: &Report) -> Table {
    let has_gate = |facts: &&CycleFacts| facts.verdict.is_some() || facts.gate.is_some();
    let gate = |facts: &CycleFacts, text: fn(&GateFacts) -> String| {
        facts.gate.as_ref().map_or(NONE.to_owned(), text)
    };
    Table::by_cycle("cycles.gate", report.by_cycle(|facts| Some(facts).filter(has_gate)))
        .words("against", |facts| gate(facts, |gate| gate.opponent.clone()))
        .number("W-D-L", "", |facts| gate(facts, |gate| count::wdl(gate.record())))
        .number("score", "95 % interval", |facts| {
            facts.verdict.as_ref().map_or(NONE.to_owned(), score)
        })
        .number("repeated", "games", |facts| {
            gate(facts, |gate| count::whole(gate.result.duplicates))
        })
        .words("verdict", |facts| decision(facts))
        .words("reason", |facts| {
            let reason = facts.verdict.as_ref().map(|verdict| verdict.reason.clone());
            Cell::classed(reason.unwrap_or_default(), "long")
        })
        .done()
}

/// The gates' sequential tests.
pub(crate) fn tests(report: &Report) -> Table {
    Table::by_cycle(
        "cycles.verdict.test",
        report.by_cycle(|facts| facts.verdict.as_ref()?.test.as_ref()),
    )
    .number("not enough", "normalised Elo", |test| count::real(test.elo0))
    .number("enough", "normalised Elo", |test| count::real(test.elo1))
    .number("alpha", "wrongly accepted", |test| count::percent(test.alpha))
    .number("beta", "wrongly refused", |test| count::percent(test.beta))
    .number("pairs", "that counted", |test| count::whole(test.llr.len() as u64))
    .number("log-likelihood ratio", "refuses, accepts", |test| {
        let llr = test.llr.last().copied().unwrap_or(0.0);
        count::interval(count::real, [llr, test.lower, test.upper])
    })
    .number("estimate", "95 % interval", |test| match (test.elo, test.elo_lo95, test.elo_hi95) {
        (Some(elo), Some(lo), Some(hi)) => count::interval(count::elo, [elo, lo, hi]),
        _ => NONE.to_owned(),
    })
    .words("ended because", |test| crate::trace::ended(&test.stop))
    .done()
}

fn score(verdict: &VerdictState) -> String {
    match (verdict.score, verdict.score_lo95, verdict.score_hi95) {
        (Some(score), Some(low), Some(high)) => count::interval(count::loss, [score, low, high]),
        (Some(score), _, _) => count::loss(score),
        _ => NONE.to_owned(),
    }
}

fn decision(facts: &CycleFacts) -> Cell {
    match (&facts.verdict, facts.promoted) {
        (Some(v), Some(generation)) if v.accepted => {
            Cell::classed(format!("generation {generation}"), "good")
        }
        (Some(v), _) if v.accepted => Cell::classed("accepted", "good"),
        (Some(_), _) => Cell::classed("refused", "bad"),
        (None, _) => NONE.into(),
    }
}
