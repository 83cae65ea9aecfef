//! Kernels in a card's memory: compiled once for a machine, loaded once for a process.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
use cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::{CudaContext, CudaFunction};
use cudarc::nvrtc::{CompileOptions, Ptx, compile_ptx_with_opts};

use crate::error::CudaNetError;
use crate::plan::TowerPlan;
use crate::source;

/// What `wgmma` and `setmaxnreg` are compiled for: compute capability 9.0 and no other.
const ARCHITECTURE: &str = "compute_90a";

/// A card, and the kernels for one network on it.
#[derive(Clone, Debug)]
pub(crate) struct Kernels {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) tower: CudaFunction,
    pub(crate) heads: CudaFunction,
    pub(crate) multiprocessors: usize,
}

impl Kernels {
    /// The kernels for a plan on card number `index`; none on a card of another kind. What is
    /// compiled is kept in `folder`.
    pub(crate) fn load(
        index: usize,
        plan: &TowerPlan,
        folder: &Path,
    ) -> Result<Option<Self>, CudaNetError> {
        type Loaded = Mutex<HashMap<(usize, TowerPlan), Kernels>>;
        static LOADED: OnceLock<Loaded> = OnceLock::new();

        // cudarc panics where a library is not there.
        let load = || -> Result<Option<Self>, CudaNetError> {
            let loaded = LOADED.get_or_init(Loaded::default);
            let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(kernels) = loaded.get(&(index, *plan)) {
                return Ok(Some(kernels.clone()));
            }
            let Some(kernels) = Self::make(index, plan, folder)? else { return Ok(None) };
            loaded.insert((index, *plan), kernels.clone());
            Ok(Some(kernels))
        };
        std::panic::catch_unwind(load).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map_or("no message", String::as_str);
            Err(CudaNetError::Libraries(text.lines().next().unwrap_or_default().to_owned()))
        })
    }

    fn make(index: usize, plan: &TowerPlan, folder: &Path) -> Result<Option<Self>, CudaNetError> {
        let context = CudaContext::new(index)?;
        if context.compute_capability()? != (9, 0) {
            return Ok(None);
        }
        // SAFETY: a slot's memory is used by its own stream alone, and weights are not written
        // after the stream that copied them has been waited for; see `slot.rs`.
        #[allow(unsafe_code)]
        unsafe {
            context.disable_event_tracking();
        }
        let tower = function(&context, &source::tower(plan), "tower", folder)?;
        tower.set_attribute(
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            plan.shared_bytes() as i32,
        )?;
        let heads = function(&context, &source::heads(plan), "heads", folder)?;
        let multiprocessors = context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let multiprocessors = usize::try_from(multiprocessors).unwrap_or(1);
        Ok(Some(Self { context, tower, heads, multiprocessors }))
    }
}

/// A kernel of this source: from the folder, or compiled and put there.
fn function(
    context: &Arc<CudaContext>,
    source: &str,
    name: &str,
    folder: &Path,
) -> Result<CudaFunction, CudaNetError> {
    let path = path_of(source, name, folder);
    if let Ok(text) = std::fs::read_to_string(&path)
        && let Ok(module) = context.load_module(Ptx::from_src(text))
    {
        return Ok(module.load_function(name)?);
    }
    let options = CompileOptions { arch: Some(ARCHITECTURE), ..CompileOptions::default() };
    let compiled = compile_ptx_with_opts(source, options)?;
    let text = compiled.to_src();
    let module = context.load_module(compiled)?;
    // Only what a card took is kept. A folder that cannot be written costs time alone.
    let _ = keep(&path, &text);
    Ok(module.load_function(name)?)
}

/// Returns the version of NVIDIA's run-time compiler (NVRTC), such as `13.0`, or none without its
/// library.
pub fn compiler_version() -> Option<String> {
    // SAFETY: the call looks for a library and opens it.
    #[allow(unsafe_code)]
    let is_there = unsafe { cudarc::nvrtc::sys::is_culib_present() };
    if !is_there {
        // cudarc panics where the library is missing.
        return None;
    }
    let [mut major, mut minor] = [0, 0];
    // SAFETY: the call writes two numbers.
    #[allow(unsafe_code)]
    let result = unsafe { cudarc::nvrtc::sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    let is_known = result == cudarc::nvrtc::sys::nvrtcResult::NVRTC_SUCCESS;
    is_known.then(|| format!("{major}.{minor}"))
}

/// Named by all that the result depends on.
fn path_of(source: &str, name: &str, folder: &Path) -> PathBuf {
    let version = compiler_version().unwrap_or_default();
    let text = format!("{ARCHITECTURE} {version}\n{source}");
    folder.join(format!("{name}-{}.ptx", &blake3::hash(text.as_bytes()).to_hex()[..32]))
}

/// Whole or not at all, whoever else writes the same.
fn keep(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let part = path.with_extension(format!("{}.part", std::process::id()));
    std::fs::write(&part, text)?;
    std::fs::rename(part, path)
}
