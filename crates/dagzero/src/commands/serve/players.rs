//! Players, searches and records for the pages.

use std::path::Path;

use anyhow::{Context, bail};
use dz_burn_net::DeviceChoice;
use dz_frontends::Session;
use dz_game::{AnyGame, GameSpec, canonical_spec};
use dz_record::Format;
use dz_serve::{Backend, GameFile, LaidOpen, RecordText, Rules, SearchRequest};
use dz_store::Run;
use serde_json::Value;

use crate::commands::export::games::{ExportedGame, GameFilter, Source};
use crate::commands::players::champion;
use crate::commands::search::lay_open;
use crate::commands::session::{SessionSetup, for_one_game, make_session};

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
        rules: Option<&Rules>,
        generation: Option<u32>,
        seed: u64,
    ) -> anyhow::Result<Box<dyn Session>> {
        let mut found = champion(run, generation, 1)?;
        for_one_game(&mut found.player, THREADS);
        let own = canonical_spec(found.game.as_ref().context("the run has no game")?)?;
        let spec = rules.map_or(Ok(own), |rules| canonical_spec(&rules.board))?;
        if let Some(theirs) = found.other_game(&spec)? {
            bail!("the champion plays {theirs} only, and this game is {spec}");
        }
        let komi = rules.and_then(|rules| rules.komi);
        let player = &found.player;
        let device = self.device;
        let setup = SessionSetup { player, device, seed, own_names: true, threads: THREADS, komi };
        make_session(&setup, &spec)
    }
}

impl Backend for Players {
    fn session(
        &self,
        run: &Path,
        rules: Option<&Rules>,
        generation: Option<u32>,
        seed: u64,
    ) -> Result<Box<dyn Session>, String> {
        let made = self.make_session(run, rules, generation, seed);
        made.map_err(|error| dz_stage::error_text(&error))
    }

    fn search(&self, request: &SearchRequest, stop: &dyn Fn() -> bool) -> Result<LaidOpen, String> {
        search(request, stop).map_err(|error| dz_stage::error_text(&error))
    }

    fn record(&self, file: &GameFile) -> Result<RecordText, String> {
        record(file).map_err(|error| dz_stage::error_text(&error))
    }
}

fn search(request: &SearchRequest, stop: &dyn Fn() -> bool) -> anyhow::Result<LaidOpen> {
    let Value::Object(mut report) = lay_open(request, stop)? else {
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
