//! Connections: how many, how long, how large.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

use crate::stall::StallGuard;

/// Connections at a time; a browser opens six a host.
const CONNECTIONS_MAX: usize = 256;
/// Time for the head of a request, also between two requests of a connection.
const HEAD_WAIT: Duration = Duration::from_secs(20);
/// Time that a client may take without reading anything.
const READER_WAIT: Duration = Duration::from_secs(30);
/// Bytes of a request's head.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// Header lines of a request.
const HEADERS_MAX: usize = 64;
/// Pause after the system refuses a connection, for example for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Answers connections for ever.
pub(crate) async fn accept(listener: TcpListener, router: Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        // While all places are taken, new connections wait in the system's queue.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let router = router.clone();
        tokio::spawn(async move {
            answer(stream, router).await;
            drop(place);
        });
    }
}

/// Answers the requests of one connection. Errors end this connection only.
async fn answer(stream: TcpStream, router: Router) {
    // Events are small and must not wait for more.
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(StallGuard::new(stream, READER_WAIT));
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let request: Request = request.map(Body::new);
        let router = router.clone();
        async move {
            let response = router.oneshot(request).await;
            response.map_err(|never: Infallible| match never {})
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX);
    let _ = http.serve_connection(stream, service).await;
}
