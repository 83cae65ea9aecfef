//! Games of others as the first cycle of a run: a network learns from them before it plays.

use std::time::Instant;

use anyhow::ensure;
use dz_config::RunConfig;
use dz_game::{Game, Komi, Outcome, Player, Status};
use dz_record::{RecordError, Sheet, Winner};
use dz_search::SearchCounts;
use dz_shard::{GameEnd, GameRecord, PlyRecord, SearchKind};
use dz_store::{Entry, Ledger, RECORDS, Run, SelfplaySummary, Stage};
use thiserror::Error;

use crate::summary::{Costs, summary};
use crate::{CycleTally, ShardPublisher};

/// A game that was read, as shards keep it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadGame {
    /// The game. Its number is 0 until it is published.
    pub record: GameRecord,
    /// What was left out or guessed, a line each.
    pub notes: Vec<String>,
}

/// Why a game is not imported.
#[derive(Debug, Error)]
pub enum NotImported {
    /// The record cannot be played by the rules of the run.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Shards store a game as moves from the start position.
    #[error(
        "line {line}: the game starts from a position that is set up, and shards begin at the start"
    )]
    SetUp {
        /// Where the game begins, from 1.
        line: usize,
    },
    /// The value has nothing to learn from it.
    #[error("line {line}: the game has no result")]
    NoResult {
        /// Where the game begins, from 1.
        line: usize,
    },
    /// Nothing to learn from.
    #[error("line {line}: the game has no moves")]
    NoMoves {
        /// Where the game begins, from 1.
        line: usize,
    },
    /// The komi that the record states cannot be played on this board.
    #[error("line {line}: {game} cannot have a komi of {komi}")]
    Komi {
        /// Where the game begins, from 1.
        line: usize,
        /// The game.
        game: String,
        /// What the record states.
        komi: String,
    },
}

impl NotImported {
    /// Whether the record is sound but has no moves or no result, or starts from a set-up position.
    /// Such games are left out and counted. All others are faults.
    pub fn is_left_out(&self) -> bool {
        matches!(self, Self::SetUp { .. } | Self::NoResult { .. } | Self::NoMoves { .. })
    }
}

/// Plays a sheet by the rules of `game` and returns it as a game of self-play whose searches had
/// one visit, at the move that was played. The root's value is the outcome.
///
/// - The record's own komi counts, where it states one.
/// - If the rules end the game, their outcome counts. In games with komi, if the record states
///   another winner, that one counts and the move that ends the game is left out: people remove
///   dead stones before they count, and rules do not.
/// - Where the game goes on from a position that moves do not lead to, it is cut off there.
/// - A game without a result is refused. With `keep_unfinished` it is a draw, which is right only
///   where the value does not learn.
///
/// # Errors
/// [`NotImported`].
pub fn game_of_sheet<G: Game>(
    game: &G,
    sheet: &Sheet,
    keep_unfinished: bool,
) -> Result<ReadGame, NotImported> {
    let line = sheet.line;
    let komi = own_komi(game, sheet)?;
    let rules = komi.and_then(|komi| game.with_komi(komi)).unwrap_or_else(|| game.clone());
    let played = sheet.play(&rules)?;
    let mut notes = played.notes.lines();
    let cut = played.record.breaks.first().map(|found| found.ply);
    if played.record.start.is_some() || cut == Some(0) {
        return Err(NotImported::SetUp { line });
    }
    let moves = &played.record.moves[..cut.unwrap_or(played.record.moves.len())];
    if let Some(ply) = cut {
        notes.push(format!("only the {ply} moves before that are imported"));
    }
    let mut state = rules.start();
    let mut history = G::History::default();
    let mut movers = Vec::with_capacity(moves.len());
    for recorded in moves {
        movers.push(rules.to_move(&state, &history).unwrap_or(Player::First));
        rules.advance(&mut state, &mut history, recorded.mv);
    }
    let status = rules.status(&state, &history);
    let stated = played.stated.winner;
    let (outcome, end) = ending(status, stated, rules.komi().is_some(), keep_unfinished)
        .ok_or(NotImported::NoResult { line })?;
    let is_over = matches!(status, Status::Over(_));
    let kept = moves.len() - usize::from(is_over && end != GameEnd::Rules);
    if kept == 0 {
        return Err(NotImported::NoMoves { line });
    }
    let plies = moves[..kept].iter().zip(movers).map(|(recorded, mover)| PlyRecord {
        mv: recorded.mv,
        network: 0,
        kind: SearchKind::Full,
        budget: 1,
        visits: vec![(recorded.mv, 1)],
        root_value: outcome.wdl_for(mover),
        flags: 0,
        weight: 1.0,
        target: None,
    });
    let plies = plies.collect();
    let record = GameRecord { komi, outcome, end, plies, ..GameRecord::started(0, 0) };
    Ok(ReadGame { record, notes })
}

