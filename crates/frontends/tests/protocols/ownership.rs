//! Whose points are, where the evaluator says so.

use std::collections::BTreeMap;

use dz_frontends::{GameSession, Gtp, Limits, Resignation};
use dz_game::{Wdl, games::Go};
use dz_infer::{Evaluation, Evaluator, EvaluatorError, Leaf, Ticket};
use dz_play::{NoNetworks, PlayerEvaluator, PlayerPool};

use crate::common::{Ticking, ask, player, say};

/// Gives the mover the first point, half of the second, and the opponent the last.
#[derive(Default)]
struct Owner(BTreeMap<Ticket, Vec<Evaluation>>);

impl Evaluator<Go> for Owner {
    fn id(&self) -> &'static str {
        "owner"
    }
    fn submit(&mut self, leaves: &[&Leaf<Go>]) -> Result<Ticket, EvaluatorError> {
        let ticket = Ticket(self.0.len() as u64);
        let evaluate = |leaf: &&Leaf<Go>| {
            let moves = leaf.legal.len();
            Evaluation { wdl: Wdl::UNKNOWN, priors: vec![1.0 / moves as f32; moves] }
        };
        self.0.insert(ticket, leaves.iter().map(evaluate).collect());
        Ok(ticket)
    }
    fn wait(&mut self, ticket: Ticket) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.0.insert(ticket, Vec::new()).ok_or(EvaluatorError::UnknownTicket(ticket))
    }
    fn ownership(&mut self, _: &Leaf<Go>) -> Result<Option<Vec<f32>>, EvaluatorError> {
        Ok(Some(vec![1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]))
    }
}

fn gtp() -> Gtp {
    let go = Go::from_spec(&"go:size=3".parse().expect("a game")).expect("possible rules");
    let mut pool = PlayerPool::new(&go, NoNetworks, 0);
    let source = pool.sources().add_batched(Box::new(Owner::default()), 1 << 4);
    let session = GameSession::new(&player("tester", PlayerEvaluator::Added(source)), pool, 1)
        .expect("a session");
    let limits = Limits { playouts: Some(20), time: None, default_playouts: 1 };
    let maker = Box::new(|_: &_| Err("one game is enough".to_owned()));
    Gtp::new(Box::new(session), maker, Box::new(Ticking::default()), limits, Resignation::default())
}

#[test]
fn raw_networks_tell_whose_points_are_as_white_sees_it() {
    let mut gtp = gtp();
    let tail = |text: &str| text.split_once("whiteOwnership\n").expect("it is told").1.to_owned();
    let black = tail(&ask(&mut gtp, "kata-raw-nn 0"));
    assert_eq!(
        black,
        "-1.000000 -0.500000 -0.000000\n-0.000000 -0.000000 -0.000000\n-0.000000 -0.000000 1.000000"
    );
    ask(&mut gtp, "play b B2");
    let white = tail(&ask(&mut gtp, "kata-raw-nn 0"));
    assert!(white.starts_with("1.000000 0.500000 0.000000\n"), "{white}");
}

#[test]
fn analyses_tell_it_as_the_player_sees_it() {
    let told = |line: &str| {
        let mut gtp = gtp();
        let text = say(&mut gtp, line);
        let line =
            text.lines().find(|line| line.starts_with("info")).unwrap_or_default().to_owned();
        line.split_once(" ownership ").map(|(_, owned)| owned.to_owned())
    };
    let own = told("kata-genmove_analyze b 1 ownership true").expect("it is told");
    let numbers: Vec<f32> = own.split(' ').map(|n| n.parse().expect("a number")).collect();
    assert_eq!(numbers, [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    // Out of turn the board is the same, seen from the other side.
    let others = told("kata-genmove_analyze w 1 ownership true").expect("it is told");
    assert!(others.starts_with("-1.000000 -0.500000"), "{others}");
    assert_eq!(told("kata-genmove_analyze b 1"), None);
    assert_eq!(told("kata-genmove_analyze b 1 ownership false"), None);
    assert_eq!(told("lz-genmove_analyze b 1 ownership true"), None);
}
