//! Matches whose games are partly played elsewhere: the same matches.

use std::ops::Range;

use dz_game::{Outcome, Player, games::TicTacToe};
use dz_infer::Lockstep;
use dz_play::{
    BoxError, EarlyStop, GameStore, Match, MatchHeader, MatchScheduler, MatchTask, NoNetworks,
    NoObserver, PlayedGame, PlayedMatch, PlayerPool, RemoteEvent, Seat, SharedMatch, play_match,
    play_scheduled_matches, rollout_anchor,
};

const LOCKSTEP: Lockstep = Lockstep { parallel_games: 4, groups: 1 };

fn plan(early_stop: Option<EarlyStop>) -> Match {
    let players = [rollout_anchor("strong", 30), rollout_anchor("weak", 2)];
    Match { players, games: 40, opening_plies: 2, seed: 3, plies_max: 9, early_stop }
}

fn alone(plan: &Match) -> PlayedMatch {
    let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
    play_match(plan, &mut pool, &LOCKSTEP, None, &mut NoObserver).unwrap()
}

/// Plays pairs whose number is a multiple of `stride`, and brings the others of `whole` when asked
/// for events, wrong ones first.
struct Elsewhere {
    whole: Vec<PlayedGame>,
    stride: u64,
    /// Pairs that were given out or brought.
    pair: u64,
    /// Whether the games that were brought last were wrong.
    is_wrong: bool,
    here: Vec<u64>,
    over: Vec<bool>,
    ended: Option<bool>,
    fails: bool,
}

impl Elsewhere {
    fn new(stride: u64) -> Self {
        let whole = alone(&plan(None)).games;
        let (here, over) = (Vec::new(), Vec::new());
        Self { whole, stride, pair: 0, is_wrong: false, here, over, ended: None, fails: false }
    }

    fn games(&self) -> Range<u64> {
        2 * self.pair..2 * self.pair + 2
    }

    fn is_here(&self) -> bool {
        self.stride > 0 && self.pair.is_multiple_of(self.stride)
    }
}

impl MatchScheduler for Elsewhere {
    fn begin(&mut self, matches: &[SharedMatch<'_>]) -> Result<(), BoxError> {
        assert_eq!((matches.len(), matches[0].header.games), (1, 40));
        assert!(!matches[0].is_over);
        Ok(())
    }

    fn next(&mut self) -> Option<(usize, Range<u64>)> {
        let games = self.games();
        (self.is_here() && games.end <= 40).then(|| {
            self.pair += 1;
            (0, games)
        })
    }

    fn played(&mut self, _: usize, game: &PlayedGame) -> Result<(), BoxError> {
        assert_eq!(*game, self.whole[game.number as usize]);
        self.here.push(game.number);
        Ok(())
    }

    fn set_over(&mut self, _: usize, is_over: bool) {
        self.over.push(is_over);
    }

    fn poll(&mut self, _: bool) -> Result<Vec<RemoteEvent>, BoxError> {
        if self.fails {
            return Err("the mailbox is gone".into());
        }
        if self.is_here() || 2 * self.pair >= 40 {
            return Ok(Vec::new());
        }
        let range = self.games();
        let mut games = self.whole[range.start as usize..range.end as usize].to_vec();
        let other_evaluators = Vec::new();
        // Not the last pair: what is wrong is taken back only before the match is over.
        self.is_wrong = !self.is_wrong && range.end < 40;
        if self.is_wrong {
            for game in &mut games {
                let first_is_a = game.first == Seat::A;
                let winner = if first_is_a { Player::Second } else { Player::First };
                game.outcome = Outcome::win_of(winner);
            }
            return Ok(vec![RemoteEvent::Played { match_index: 0, games, other_evaluators }]);
        }
        self.pair += 1;
        games.reverse();
        let right = RemoteEvent::Played { match_index: 0, games, other_evaluators };
        Ok(vec![RemoteEvent::Withdrawn { match_index: 0, games: range }, right])
    }

    fn end(&mut self, is_whole: bool) -> Result<(), BoxError> {
        self.ended = Some(is_whole);
        Ok(())
    }
}

/// What is kept of a match.
#[derive(Default)]
struct Kept(Vec<PlayedGame>);

impl GameStore for Kept {
    fn open(&mut self, _: &MatchHeader) -> Result<Vec<PlayedGame>, BoxError> {
        Ok(self.0.clone())
    }

