//! The tables of gates.

use dz_store::VerdictState;

use crate::count;
use crate::facts::CycleFacts;
use crate::report::Report;
use crate::sections::NONE;
use crate::table::{Cell, Table, number, words};

/// Every gate and what it decided.
pub(crate) fn gates(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.gate",
        vec![
            number("cycle", ""),
            words("against"),
            number("W-D-L", ""),
            number("score", "95 % interval"),
            number("repeated", "games"),
            words("verdict"),
            words("reason"),
        ],
    );
    for facts in &report.cycles {
        if facts.verdict.is_none() && facts.gate.is_none() {
            continue;
        }
        let verdict = facts.verdict.as_ref();
        let gate = facts.gate.as_ref();
        table.row(vec![
            facts.cycle.to_string().into(),
            gate.map_or(NONE.to_owned(), |g| g.opponent.clone()).into(),
            gate.map_or(NONE.to_owned(), |gate| count::wdl(gate.record())).into(),
            verdict.map_or(NONE.to_owned(), score).into(),
            gate.map_or(NONE.to_owned(), |g| count::whole(g.result.duplicates)).into(),
            decision(facts),
            Cell::classed(verdict.map_or(String::new(), |v| v.reason.clone()), "long"),
        ]);
    }
    table
}

/// The gates' sequential tests.
pub(crate) fn tests(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.verdict.test",
        vec![
            number("cycle", ""),
            number("not enough", "normalised Elo"),
            number("enough", "normalised Elo"),
            number("alpha", "wrongly accepted"),
            number("beta", "wrongly refused"),
            number("pairs", "that counted"),
            number("log-likelihood ratio", "refuses, accepts"),
            number("estimate", "95 % interval"),
            words("ended because"),
        ],
    );
    for facts in &report.cycles {
        let Some(test) = facts.verdict.as_ref().and_then(|v| v.test.as_ref()) else { continue };
        let llr = test.llr.last().copied().unwrap_or(0.0);
        let estimate = match (test.elo, test.elo_lo95, test.elo_hi95) {
            (Some(elo), Some(lo), Some(hi)) => format!("{elo:+.0} [{lo:+.0}, {hi:+.0}]"),
            _ => NONE.to_owned(),
        };
        table.row(vec![
            facts.cycle.to_string().into(),
            count::real(test.elo0).into(),
            count::real(test.elo1).into(),
            count::percent(test.alpha).into(),
            count::percent(test.beta).into(),
            test.llr.len().to_string().into(),
            format!("{llr:.2} [{:.2}, {:.2}]", test.lower, test.upper).into(),
            estimate.into(),
            crate::trace::ended(&test.stop).into(),
        ]);
    }
    table
}

fn score(verdict: &VerdictState) -> String {
    match (verdict.score, verdict.score_lo95, verdict.score_hi95) {
        (Some(score), Some(low), Some(high)) => format!("{score:.3} [{low:.3}, {high:.3}]"),
        (Some(score), _, _) => format!("{score:.3}"),
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
