//! `dagzero doctor RUN`: whether a run learns, and learns the right thing.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use dz_game::AnyGame;
use dz_network_file::NetworkFile;
use dz_report::{Finding, Probed, Severity};
use dz_store::{Ledger, Run, RunState};
use serde::Serialize;

use super::super::write_line;
use super::probe::Probe;
use crate::{Exit, drive, shown::Shown};

/// What was looked at, and what was found.
#[derive(Debug, Serialize)]
struct Checkup {
    run: PathBuf,
    /// The probed network: a file of the run, or a named one. `None` where there is none yet.
    network: Option<String>,
    /// What it was measured to make of positions.
    probed: Option<Probed>,
    /// Alarms first.
    findings: Vec<Finding>,
}

/// Judges the run at `dir`, and its champion or else the network file `named`, on `device`.
pub(super) fn run(
    dir: &Path,
    named: Option<&Path>,
    device: &str,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    let run = Run::open(dir)?;
    let mut report = drive::report(&run)?;
    let ledger = Ledger::open(&run)?;
    let state = ledger.state();
    let asked = network(&run, state, named)?;
    let probed = match &asked {
        Some((_, bytes)) => Some(probe(&run, state, bytes, device)?),
        None => None,
    };
    if let Some(probed) = &probed {
        report.add_findings(probed.judge(&report));
    }
    let checkup = Checkup {
        run: run.root().to_owned(),
        network: asked.map(|(name, _)| name),
        probed,
        findings: std::mem::take(&mut report.findings),
    };
    if json {
        write_line(out, &checkup)?;
    } else {
        checkup.write_text(&mut Shown::new(out))?;
    }
    let is_alarm = |finding: &Finding| finding.severity == Severity::Alarm;
    Ok(if checkup.findings.iter().any(is_alarm) { Exit::Wrong } else { Exit::Done })
}

/// The network to ask: the one that is named, the champion, or the newest candidate where none has
/// become champion.
fn network(
    run: &Run,
    state: &RunState,
    named: Option<&Path>,
) -> anyhow::Result<Option<(String, Vec<u8>)>> {
    if let Some(path) = named {
        let bytes = dz_text::read_input(path, NetworkFile::BYTES_MAX)
            .with_context(|| format!("cannot read {}", path.display()))?;
        return Ok(Some((path.display().to_string(), bytes)));
    }
    let champion = state.champion.as_ref().map(|champion| &champion.network);
    let candidates = state.cycles.values().rev().filter_map(|cycle| cycle.candidate.as_ref());
    let Some(object) = champion.or(candidates.map(|candidate| &candidate.network).next()) else {
        return Ok(None);
    };
    let bytes = run.get(object).context("dagzero verify lists what else is damaged")?;
    Ok(Some((object.path.clone(), bytes.to_vec())))
}

fn probe(run: &Run, state: &RunState, network: &[u8], device: &str) -> anyhow::Result<Probed> {
    let started = state.started.as_ref().context("the run has not begun yet")?;
    let kept =
        state.shards().rev().filter(|(_, shard)| !state.expired.contains(&shard.object.path));
    let shards: Vec<PathBuf> = kept.map(|(_, shard)| run.local_path(&shard.object)).collect();
    let device = dz_burn_net::pick_device(device)?;
    let probe = Probe { network, device, shards: &shards, seed: started.seed };
    probe.run(AnyGame::of(&started.game.parse()?)?)
}

impl Checkup {
    fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "run      {}", self.run.display())?;
        writeln!(out, "network  {}\n", self.network.as_deref().unwrap_or("none yet"))?;
        for finding in &self.findings {
            let Finding { id, severity, says, threshold, advice, .. } = finding;
            writeln!(out, "{:<11}{id:<23} {says}", severity.word())?;
            if severity.is_trouble() {
                writeln!(out, "{:<11}  judged by: {threshold}", "")?;
                writeln!(out, "{:<11}  to do: {advice}", "")?;
            }
        }
        let count = |severity| self.findings.iter().filter(|f| f.severity == severity).count();
        let [alarms, warnings, fine, unjudged] =
            [Severity::Alarm, Severity::Warning, Severity::Fine, Severity::Unjudged].map(count);
        Ok(writeln!(
            out,
            "\n{alarms} alarms, {warnings} warnings, {fine} checks are fine, {unjudged} have too little to judge by"
        )?)
    }
}