/// Returns the outcome and how the game ended; `None` if neither rules nor record decide it.
fn ending(
    status: Status,
    stated: Winner,
    is_counted: bool,
    keep_unfinished: bool,
) -> Option<(Outcome, GameEnd)> {
    let stated = match stated {
        Winner::Player(player) => Some(Outcome::win_of(player)),
        Winner::Draw => Some(Outcome::DRAW),
        Winner::Unknown => None,
    };
    if let Status::Over(outcome) = status {
        let other = stated.filter(|stated| is_counted && stated.winner != outcome.winner);
        return Some(other.map_or((outcome, GameEnd::Rules), |other| (other, GameEnd::PlyLimit)));
    }
    let unfinished = keep_unfinished.then_some(Outcome::DRAW);
    stated.or(unfinished).map(|outcome| (outcome, GameEnd::PlyLimit))
}

/// Returns the komi that a record states, where it is not that of `game`.
fn own_komi<G: Game>(game: &G, sheet: &Sheet) -> Result<Option<Komi>, NotImported> {
    let stated = sheet.game.as_ref().and_then(|spec| spec.parameter("komi"));
    let (Some(ours), Some(text)) = (game.komi(), stated) else { return Ok(None) };
    let fits = |komi: &Komi| game.with_komi(*komi).and_then(|rules| rules.komi()) == Some(*komi);
    match Komi::parse(text).filter(fits) {
        Some(komi) => Ok(Some(komi).filter(|&komi| komi != ours)),
        None => Err(NotImported::Komi {
            line: sheet.line,
            game: game.spec().to_string(),
            komi: text.to_owned(),
        }),
    }
}

/// Writes games of records as the first cycle of a run that has not begun.
#[derive(Debug)]
pub struct RecordImport<'a> {
    publisher: ShardPublisher<'a>,
    games_per_shard: usize,
    shards: u64,
    waiting: Vec<GameRecord>,
    tally: CycleTally,
    started: Instant,
}

impl<'a> RecordImport<'a> {
    /// Begins the cycle.
    ///
    /// # Errors
    /// If the run has games already, and what the store reports.
    pub fn begin(run: &'a Run, ledger: &'a mut Ledger, config: &RunConfig) -> anyhow::Result<Self> {
        ledger.claim(Stage::Selfplay)?;
        ensure!(ledger.state().shards().next().is_none(), "the run has games of its own");
        let header = ShardPublisher::header(
            config,
            &config.run.game.parse()?,
            0,
            RECORDS.to_owned(),
            String::new(),
        )?;
        Ok(Self {
            publisher: ShardPublisher {
                run,
                ledger,
                cycle: 1,
                header,
                board: None,
                first_shard: 0,
            },
            games_per_shard: config.selfplay.games_per_shard as usize,
            shards: 0,
            waiting: Vec::new(),
            tally: CycleTally::default(),
            started: Instant::now(),
        })
    }

    /// Adds a game and gives it the next number.
    ///
    /// # Errors
    /// What the store or the shard writer report.
    pub fn push(&mut self, record: GameRecord) -> anyhow::Result<()> {
        let record = GameRecord { number: self.tally.games, ..record };
        self.tally.add(&record, &SearchCounts::default());
        self.waiting.push(record);
        if self.waiting.len() == self.games_per_shard { self.publish() } else { Ok(()) }
    }

    /// Whether no game was added.
    pub fn is_empty(&self) -> bool {
        self.tally.games == 0
    }

    fn publish(&mut self) -> anyhow::Result<()> {
        let games = std::mem::take(&mut self.waiting);
        self.publisher.publish(self.shards, games)?;
        self.shards += 1;
        Ok(())
    }

    /// Writes what is left and ends the cycle's self-play.
    ///
    /// # Errors
    /// If there is no game, and what the store reports.
    pub fn finish(mut self) -> anyhow::Result<SelfplaySummary> {
        if !self.waiting.is_empty() {
            self.publish()?;
        }
        let tally = &self.tally;
        ensure!(tally.games > 0, "there is no game to import");
        let summary = SelfplaySummary {
            wall_ms: self.started.elapsed().as_millis() as u64,
            evaluator: RECORDS.to_owned(),
            ..summary(tally, &Costs::default())
        };
        let done = Entry::GamesDone { cycle: 1, generation: 0, summary: summary.clone() };
        self.publisher.ledger.append(done)?;
        Ok(summary)
    }
}
