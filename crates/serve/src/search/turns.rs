//! One search at a time for each client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Searches at a time, of all clients.
const RUNNING_MAX: usize = 4;
/// Time that a search waits for its place. A search that was stopped leaves after a few playouts.
const PLACE_WAIT: Duration = Duration::from_secs(5);
/// Bytes of a client's name.
const CLIENT_BYTES_MAX: usize = 64;

type Stops = Arc<Mutex<HashMap<String, Arc<AtomicBool>>>>;

/// Who searches.
#[derive(Debug)]
pub(crate) struct Turns {
    running: Arc<Semaphore>,
    /// What stops the search of each client.
    stops: Stops,
}

impl Default for Turns {
    fn default() -> Self {
        Self { running: Arc::new(Semaphore::new(RUNNING_MAX)), stops: Stops::default() }
    }
}

/// A client's search. It is stopped when this value is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    client: String,
    stop: Arc<AtomicBool>,
    stops: Stops,
}

impl Turns {
    /// Begins a search of `client` and stops the client's previous one. Clients without a name
    /// stop nobody.
    pub(crate) fn begin(&self, client: &str) -> Turn {
        let client: String = client.chars().take(CLIENT_BYTES_MAX / 4).collect();
        let stop = Arc::new(AtomicBool::new(false));
        if !client.is_empty() {
            let mut stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(previous) = stops.insert(client.clone(), Arc::clone(&stop)) {
                previous.store(true, Ordering::Relaxed);
            }
        }
        Turn { client, stop, stops: Arc::clone(&self.stops) }
    }

    /// A place for a search, kept until the search has ended; none if too many are running.
    pub(crate) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.running).acquire_owned();
        tokio::time::timeout(PLACE_WAIT, place).await.ok()?.ok()
    }
}

impl Turn {
    /// True once the search shall stop.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
        if stops.get(&self.client).is_some_and(|stop| Arc::ptr_eq(stop, &self.stop)) {
            stops.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_search_stops_the_previous_one_of_its_client_only() {
        let turns = Turns::default();
        let is_stopped = |turn: &Turn| turn.stop.load(Ordering::Relaxed);
        let first = turns.begin("a");
        let other = turns.begin("b");
        let second = turns.begin("a");
        assert!(is_stopped(&first) && !is_stopped(&other) && !is_stopped(&second));
        drop(first);
        let third = turns.begin("a");
        assert!(is_stopped(&second) && !is_stopped(&third));
        let stop = third.stop();
        drop(third);
        assert!(stop.load(Ordering::Relaxed));
        assert_eq!(turns.stops.lock().unwrap().len(), 1);
        let nameless = turns.begin("");
        drop(turns.begin(""));
        assert!(!is_stopped(&nameless) && !is_stopped(&other));
    }
}
