//! Whole towers in one kernel: `dz-cuda-net` as an engine of this crate.

use dz_cuda_net::TowerEvaluator;
use dz_infer::NetworkEvaluator;
use dz_network_file::NetworkFile;

use crate::device::choice::DeviceChoice;
use crate::device::kernel_cache::kernel_folder;
use crate::error::NetError;

/// The network on a card, if the kernel for whole towers fits both.
pub(crate) fn tower(
    device: DeviceChoice,
    file: &NetworkFile,
) -> Result<Option<Box<dyn NetworkEvaluator>>, NetError> {
    let DeviceChoice::Cuda(index) = device else { return Ok(None) };
    file.check()?;
    let loaded = TowerEvaluator::load(file, index, &kernel_folder());
    let tower = loaded.map_err(|error| device.failed(&error.to_string()))?;
    Ok(tower.map(|tower| Box::new(tower) as Box<dyn NetworkEvaluator>))
}
