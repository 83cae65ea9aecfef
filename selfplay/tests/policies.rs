//! Games whose moves are sampled from policies, and what is learned from them.

use std::sync::Arc;

use crate::common::preset_with;
use dz_config::ReinforcePhase;
use dz_game::{Game, Player, games::TicTacToe};
use dz_infer::{GameTask, Hashed, Request, Sources};
use dz_shard::{GameEnd, GameRecord, RowBlock, RowShape, SearchKind, rows_of_game};
use selfplay::{CycleGame, Past, cycle_plan, policy_cycle_plan};

fn games(phase: ReinforcePhase, count: u64) -> Vec<GameRecord> {
    let set = ["reinforce.games=30", "reinforce.value_games=50"];
    let config = preset_with("tictactoe-smoke", &set);
    let plan = cycle_plan(&config, 1, 0, None, Past::default());
    let plan = policy_cycle_plan(&plan, &config, phase, 2);
    let wanted = if phase == ReinforcePhase::Policy { 30 } else { 50 };
    assert_eq!(plan.count, wanted);
    let mut sources = Sources::default();
    for _ in 0..3 {
        sources.add_instant(Arc::new(Hashed));
    }
    let play = |number| {
        let mut game = CycleGame::new(&TicTacToe, &plan.games, number);
        let asks = game.resume(sources.readers(), &mut Request::default());
        assert!(!asks, "a fake answers at once");
        let (record, counts) = game.into_record();
        record.check().unwrap();
        assert!(counts.playouts >= record.plies.len() as u64);
        record
    };
    (0..count).map(play).collect()
}

fn rows(record: &GameRecord) -> RowBlock {
    let mut rows = RowBlock::new(RowShape::of(&TicTacToe.encoding()));
    rows_of_game(&TicTacToe, record, &mut rows).unwrap();
    rows
}

#[test]
fn own_moves_count_by_the_score() {
    let (mut won, mut lost) = (0, 0);
    for record in games(ReinforcePhase::Policy, 30) {
        let learner = if record.number.is_multiple_of(2) { Player::First } else { Player::Second };
        let score = record.outcome.wdl_for(learner).score();
        assert_eq!(record.end, GameEnd::Rules);
        for (i, ply) in record.plies.iter().enumerate() {
            let mover = if i % 2 == 0 { Player::First } else { Player::Second };
            let (kind, weight) =
                if mover == learner { (SearchKind::Full, score) } else { (SearchKind::Fast, 0.0) };
            assert_eq!((ply.kind, ply.weight), (kind, weight), "ply {i} of {}", record.number);
            assert_eq!(ply.visits, [(ply.mv, 1)]);
        }
        won += u32::from(score == 1.0);
        lost += u32::from(score == 0.0);
        let own = record.plies.iter().filter(|ply| ply.weight > 0.0).count();
        let learned = rows(&record);
        assert_eq!(learned.len(), own);
        for i in 0..own {
            let row = learned.row(i);
            assert!(row.policy_weight.get() > 0.0 && row.value_weight.get() == 0.0, "row {i}");
        }
    }
    assert!(won > 3 && lost > 3, "{won} won, {lost} lost");
}

#[test]
fn the_value_learns_one_position_a_game() {
    let mut places = std::collections::BTreeSet::new();
    for record in games(ReinforcePhase::Value, 30) {
        let kept: Vec<usize> =
            (0..record.plies.len()).filter(|&i| record.plies[i].weight > 0.0).collect();
        assert_eq!(kept.len(), 1);
        places.extend(kept);
        assert!(record.plies.iter().all(|ply| ply.kind == SearchKind::Fast));
        let rows = rows(&record);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows.row(0).policy_weight.get(), rows.row(0).value_weight.get()), (0.0, 1.0));
    }
    assert!(places.len() > 3, "{places:?}");
}
