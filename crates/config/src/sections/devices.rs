//! Lists of devices: what each stage computes on.

use dz_config_keys::{Entry, Field, Limits};

use crate::run_config::RunConfig;
use crate::sections::{DeviceChoice, RunMode, RunSection};

impl Entry for DeviceChoice {
    fn array_allowed(limits: &Limits) -> String {
        format!("an array of {}; empty for run.device", Self::allowed(limits))
    }
}

impl RunSection {
    /// What a stage computes on: its own list, or the run's device where that is empty.
    pub fn devices_or(&self, list: &[DeviceChoice]) -> Vec<DeviceChoice> {
        if list.is_empty() { vec![self.device] } else { list.to_vec() }
    }
}

impl RunConfig {
    /// Whether self-play and training have no device in common, so that they can work side by side.
    pub fn has_devices_apart(&self) -> bool {
        let selfplay = self.run.devices_or(&self.selfplay.devices);
        let training = self.run.devices_or(&self.training.devices);
        training.iter().all(|one| selfplay.iter().all(|other| !may_be_same(*one, *other)))
    }

    /// Cycles that self-play may be ahead of the gate; 0 where the stages take turns.
    pub fn lead_cycles(&self) -> u32 {
        match self.run.mode {
            RunMode::Asynchronous => self.run.lead_cycles_max,
            RunMode::Auto if self.has_devices_apart() => self.run.lead_cycles_max,
            RunMode::Auto | RunMode::Synchronous => 0,
        }
    }
}

/// `auto` is the first card or the processor, which is not known here.
fn may_be_same(one: DeviceChoice, other: DeviceChoice) -> bool {
    let of_auto = |device| matches!(device, DeviceChoice::Cpu | DeviceChoice::Cuda(0));
    match (one, other) {
        (DeviceChoice::Auto, device) | (device, DeviceChoice::Auto) => {
            device == DeviceChoice::Auto || of_auto(device)
        }
        _ => one == other,
    }
}
