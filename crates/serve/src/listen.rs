//! Starting a server.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::app::App;
use crate::{Backend, connection, router, secret};

/// Threads that answer requests. Slow work is done elsewhere.
const THREADS: usize = 2;
/// Threads for slow work: reading runs.
const BLOCKING_THREADS_MAX: usize = 8;

/// What to serve, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The folder that runs lie below.
    pub folder: PathBuf,
    /// The address to listen on.
    pub address: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
}

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// There is nothing to show.
    #[error("cannot read the folder {}: {source}; name a folder that holds runs", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system reports.
        source: io::Error,
    },
    /// Another program listens there.
    #[error(
        "{0} is in use by another program; choose another with --port, or --port 0 for a free one"
    )]
    InUse(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system reports.
        source: io::Error,
    },
    /// The system has no threads or random bytes.
    #[error("the server cannot start: {0}")]
    Start(io::Error),
}

/// A server that has its port.
///
/// ```no_run
/// use std::{net::Ipv4Addr, sync::Arc};
/// # fn start(backend: Arc<dyn dz_serve::Backend>) -> Result<(), dz_serve::ServeError> {
/// let address = Ipv4Addr::LOCALHOST.into();
/// let options = dz_serve::Options { folder: "data".into(), address, port: 0 };
/// let server = dz_serve::Server::bind(&options, backend)?;
/// println!("{}", server.url());
/// server.run()
/// # }
/// ```
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    url: String,
}

impl Server {
    /// Takes the port. Nothing is answered before [`Server::run`].
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn bind(options: &Options, backend: Arc<dyn Backend>) -> Result<Self, ServeError> {
        let folder = options.folder.canonicalize().and_then(|path| {
            std::fs::read_dir(&path)?;
            Ok(path)
        });
        let folder =
            folder.map_err(|source| ServeError::Folder { path: options.folder.clone(), source })?;
        let address = SocketAddr::new(options.address, options.port);
        let listener = TcpListener::bind(address).map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => ServeError::InUse(address),
            _ => ServeError::Listen { address, source },
        })?;
        let taken = listener.local_addr().map_err(ServeError::Start)?;
        let access = (!options.address.is_loopback()).then(secret::token).transpose();
        let access = access.map_err(ServeError::Start)?;
        let url = match &access {
            None => format!("http://{taken}/"),
            Some(token) => format!("http://{taken}/?token={token}"),
        };
        let app = App::new(folder, backend, access).map_err(ServeError::Start)?;
        Ok(Self { listener, app: Arc::new(app), url })
    }

    /// The address of the first page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers requests until the process ends.
    ///
    /// # Errors
    /// [`ServeError::Start`].
    pub fn run(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(BLOCKING_THREADS_MAX)
            .thread_name("serve")
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        self.listener.set_nonblocking(true).map_err(ServeError::Start)?;
        runtime
            .block_on(async move {
                let listener = tokio::net::TcpListener::from_std(self.listener)?;
                self.app.warm();
                connection::accept(listener, router::router(self.app)).await;
                Ok(())
            })
            .map_err(ServeError::Start)
    }
}
