//! `dagzero serve`: runs in a browser.

mod players;

use std::{
    io::Write,
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    sync::Arc,
};

use dz_serve::{Options, ServeError, Server};

use self::players::Players;
use crate::{Exit, exit::UsageError};

/// The port where none is named.
const PORT: u16 = 7317;

/// Show runs in a browser: reports that follow, games, a board to play on, searches as graphs
///
/// Prints the address of the page and answers until Ctrl-C. Runs are only read: a run under way is
/// not disturbed, and one that is killed and resumed is followed. Only this computer can open the
/// page, unless --listen names another address. Then the printed address contains a token,
/// and requests without it are refused. `/metrics` is for Prometheus.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero serve\n  \
    dagzero serve data/connect4-quick --port 8000\n  \
    dagzero serve /archive --listen 192.168.1.5")]
pub(crate) struct Args {
    /// A run, or the folder that runs lie below
    #[arg(value_name = "FOLDER", default_value = "data")]
    folder: PathBuf,
    /// The port; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = PORT)]
    port: u16,
    /// The address to listen on
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// What evaluates networks: cpu, auto, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: String,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let players = Players::on(&args.device)?;
    let options = Options { folder: args.folder.clone(), address: args.listen, port: args.port };
    let server = Server::bind(&options, Arc::new(players)).map_err(|error| match error {
        ServeError::Start(_) => anyhow::Error::new(error),
        // Another folder, port or address is needed.
        other => UsageError(other.to_string()).into(),
    })?;
    writeln!(out, "{} shows the runs of {}; Ctrl-C ends it", server.url(), args.folder.display())?;
    out.flush()?;
    server.run()?;
    Ok(Exit::Done)
}
