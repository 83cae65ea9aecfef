//! Whose points are and how many, where the evaluator says so.

use std::collections::BTreeMap;

use dz_frontends::{GameSession, Gtp, Limits, Resignation};
use dz_game::{Encoding, Game, games::Go};
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_play::{NoNetworks, PlayerEvaluator, PlayerKind, PlayerPool};
use dz_search::SearchParams;

use crate::common::{Ticking, ask, player, say};

/// Gives the mover the first point, half of the second, and the opponent the last.
struct Owner {
    encoding_id: String,
    submitted: BTreeMap<Ticket, usize>,
}

impl NetworkEvaluator for Owner {
    fn id(&self) -> &'static str {
        "owner"
    }
    fn encoding_id(&self) -> &str {
        &self.encoding_id
    }
    fn policy_len(&self) -> usize {
        10
    }
    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let ticket = Ticket(self.submitted.len() as u64);
        self.submitted.insert(ticket, batch.len);
        Ok(ticket)
    }
    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        let len = self.submitted[&ticket];
        let (policy_logits, wdl_logits) = (vec![0.0; 10 * len], vec![0.0; 3 * len]);
        // In units of the board's side, 3.
        Ok(NetworkOutputs {
            policy_logits,
            wdl_logits,
            margins: vec![0.5; len],
            ..NetworkOutputs::default()
        })
    }
    fn has_margins(&self) -> bool {
        true
    }
    fn ownership(&mut self, batch: &EncodedBatch) -> Result<Option<Vec<f32>>, EvaluatorError> {
        assert_eq!(batch.len, 1);
        // Chances of the mover, nobody and the opponent.
        let sure = |place: usize| std::array::from_fn(|at| if at == place { 0.0 } else { -99.0 });
        let even = [0.0, -99.0, 0.0];
        let half = [0.0, 0.0, -99.0];
        let points: [[f32; 3]; 9] = [sure(0), half, even, even, even, even, even, even, sure(2)];
        Ok(Some(points.as_flattened().to_vec()))
    }
}

fn gtp() -> Gtp {
    let go = Go::from_spec(&"go:size=3".parse().expect("a game")).expect("possible rules");
    let mut pool = PlayerPool::new(&go, NoNetworks, 0);
    let owner = Owner { encoding_id: go.encoding().id(), submitted: BTreeMap::new() };
    let source = pool.sources().add_network(&go, Box::new(owner), 1 << 4).expect("it fits");
    let mut tester = player("tester", PlayerEvaluator::Added(source));
    if let PlayerKind::Search(search) = &mut tester.kind {
        search.params = SearchParams::default();
    }
    let session = GameSession::new(&tester, pool, 1).expect("a session");
    let limits = Limits { playouts: Some(20), time: None, default_playouts: 1 };
    let maker = Box::new(|_: &_| Err("one game is enough".to_owned()));
    Gtp::new(Box::new(session), maker, Box::new(Ticking::default()), limits, Resignation::default())
}

#[test]
fn raw_networks_show_ownership_as_white_sees_it() {
    let mut gtp = gtp();
    let tail =
        |text: &str| text.split_once("whiteOwnership\n").expect("it is printed").1.to_owned();
    let black = tail(&ask(&mut gtp, "kata-raw-nn 0"));
    assert_eq!(
        black,
        "-1.000000 -0.500000 -0.000000\n-0.000000 -0.000000 -0.000000\n-0.000000 -0.000000 1.000000"
    );
    ask(&mut gtp, "play b B2");
    let white = tail(&ask(&mut gtp, "kata-raw-nn 0"));
    assert!(white.starts_with("1.000000 0.500000 0.000000\n"), "{white}");
}

/// The mover is 1.5 points ahead without komi, which is 7 for White, and every move turns that
/// around.
#[test]
fn analyses_show_leads_in_points() {
    let mut gtp = gtp();
    let lead_of = |text: &str| -> f64 {
        let printed = text.split_once(" scoreLead ").expect("it is printed").1;
        printed.split_whitespace().next().unwrap_or_default().parse().expect("a number")
    };
    let text = say(&mut gtp, "kata-genmove_analyze b 1 rootInfo true");
    // Black's own evaluation is 1.5 - 7. After a move White's is 1.5 + 7, which is the same lead.
    let first = text.lines().find(|line| line.starts_with("info")).expect("a report");
    let (moves, root) = first.split_once(" rootInfo ").expect("the root");
    assert!(moves.contains(" scoreMean "), "{moves}");
    for lead in [lead_of(moves), lead_of(root)] {
        assert!((-8.6..=-5.4).contains(&lead), "{first}");
    }
    let text = say(&mut gtp, "lz-genmove_analyze w 1");
    assert!(!text.contains("scoreLead"), "{text}");
}

#[test]
fn analyses_show_it_as_the_player_sees_it() {
    let printed = |line: &str| {
        let mut gtp = gtp();
        let text = say(&mut gtp, line);
        let line =
            text.lines().find(|line| line.starts_with("info")).unwrap_or_default().to_owned();
        line.split_once(" ownership ").map(|(_, owned)| owned.to_owned())
    };
    let own = printed("kata-genmove_analyze b 1 ownership true").expect("it is printed");
    let numbers: Vec<f32> = own.split(' ').map(|n| n.parse().expect("a number")).collect();
    assert_eq!(numbers, [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    // Out of turn the board is the same, seen from the other side.
    let others = printed("kata-genmove_analyze w 1 ownership true").expect("it is printed");
    assert!(others.starts_with("-1.000000 -0.500000"), "{others}");
    assert_eq!(printed("kata-genmove_analyze b 1"), None);
    assert_eq!(printed("kata-genmove_analyze b 1 ownership false"), None);
    assert_eq!(printed("lz-genmove_analyze b 1 ownership true"), None);
}
