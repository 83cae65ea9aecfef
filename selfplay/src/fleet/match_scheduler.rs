//! Shares out the games of matches between the home and its workers.
//!
//! A unit is a segment of a match. What workers hand in stays in the inbox until its matches are
//! over, so that a home that is killed finds it again. Games that the home plays are in the working
//! files of its matches.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::thread;

use dz_fleet::{
    BOARD, Board, Desk, MatchSegments, MatchesPlan, PlanObject, UnitOrder, UnitSet, network_path,
    segment_games,
};
use dz_game::{Game, with_game};
use dz_play::{
    BoxError, MatchPlayer, MatchScheduler, PlayedGame, PlayerEvaluator, PlayerKind, RemoteEvent,
    SharedMatch,
};
use dz_store::MailboxError;

use super::excluded;
use super::mail::{Check, Mail, Route, WAIT};
use super::match_context::MatchContext;
use super::match_players::describe;
use super::orders::Handle;
use super::plan::{Object, Post, evaluator_rule, insist, random_word, read_board};
use super::segment::{CheckedMatch, PlayedSegment, SegmentCheck};
use super::shared_plan::{GamesByUnit, SharedPlan, is_whole};

/// So many open units are shown at least: what workers play in order counts before an early stop.
const WINDOW_MIN: usize = 4;

/// The home's side of matches that are shared out.
pub(super) struct HomeScheduler {
    context: MatchContext,
    /// Games that this machine alone can play.
    own: VecDeque<(usize, Range<u64>)>,
    /// The plan that workers have a part in; none where nothing is shared out.
    shared: Option<SharedPlan>,
}

impl HomeScheduler {
    pub(super) const fn new(context: MatchContext) -> Self {
        Self { context, own: VecDeque::new(), shared: None }
    }

