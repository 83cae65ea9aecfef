//! The devices of this machine. A kernel of one thread shows whether the compiler and the driver
//! fit each other. Nothing panics if something is missing.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::device::choice::DeviceChoice;
use crate::device::kernel_cache::DRIVER_FILE;
#[cfg(feature = "cuda")]
use crate::device::kernel_cache::keep_kernels;

/// A CUDA card as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardFacts {
    /// N of the device's name `cuda:N`.
    pub index: usize,
    /// What the maker calls it.
    pub name: String,
    /// Major and minor number of what its kernels are compiled for.
    pub compute_capability: (u32, u32),
    /// All of its memory.
    pub memory_bytes: u64,
    /// What no process has taken.
    pub memory_free_bytes: u64,
}

/// What was found. Each fact stands alone, so that the first that is missing can be named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceFacts {
    /// Whether this program was built with `--features cuda`.
    pub built_with_cuda: bool,
    /// The NVIDIA kernel driver's own line on its version, or none without a driver.
    pub driver: Option<String>,
    /// The cards that the driver hands out; empty in a build without CUDA.
    pub cards: Vec<CardFacts>,
    /// Whether the first card ran a kernel that NVIDIA's run-time compiler (NVRTC) had just
    /// compiled, with CUDA's headers where they were found; none if nothing was tried, which is so
    /// in a build without CUDA.
    pub compiler_works: Option<bool>,
    /// The folder that has CUDA's headers, which kernels include.
    pub headers: Option<PathBuf>,
    /// Whether NVIDIA's multi-process service (MPS) is running. Without it, stages that share a GPU
    /// take turns. `None` if there is no GPU.
    pub mps_runs: Option<bool>,
}

/// Least free memory that a network of ordinary size trains in, with the batches of its window.
const MEMORY_FREE_BYTES_MIN: u64 = 2 << 30;

impl DeviceFacts {
    /// Looks at this machine.
    pub fn look() -> Self {
        let driver = std::fs::read_to_string(DRIVER_FILE).ok();
        let cards = cards();
        let headers = cuda_folder().and_then(|folder| headers(&folder));
        let first = cards.first();
        Self {
            built_with_cuda: cfg!(feature = "cuda"),
            driver: driver.and_then(|text| text.lines().next().map(str::to_owned)),
            compiler_works: first.map(|card| compiler_works(card.index, headers.as_deref())),
            mps_runs: first.map(|_| has_process(Path::new("/proc"), MPS_CONTROL)),
            cards,
            headers,
        }
    }

    /// Returns, in one sentence, what to do about the first problem that keeps a card from being
    /// used; `None` if there is no problem.
    pub fn advice(&self) -> Option<String> {
        // Cards that are handed out need no more of the driver; some containers hide its file.
        let is_missing = self.cards.is_empty() && self.driver.is_none();
        let advice = match self {
            Self { built_with_cuda: false, .. } if is_missing => {
                "no NVIDIA driver was found, so everything runs on the processor; to use a card, install its \
                 driver and build with `--features cuda`"
            }
            _ if is_missing => {
                "no NVIDIA driver was found (there is no /proc/driver/nvidia/version); install the card's \
                 driver, or give the container the card (`docker run --gpus all`)"
            }
            Self { built_with_cuda: false, .. } => {
                "this machine has an NVIDIA driver, but this program was built without CUDA; build it with \
                 `cargo build --release --features cuda`"
            }
            Self { cards, .. } if cards.is_empty() => {
                "the driver finds no GPU; look at `nvidia-smi` and CUDA_VISIBLE_DEVICES"
            }
            Self { compiler_works: Some(false) | None, .. } => {
                "the first card did not run a kernel of one thread, compiled by NVIDIA's run-time compiler; install the NVRTC \
                 package of the driver's CUDA version (Debian's and NVIDIA's `cuda-nvrtc`) and put its folder into \
                 LD_LIBRARY_PATH"
            }
            Self { headers: None, .. } => {
                "CUDA's headers were not found where CUDA_PATH says, or in /usr/local/cuda or /opt/cuda; install the \
                 package `cuda-cudart-dev`, or set CUDA_PATH to the folder that has include/cuda_runtime.h"
            }
            Self { cards, .. }
                if cards.iter().all(|card| card.memory_free_bytes < MEMORY_FREE_BYTES_MIN) =>
            {
                "every card has less than 2 GiB of free memory; end what else uses it (`nvidia-smi` names the \
                 processes)"
            }
            _ => return None,
        };
        Some(advice.to_owned())
    }
}

