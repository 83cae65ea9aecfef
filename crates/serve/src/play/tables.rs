//! Games in progress, each on a thread of its own: players are not shared between threads.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dz_frontends::Session;
use tokio::sync::oneshot;

use super::at_board::{AtBoard, Command, Position, SideChoice};
use crate::{Backend, Rules, secret};

/// Games at a time. Another one ends the one that was used least recently.
const TABLES_MAX: usize = 12;
/// Sessions that answer for positions of recorded games. They do not take the places of games.
const POLICIES_MAX: usize = 4;
/// A game that nobody looks at ends after this time.
const IDLE_MAX: Duration = Duration::from_mins(30);

/// Why a game does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TableError {
    /// It ended, or never was.
    Gone,
    /// A line for people.
    Refused(String),
}

/// Games in progress by their names.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    open: Arc<Mutex<HashMap<String, Table>>>,
}

#[derive(Debug)]
struct Table {
    asks: Sender<Ask>,
    used: Instant,
    is_policy: bool,
}

#[derive(Debug)]
struct Ask {
    command: Command,
    /// True once nobody waits for the answer.
    given_up: Arc<AtomicBool>,
    reply: oneshot::Sender<Result<Position, String>>,
}

/// Sets its flag when it is dropped: nobody waits for the answer.
struct GiveUp(Arc<AtomicBool>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Who plays whom.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) run: PathBuf,
    /// The rules of recorded positions that the session answers for; none in a game.
    pub(crate) rules: Option<Rules>,
    pub(crate) generation: Option<u32>,
    pub(crate) seed: u64,
    pub(crate) side: SideChoice,
    pub(crate) playouts: u32,
}

impl Tables {
    /// Begins a game and returns its name.
    ///
    /// # Errors
    /// [`TableError::Refused`] without a thread or random bytes.
    pub(crate) fn open(
        &self,
        backend: Arc<dyn Backend>,
        setup: Setup,
    ) -> Result<String, TableError> {
        let name = secret::token().map_err(|error| TableError::Refused(error.to_string()))?;
        self.open_as(&name, backend, setup)?;
        Ok(name)
    }

    /// Begins a game of this name, where there is none.
    ///
    /// # Errors
    /// [`TableError::Refused`] without a thread.
    pub(crate) fn open_as(
        &self,
        name: &str,
        backend: Arc<dyn Backend>,
        setup: Setup,
    ) -> Result<(), TableError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.contains_key(name) {
            return Ok(());
        }
        let is_policy = setup.rules.is_some();
        make_room(&mut open, is_policy);
        let (asks, receive) = channel();
        let own = name.to_owned();
        let tables = Arc::clone(&self.open);
        let thread = thread::Builder::new().name("game".to_owned());
        let started = thread.spawn(move || {
            if serve(&*backend, &setup, &receive) == End::Itself {
                tables.lock().unwrap_or_else(PoisonError::into_inner).remove(&own);
            }
        });
        started.map_err(|error| TableError::Refused(format!("no thread for a game: {error}")))?;
        open.insert(name.to_owned(), Table { asks, used: Instant::now(), is_policy });
        Ok(())
    }

    /// Asks a game for something and waits for its answer. If the caller goes, it stops thinking.
    ///
    /// # Errors
    /// [`TableError`].
    pub(crate) async fn ask(&self, name: &str, command: Command) -> Result<Position, TableError> {
        let given_up = Arc::new(AtomicBool::new(false));
        let (reply, answer) = oneshot::channel();
        {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let table = open.get_mut(name).ok_or(TableError::Gone)?;
            table.used = Instant::now();
            let given_up = Arc::clone(&given_up);
            if table.asks.send(Ask { command, given_up, reply }).is_err() {
                // Its thread has ended.
                open.remove(name);
                return Err(TableError::Gone);
            }
        }
        let _given_up = GiveUp(given_up);
        answer.await.map_err(|_| TableError::Gone)?.map_err(TableError::Refused)
    }
}

/// Ends the session of this kind that was used least recently, if all places are taken.
fn make_room(open: &mut HashMap<String, Table>, is_policy: bool) {
    let places = if is_policy { POLICIES_MAX } else { TABLES_MAX };
    let of_kind = || open.iter().filter(|(_, table)| table.is_policy == is_policy);
    if of_kind().count() < places {
        return;
    }
    let oldest = of_kind().min_by_key(|(_, table)| table.used).map(|(name, _)| name.clone());
    if let Some(oldest) = oldest {
        open.remove(&oldest);
    }
}

/// A session by the rules of `setup`.
fn session(backend: &dyn Backend, setup: &Setup) -> Result<Box<dyn Session>, String> {
    let Setup { run, rules, generation, seed, .. } = setup;
    let session = backend.session(run, rules.as_ref(), *generation, *seed)?;
    let Some(rules) = rules else { return Ok(session) };
    let wanted = rules.spec().map_err(|error| error.to_string())?;
    let own = session.spec();
    if own != wanted {
        return Err(format!("the champion plays {own}, and this game is {wanted}"));
    }
    Ok(session)
}

/// Why the thread of a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It was taken out of the list.
    Removed,
    /// Nobody asked for long, or there is no player.
    Itself,
}

/// Keeps a game until nobody asks any more.
fn serve(backend: &dyn Backend, setup: &Setup, asks: &Receiver<Ask>) -> End {
    let made = session(backend, setup);
    let mut board = made.map(|session| AtBoard::new(session, setup.side, setup.playouts));
    loop {
        let ask = match asks.recv_timeout(IDLE_MAX) {
            Ok(ask) => ask,
            Err(RecvTimeoutError::Timeout) => return End::Itself,
            Err(RecvTimeoutError::Disconnected) => return End::Removed,
        };
        let stop = || ask.given_up.load(Ordering::Relaxed);
        let answer = match &mut board {
            Ok(_) if stop() => continue,
            Ok(board) => board.obey(&ask.command, &stop),
            Err(error) => Err(error.clone()),
        };
        let _ = ask.reply.send(answer);
        if board.is_err() {
            return End::Itself;
        }
    }
}
