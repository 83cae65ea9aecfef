//! Runs that pages follow: one task per run reads its ledger and notifies all pages.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use dz_report::Live;
use dz_store::{Ledger, Run};
use futures::Stream;
use futures::stream::unfold;
use serde::Serialize;
use tokio::sync::watch;

use crate::cards::inode;
use crate::runs::FoundRun;

/// Time between two looks at the ledger.
const LOOK_EVERY: Duration = Duration::from_millis(400);
/// A comment for connections on which nothing happens, so that broken ones are noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How a run stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Standing {
    /// Its stages and turns; none while it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) live: Option<Live>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// The tasks that follow runs.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    /// The newest standing of each run that is looked at. Only the newest is kept, so a page that
    /// does not read holds nothing up.
    open: Arc<Mutex<HashMap<PathBuf, watch::Sender<Standing>>>>,
}

impl Followers {
    /// Events of a run for one page.
    pub(crate) fn follow(
        &self,
        found: &FoundRun,
    ) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
        let mut receive = self.receiver(found);
        receive.mark_changed();
        let events = unfold(receive, |mut receive| async move {
            receive.changed().await.ok()?;
            let standing = receive.borrow_and_update().clone();
            // Numbers and strings always have a form in JSON.
            let event = Event::default().event("standing").json_data(&standing);
            Some((Ok(event.unwrap_or_default()), receive))
        });
        Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
    }

    /// A receiver of the task that looks at the run, which is started where there is none.
    fn receiver(&self, found: &FoundRun) -> watch::Receiver<Standing> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = open.get(&found.path) {
            return sender.subscribe();
        }
        let (sender, receive) = watch::channel(Standing::default());
        open.insert(found.path.clone(), sender);
        tokio::spawn(look(Arc::clone(&self.open), found.path.clone()));
        receive
    }
}

/// Looks at a run until nobody listens.
async fn look(open: Arc<Mutex<HashMap<PathBuf, watch::Sender<Standing>>>>, path: PathBuf) {
    let mut seen = None;
    loop {
        let place = path.clone();
        let looked = tokio::task::spawn_blocking(move || Seen::again(seen, &place)).await;
        let (next, standing) = match looked {
            Ok(Ok((next, live))) => (Some(next), Standing { live: Some(live), error: None }),
            Ok(Err(error)) => (None, Standing { live: None, error: Some(error) }),
            Err(_) => (None, Standing { live: None, error: Some("reading it failed".to_owned()) }),
        };
        seen = next;
        {
            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(sender) = open.get(&path) else { return };
            if sender.receiver_count() == 0 {
                open.remove(&path);
                return;
            }
            sender.send_if_modified(|known| {
                let changes = *known != standing;
                *known = standing;
                changes
            });
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// A ledger as it was read.
struct Seen {
    inode: u64,
    ledger: Ledger,
}

impl Seen {
    /// Reads on, or from the beginning where the run is another one.
    fn again(seen: Option<Self>, path: &std::path::Path) -> Result<(Self, Live), String> {
        let words = |error: dz_store::StoreError| dz_text::line(&error.to_string()).into_owned();
        let run = Run::open(path).map_err(words)?;
        let inode = inode(&run);
        let ledger = match seen.filter(|seen| seen.inode == inode) {
            Some(Self { mut ledger, .. }) => ledger.poll().map(|_| ledger),
            None => Ledger::open(&run),
        };
        let ledger = ledger.map_err(words)?;
        let live = Live::seen(&ledger);
        Ok((Self { inode, ledger }, live))
    }
}