/// The name of the daemon `nvidia-cuda-mps-control` in `/proc`, where names have 15 bytes.
const MPS_CONTROL: &str = "nvidia-cuda-mps";

/// Returns whether a process with this name is listed in the folder `processes`.
fn has_process(processes: &Path, name: &str) -> bool {
    let folders = std::fs::read_dir(processes).into_iter().flatten().filter_map(Result::ok);
    let names =
        folders.filter_map(|folder| std::fs::read_to_string(folder.path().join("comm")).ok());
    names.into_iter().any(|found| found.trim_end() == name)
}

/// Where Burn's compiler takes CUDA to be, whether its headers are there or not (`CubeCL` 0.11.3,
/// `cuda_path`).
fn cuda_folder() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CUDA_PATH") {
        return Some(path.into());
    }
    let places = [("/usr/local/cuda", ""), ("/opt/cuda", ""), ("/usr", "bin/nvcc")];
    let found = places.into_iter().find(|(folder, mark)| Path::new(folder).join(mark).exists());
    found.map(|(folder, _)| folder.into())
}

/// The folder with CUDA's headers.
fn headers(cuda: &Path) -> Option<PathBuf> {
    let folder = cuda.join("include");
    folder.join("cuda_runtime.h").is_file().then_some(folder)
}

#[cfg(feature = "cuda")]
fn cards() -> Vec<CardFacts> {
    use cudarc::driver::CudaContext;

    // Burn looks for the driver's library before it asks, where cudarc would panic.
    if card_count() == 0 {
        return Vec::new();
    }
    let count = CudaContext::device_count().map_or(0, |count| count.max(0) as usize);
    (0..count).filter_map(card).collect()
}

#[cfg(not(feature = "cuda"))]
fn cards() -> Vec<CardFacts> {
    Vec::new()
}

#[cfg(feature = "cuda")]
fn card(index: usize) -> Option<CardFacts> {
    let context = cudarc::driver::CudaContext::new(index).ok()?;
    let (major, minor) = context.compute_capability().ok()?;
    let (free, total) = context.mem_get_info().ok()?;
    Some(CardFacts {
        index,
        name: context.name().ok()?,
        compute_capability: (major as u32, minor as u32),
        memory_bytes: total as u64,
        memory_free_bytes: free as u64,
    })
}

impl DeviceChoice {
    /// Returns the memory of a card that all processes have taken, as its driver counts; `None` for
    /// the processor.
    pub fn memory_taken_bytes(self) -> Option<u64> {
        match self {
            Self::Cpu => None,
            #[cfg(feature = "cuda")]
            Self::Cuda(index) => {
                let card = card(index)?;
                Some(card.memory_bytes - card.memory_free_bytes)
            }
            #[cfg(not(feature = "cuda"))]
            Self::Cuda(_) => None,
        }
    }
}

/// Compute capability from which on matrix units take 16 halves of both kinds at a time (PTX ISA
/// 9.0, `mma.m16n8k16`).
#[cfg(feature = "cuda")]
const HALVES: i32 = 8;

/// Whether a card has the instructions that [`crate::cuda`] is made of. Asks the driver alone:
/// what a card does is not disturbed.
#[cfg(feature = "cuda")]
pub(crate) fn multiplies_halves(index: usize) -> bool {
    use cudarc::driver::result;
    use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;

    let major = result::init().and_then(|()| result::device::get(index as i32)).and_then(|card| {
        // SAFETY: the card was just given by the driver.
        #[allow(unsafe_code)]
        unsafe {
            result::device::get_attribute(card, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
        }
    });
    major.is_ok_and(|major| major >= HALVES)
}

#[cfg(not(feature = "cuda"))]
pub(crate) fn multiplies_halves(_: usize) -> bool {
    false
}

/// Compiles, loads and runs a kernel of one thread; without its library the call panics.
#[cfg(feature = "cuda")]
fn compiler_works(index: usize, headers: Option<&Path>) -> bool {
    std::panic::catch_unwind(|| runs_a_kernel(index, headers).is_ok()).unwrap_or(false)
}

#[cfg(feature = "cuda")]
fn runs_a_kernel(index: usize, headers: Option<&Path>) -> Result<(), Box<dyn std::error::Error>> {
    use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
    use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};

    let include = headers.map_or("", |_| "#include <cuda_fp16.h>\n");
    let kernel = format!("{include}extern \"C\" __global__ void one(int* place) {{ *place = 1; }}");
    let include_paths = headers.iter().map(|folder| folder.display().to_string()).collect();
    let compiled =
        compile_ptx_with_opts(kernel, CompileOptions { include_paths, ..Default::default() })?;
    let context = CudaContext::new(index)?;
    let kernel = context.load_module(compiled)?.load_function("one")?;
    let stream = context.default_stream();
    let mut place = stream.alloc_zeros::<i32>(1)?;
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&mut place);
    let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel writes the one number that it is given.
    #[allow(unsafe_code)]
    unsafe {
        launch.launch(one)?;
    }
    stream.synchronize()?;
    Ok(())
}