    fn append(&mut self, game: &PlayedGame) -> Result<(), BoxError> {
        self.0.push(game.clone());
        Ok(())
    }
}

fn together(
    plan: &Match,
    scheduler: &mut Elsewhere,
    kept: &mut Kept,
) -> Result<Vec<PlayedMatch>, dz_play::MatchError> {
    let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
    let tasks = vec![MatchTask { plan, store: Some(kept) }];
    play_scheduled_matches(tasks, &mut pool, &LOCKSTEP, &mut NoObserver, scheduler)
}

#[test]
fn a_match_is_the_same_wherever_its_games_are_played() {
    for early_stop in [None, Some(EarlyStop::Score(0.55))] {
        let plan = plan(early_stop);
        let whole = alone(&plan);
        assert_eq!(whole.games.len() < 40, early_stop.is_some(), "{}", whole.games.len());
        for stride in [0, 1, 2, 3] {
            let (mut scheduler, mut kept) = (Elsewhere::new(stride), Kept::default());
            let played = together(&plan, &mut scheduler, &mut kept).unwrap();
            assert_eq!(played, std::slice::from_ref(&whole), "every {stride}th pair here");
            assert_eq!(scheduler.ended, Some(true));
            assert_eq!(scheduler.over.last(), Some(&true));
            assert_eq!(scheduler.here.is_empty(), stride == 0);
            // Whoever goes on after a kill finds the games that count.
            let is_kept = |game: &PlayedGame| kept.0.contains(game);
            assert!(whole.games.iter().all(is_kept), "every {stride}th pair here");
        }
    }
}

#[test]
fn evaluators_of_other_machines_are_named() {
    struct Any(Vec<PlayedGame>);
    impl MatchScheduler for Any {
        fn begin(&mut self, _: &[SharedMatch<'_>]) -> Result<(), BoxError> {
            Ok(())
        }
        fn next(&mut self) -> Option<(usize, Range<u64>)> {
            None
        }
        fn played(&mut self, _: usize, _: &PlayedGame) -> Result<(), BoxError> {
            Ok(())
        }
        fn set_over(&mut self, _: usize, _: bool) {}
        fn poll(&mut self, _: bool) -> Result<Vec<RemoteEvent>, BoxError> {
            let games = std::mem::take(&mut self.0);
            let other_evaluators = vec!["card".to_owned()];
            Ok(vec![RemoteEvent::Played { match_index: 0, games, other_evaluators }])
        }
        fn end(&mut self, _: bool) -> Result<(), BoxError> {
            Ok(())
        }
    }
    let plan = plan(None);
    let whole = alone(&plan);
    assert_eq!(whole.header.other_evaluators, Vec::<String>::new());
    let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
    let mut kept = Kept::default();
    let tasks = vec![MatchTask { plan: &plan, store: Some(&mut kept) }];
    let mut scheduler = Any(whole.games.clone());
    let observer = &mut NoObserver;
    let played =
        play_scheduled_matches(tasks, &mut pool, &LOCKSTEP, observer, &mut scheduler).unwrap();
    assert_eq!(played[0].header.other_evaluators, ["card"]);
    assert_eq!(played[0].games, whole.games);
    assert!(kept.0.is_empty(), "a working file has no evaluators of its games");
}

#[test]
fn a_scheduler_that_fails_ends_the_match() {
    let (mut scheduler, mut kept) = (Elsewhere::new(2), Kept::default());
    scheduler.fails = true;
    let error = together(&plan(None), &mut scheduler, &mut kept).unwrap_err();
    let cause = std::error::Error::source(&error).expect("a cause").to_string();
    assert_eq!(cause, "the mailbox is gone");
}
