//! Players, searches and records for the pages.

use std::path::Path;

use anyhow::Context;
use dz_burn_net::DeviceChoice;
use dz_frontends::Session;
use dz_game::{AnyGame, GameSpec, canonical_spec};
use dz_record::Format;
use dz_serve::{Backend, GameFile, LaidOpen, RecordText, SearchRequest};
use dz_store::{Ledger, Run};
use serde_json::Value;

use crate::commands::export::games::{ExportedGame, GameFilter, Source};
use crate::commands::players::champion;
use crate::commands::search::lay_open;
use crate::commands::session::{SessionSetup, for_one_game, make_session};
use crate::drive;

/// Threads of a network on the processor: a run beside it needs the others.
const THREADS: usize = 1;

/// Networks on one device.
#[derive(Debug)]
pub(super) struct Players {
    device: DeviceChoice,
}

impl Players {
    /// Checks that there is such a device.
    pub(super) fn on(device: &str) -> anyhow::Result<Self> {
        Ok(Self { device: dz_burn_net::pick_device(device)? })
    }

    fn make_session(
        &self,
        run: &Path,
        generation: Option<u32>,
        seed: u64,
    ) -> anyhow::Result<Box<dyn Session>> {
        let mut found = champion(run, generation, 1)?;
        for_one_game(&mut found.player, THREADS);
        let spec = canonical_spec(found.game.as_ref().context("the run has no game")?)?;
        let player = &found.player;
        let device = self.device;
        let setup = SessionSetup { player, device, seed, own_names: true, threads: THREADS };
        make_session(&setup, &spec)
    }
}

impl Backend for Players {
    fn session(
        &self,
        run: &Path,
        generation: Option<u32>,
        seed: u64,
    ) -> Result<Box<dyn Session>, String> {
        self.make_session(run, generation, seed).map_err(|error| dz_stage::error_text(&error))
    }

    fn search(&self, request: &SearchRequest, stop: &dyn Fn() -> bool) -> Result<LaidOpen, String> {
        search(request, stop).map_err(|error| dz_stage::error_text(&error))
    }

    fn record(&self, file: &GameFile) -> Result<RecordText, String> {
        record(file).map_err(|error| dz_stage::error_text(&error))
    }
}

fn search(request: &SearchRequest, stop: &dyn Fn() -> bool) -> anyhow::Result<LaidOpen> {
    let run = Run::open(&request.run)?;
    let config = drive::config_of(&run, Ledger::open(&run)?.state())?;
    let spec: GameSpec = config.run.game.parse()?;
    let Value::Object(mut report) = lay_open(&spec, request, stop)? else {
        return Ok(LaidOpen::default());
    };
    let trace = match report.remove("trace") {
        Some(Value::Array(trace)) => trace,
        _ => Vec::new(),
    };
    Ok(LaidOpen { report: Value::Object(report), trace })
}

fn record(file: &GameFile) -> anyhow::Result<RecordText> {
    let name = Run::open(&file.run)?.name();
    let source = Source::of_file(name, &file.path)?;
    let spec: GameSpec = source.game()?.parse()?;
    let number = file.number;
    let format = Format::of(&AnyGame::of(&spec)?);
    let filter = GameFilter { game: Some(number), generation: None, comments: true };
    let mut found = None;
    source.each(&filter, &mut |ExportedGame { rules, record, .. }| {
        let sheet = record.sheet(&rules, format)?;
        found = Some(sheet.to_string());
        Ok(false)
    })?;
    let text = found.with_context(|| format!("there is no game {number}"))?;
    Ok(RecordText { extension: format.extension(), text })
}