#[cfg(not(feature = "cuda"))]
const fn compiler_works(_: usize, _: Option<&Path>) -> bool {
    false
}

#[cfg(feature = "cuda")]
pub(crate) fn card_count() -> usize {
    keep_kernels();
    burn::tensor::Device::enumerate(burn::tensor::DeviceType::Cuda).into_vec().len()
}

#[cfg(not(feature = "cuda"))]
pub(crate) fn card_count() -> usize {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> DeviceFacts {
        DeviceFacts {
            built_with_cuda: true,
            driver: Some("NVRM version: 580".to_owned()),
            cards: vec![CardFacts {
                index: 0,
                name: "card".to_owned(),
                compute_capability: (9, 0),
                memory_bytes: 80 << 30,
                memory_free_bytes: 79 << 30,
            }],
            compiler_works: Some(true),
            headers: Some(PathBuf::from("/usr/local/cuda/include")),
            mps_runs: Some(false),
        }
    }

    #[test]
    fn processes_are_found_by_name() {
        let folder = std::env::temp_dir().join(format!("dagzero-proc-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("12")).unwrap();
        std::fs::write(folder.join("12/comm"), "nvidia-cuda-mps\n").unwrap();
        assert!(has_process(&folder, MPS_CONTROL));
        assert!(
            !has_process(&folder, "nvidia-cuda") && !has_process(&folder.join("12"), MPS_CONTROL)
        );
        std::fs::remove_dir_all(folder).unwrap();
        // The kernel's list contains this test.
        if let Ok(own) = std::fs::read_to_string("/proc/self/comm") {
            assert!(has_process(Path::new("/proc"), own.trim_end()));
        }
    }

    /// Neither driver nor cards.
    fn without_cards(built_with_cuda: bool) -> DeviceFacts {
        DeviceFacts { driver: None, built_with_cuda, cards: Vec::new(), ..all() }
    }

    #[test]
    fn a_card_that_is_handed_out_has_a_driver() {
        assert_eq!(DeviceFacts { driver: None, ..all() }.advice(), None);
        let mute = DeviceFacts { driver: None, compiler_works: Some(false), ..all() };
        assert!(mute.advice().unwrap().contains("NVRTC"));
    }

    /// Whatever is missing, alone or with all that comes after it, the advice names it.
    #[test]
    fn the_first_missing_thing_is_named() {
        assert_eq!(all().advice(), None);
        let full = CardFacts { memory_free_bytes: 1 << 30, ..all().cards[0].clone() };
        for (facts, word) in [
            (DeviceFacts { cards: vec![full], ..all() }, "2 GiB"),
            (DeviceFacts { headers: None, ..all() }, "CUDA_PATH"),
            (DeviceFacts { compiler_works: Some(false), headers: None, ..all() }, "NVRTC"),
            (DeviceFacts { cards: Vec::new(), compiler_works: None, ..all() }, "nvidia-smi"),
            (DeviceFacts { built_with_cuda: false, cards: Vec::new(), ..all() }, "--features cuda"),
            (without_cards(true), "/proc/driver/nvidia"),
            (without_cards(false), "processor"),
        ] {
            let advice = facts.advice().unwrap();
            assert!(advice.contains(word), "{advice}");
        }
    }

    #[test]
    fn headers_are_found_where_they_are() {
        let root = std::env::temp_dir().join(format!("dagzero-headers-{}", std::process::id()));
        std::fs::create_dir_all(root.join("include")).unwrap();
        assert_eq!(headers(&root), None);
        std::fs::write(root.join("include/cuda_runtime.h"), "").unwrap();
        assert_eq!(headers(&root), Some(root.join("include")));
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn looking_never_panics_and_a_build_without_cuda_has_no_card() {
        let facts = DeviceFacts::look();
        assert_eq!(facts.built_with_cuda, cfg!(feature = "cuda"));
        assert!(cfg!(feature = "cuda") || facts.cards.is_empty());
    }
}