    fn share(&mut self, matches: &[SharedMatch<'_>]) -> anyhow::Result<()> {
        let config = &self.context.config;
        let mut segments = Vec::new();
        let mut indices = Vec::new();
        for (index, shared) in matches.iter().enumerate() {
            let [a, b] = shared.plan.players.each_ref().map(|player| describe(player, config));
            let (Some(a), Some(b)) = (a, b) else {
                self.own.push_back((index, 0..shared.plan.games));
                continue;
            };
            segments.push(MatchSegments {
                players: [a, b],
                header: serde_json::to_string(shared.header)?,
                games: shared.plan.games,
                unit_games: segment_games(shared.plan.games, config.unit_games().into()),
            });
            indices.push(index);
        }
        let wanted = MatchesPlan {
            format: MatchesPlan::FORMAT,
            number: 0,
            version: self.context.version.clone(),
            config: config.to_toml(),
            results_hash: config.results_hash(),
            cycle: self.context.cycle,
            evaluators: evaluator_rule(config),
            matches: segments,
        };
        let here = played_here(&wanted, &indices, matches);
        let missing = (0..wanted.units()).filter(|&unit| {
            let Some(segment) = wanted.segment(unit) else { return false };
            !matches[indices[segment.match_index]].is_over && !is_whole(&wanted, &here, unit)
        });
        let missing = UnitSet::of(missing);
        let route = self.context.route()?;
        if missing.is_empty() {
            return self.withdraw(&route);
        }
        let plan = self.publish(&route, &wanted, matches, &indices)?;
        let excluded = excluded::read(&route.root)?;
        if !excluded.is_empty() {
            self.context.note(excluded::text(&excluded));
        }
        let desk = Desk::new(plan.number, missing, UnitOrder::FirstOnes(WINDOW_MIN));
        let handle = Handle::new(desk, excluded);
        let checked = indices.iter().map(|&index| CheckedMatch {
            header: matches[index].header.clone(),
            openings: matches[index].openings.to_vec(),
        });
        let checked = checked.collect();
        let check = with_game!(&self.context.spec, |game| check_of(&game, &plan, checked))?;
        let mail = Mail::start(route, handle.clone(), check)?;
        self.shared = Some(SharedPlan {
            context: self.context.clone(),
            plan,
            indices,
            handle,
            mail,
            taken: BTreeMap::new(),
            audits: BTreeMap::new(),
            here,
            events: Vec::new(),
            audit_random: random_word(),
        });
        Ok(())
    }

    /// Withdraws the offer of a home that was killed, so that workers see that there is nothing to
    /// play.
    fn withdraw(&self, route: &Route) -> anyhow::Result<()> {
        let note = |text: String| self.context.note(text);
        insist(&self.context.stop, note, || {
            match read_board(&route.mailbox)?.and_then(|board| board.offer) {
                Some(_) => {
                    let board = Board::empty(route.epoch);
                    route.mailbox.replace(BOARD, &board.to_bytes())
                }
                None => Ok(()),
            }
        })?;
        Ok(())
    }

    fn publish(
        &self,
        route: &Route,
        wanted: &MatchesPlan,
        matches: &[SharedMatch<'_>],
        indices: &[usize],
    ) -> anyhow::Result<MatchesPlan> {
        let players = indices.iter().flat_map(|&index| &matches[index].plan.players);
        let files: BTreeMap<&str, &[u8]> = players.filter_map(network_file).collect();
        let content_of = |hash: &str| files.get(hash).copied().unwrap_or_default();
        let contents: Vec<_> = wanted
            .networks()
            .into_iter()
            .map(|network| {
                let bytes = content_of(&network.blake3);
                (network, move || -> anyhow::Result<Vec<u8>> { Ok(bytes.to_vec()) })
            })
            .collect();
        let networks = contents.iter().map(|(network, content)| Object {
            path: network_path(&network.blake3),
            bytes: network.bytes,
            content,
        });
        let note = |text: String| self.context.note(text);
        let post = Post { mailbox: &route.mailbox, stop: &self.context.stop, note: &note };
        post.publish(wanted, &[("networks", networks.collect())])
    }
}

/// The network of a player, by hash.
fn network_file(player: &MatchPlayer) -> Option<(&str, &[u8])> {
    match &player.kind {
        PlayerKind::Search(search) => match &search.evaluator {
            PlayerEvaluator::Network { hash, bytes } => Some((hash, bytes)),
            _ => None,
        },
        _ => None,
    }
}

/// The finished games of a plan's matches, by unit.
fn played_here(plan: &MatchesPlan, indices: &[usize], matches: &[SharedMatch<'_>]) -> GamesByUnit {
    let mut here = GamesByUnit::new();
    for (match_index, &index) in indices.iter().enumerate() {
        for game in matches[index].played {
            let unit = plan.unit_of(match_index, game.number);
            here.entry(unit).or_default().insert(game.number, game.clone());
        }
    }
    here
}

/// What checks the units of a plan.
fn check_of<G: Game>(
    game: &G,
    plan: &MatchesPlan,
    matches: Vec<CheckedMatch>,
) -> Check<PlayedSegment> {
    let check = SegmentCheck { game: game.clone(), plan: plan.clone(), matches };
    Box::new(move |unit, bytes| check.check(unit, bytes))
}

impl MatchScheduler for HomeScheduler {
    fn begin(&mut self, matches: &[SharedMatch<'_>]) -> Result<(), BoxError> {
        self.share(matches).map_err(boxed)
    }

    fn next(&mut self) -> Option<(usize, Range<u64>)> {
        self.own.pop_front().or_else(|| self.shared.as_mut()?.next())
    }

    fn played(&mut self, match_index: usize, game: &PlayedGame) -> Result<(), BoxError> {
        if let Some(shared) = &mut self.shared {
            shared.played(match_index, game);
        }
        Ok(())
    }

    fn set_over(&mut self, match_index: usize, is_over: bool) {
        if let Some(shared) = &mut self.shared {
            shared.set_over(match_index, is_over);
        }
    }

    fn poll(&mut self, waits: bool) -> Result<Vec<RemoteEvent>, BoxError> {
        if let Some(shared) = &mut self.shared {
            return shared.poll(waits);
        }
        if waits {
            thread::sleep(WAIT);
        }
        Ok(Vec::new())
    }

    fn end(&mut self, is_whole: bool) -> Result<(), BoxError> {
        if let Some(shared) = self.shared.take() {
            shared.mail.end(is_whole);
        }
        Ok(())
    }
}

/// Replaces an error by its likely cause: another home may have taken over.
fn boxed(error: anyhow::Error) -> BoxError {
    match error.downcast::<MailboxError>() {
        Ok(error) => Box::new(error),
        Err(error) => error.into(),
    }
}

#[cfg(test)]
#[path = "match_scheduler_tests.rs"]
mod tests;
