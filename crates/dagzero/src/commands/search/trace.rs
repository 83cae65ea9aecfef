//! A playout as it is printed: each choice on its way, and why it ended.

use dz_search::{PlayoutEnd, TracedMove, TracedPlayout, TracedStep};
use serde::{Serialize, Serializer};

use super::{graph::Place, subject::Subject, tidy::tidy};

/// A playout.
#[derive(Serialize)]
pub(super) struct Playout {
    /// Its number, from 1.
    #[serde(rename = "playout")]
    number: u64,
    /// From the root down; empty for the one that evaluated the root.
    steps: Vec<Step>,
    /// `evaluation`, `cache_hit`, `terminal`, `cut` or `cycle`.
    end: &'static str,
    /// What the root's mover expects afterwards.
    root_value: f64,
}

/// A choice; values are the mover's.
#[derive(Serialize)]
struct Step {
    node: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    /// Before this playout.
    visits: u32,
    value: f64,
    /// The move taken.
    #[serde(rename = "move")]
    mv: String,
    /// It was chosen on an earlier visit, and that still held.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    held: bool,
    moves: Vec<Counted>,
}

/// What a move counted.
#[derive(Serialize)]
struct Counted {
    #[serde(rename = "move")]
    mv: String,
    visits: u32,
    prior: f64,
    q: Option<f64>,
    /// The largest is taken, or a share by which moves are sampled; "inf" and "-inf" are words.
    #[serde(serialize_with = "finite_or_word")]
    score: f64,
}

impl Playout {
    pub(super) fn of<S: Subject>(
        playout: &TracedPlayout,
        places: &[Option<Place<S::Domain>>],
        domain: &S::Domain,
        subject: &S,
    ) -> Self {
        let step = |step: &TracedStep| {
            let place = places.get(step.node as usize).and_then(Option::as_ref);
            Step {
                node: step.node,
                id: place.and_then(|place| subject.id(domain, &place.state)),
                visits: step.visits,
                value: tidy(step.value),
                mv: subject.format_move(domain, step.mv),
                held: step.held,
                moves: step.moves.iter().map(|m| counted(m, domain, subject)).collect(),
            }
        };
        Self {
            number: playout.number,
            steps: playout.steps.iter().map(step).collect(),
            end: match playout.end {
                PlayoutEnd::Evaluation => "evaluation",
                PlayoutEnd::CacheHit => "cache_hit",
                PlayoutEnd::Terminal => "terminal",
                PlayoutEnd::Cut => "cut",
                PlayoutEnd::Cycle => "cycle",
            },
            root_value: tidy(playout.root_value),
        }
    }
}

fn counted<S: Subject>(m: &TracedMove, domain: &S::Domain, subject: &S) -> Counted {
    Counted {
        mv: subject.format_move(domain, m.mv),
        visits: m.visits,
        prior: m.prior,
        q: m.q.map(tidy),
        score: tidy(m.score),
    }
}

fn finite_or_word<S: Serializer>(score: &f64, to: S) -> Result<S::Ok, S::Error> {
    if score.is_finite() { to.serialize_f64(*score) } else { to.collect_str(score) }
}
