//! What all requests share.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Backend;
use crate::cards::Cards;
use crate::follow::Followers;
use crate::play::Tables;
use crate::report_view::Views;
use crate::runs::{FoundRun, find};
use crate::search::Searches;
use crate::secret;
use crate::trouble::Trouble;

/// Time until the folder is searched for runs again.
const LOOK: Duration = Duration::from_millis(500);

/// The state of the server.
pub(crate) struct App {
    folder: PathBuf,
    backend: Arc<dyn Backend>,
    post_token: String,
    access: Option<String>,
    runs: Mutex<Option<(Instant, Arc<Vec<FoundRun>>)>>,
    pub(crate) cards: Cards,
    pub(crate) views: Views,
    pub(crate) followers: Followers,
    pub(crate) tables: Tables,
    pub(crate) searches: Searches,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl App {
    pub(crate) fn new(
        folder: PathBuf,
        backend: Arc<dyn Backend>,
        access: Option<String>,
    ) -> io::Result<Self> {
        Ok(Self {
            folder,
            backend,
            post_token: secret::token()?,
            access,
            runs: Mutex::default(),
            cards: Cards::default(),
            views: Views::default(),
            followers: Followers::default(),
            tables: Tables::default(),
            searches: Searches::default(),
        })
    }

    /// The folder that runs lie below.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What makes players and searches.
    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    /// The token that pages send with POST requests.
    pub(crate) fn post_token(&self) -> &str {
        &self.post_token
    }

    /// The token that opens the server, where it needs one.
    pub(crate) fn access(&self) -> Option<&str> {
        self.access.as_deref()
    }

    /// The runs that there are now.
    pub(crate) fn runs(&self) -> Arc<Vec<FoundRun>> {
        let mut known = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, runs)) = &*known
            && when.elapsed() < LOOK
        {
            return Arc::clone(runs);
        }
        let runs = Arc::new(find(&self.folder));
        *known = Some((Instant::now(), Arc::clone(&runs)));
        runs
    }

    /// The run of an address.
    pub(crate) fn run(&self, id: &str) -> Result<FoundRun, Trouble> {
        let known = || self.runs().iter().find(|run| run.id == id).cloned();
        let found = known().filter(|run| dz_store::Run::exists(&run.path)).or_else(|| {
            // It may be newer than the last look.
            *self.runs.lock().unwrap_or_else(PoisonError::into_inner) = None;
            known()
        });
        found.ok_or_else(|| {
            Trouble::missing(format!(
                "there is no run {id} here; it may have been moved or deleted"
            ))
        })
    }

    /// Reads all cards once, so that the first page comes fast.
    pub(crate) fn warm(self: &Arc<Self>) {
        let app = Arc::clone(self);
        // Without the thread the first page is slower.
        let _ = thread::Builder::new().name("warm".to_owned()).spawn(move || {
            app.cards.all(&app.runs());
        });
    }
}

/// Runs slow work on a blocking thread.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Trouble> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Trouble::failed("the work broke off; the server's terminal shows why"))
}
