//! The cache on disk of a card's compiled kernels and of choices made by measuring.
//!
//! `CubeCL` keeps both in one database file of an *environment* if the feature `persistence` is
//! built in, by default beside the Cargo workspace that it is started in, and compiled kernels only
//! on demand. Here it is the user's cache, for all runs. Its content depends on card, driver and
//! program version, which `CubeCL` keeps apart, and on nothing that a run sets.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::device::choice::DeviceChoice;

/// The environment variable that names another folder.
const VARIABLE: &str = "DAGZERO_KERNELS";

/// Where the Linux driver publishes its version.
pub(crate) const DRIVER_FILE: &str = "/proc/driver/nvidia/version";

/// The folder: what `DAGZERO_KERNELS` names, or `dagzero/kernels` in the user's cache
/// (`XDG_CACHE_HOME`, `~/.cache`), or where there is no home a folder of this user's own in the
/// system's folder for temporary files: see [`private_folder`]. In it a folder for each version of
/// driver and run-time compiler, since `CubeCL` 0.11.3 asks for neither before it loads a kernel.
pub fn kernel_folder() -> PathBuf {
    let folder = folder(&|name| std::env::var_os(name));
    match versions() {
        Some(versions) => folder.join(versions),
        None => folder,
    }
}

/// Of driver and run-time compiler, as a folder's name; none in a build without CUDA.
#[cfg(feature = "cuda")]
#[allow(clippy::unnecessary_wraps, reason = "none in a build without CUDA")]
fn versions() -> Option<&'static str> {
    static VERSIONS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let versions = VERSIONS.get_or_init(|| {
        let driver = std::fs::read_to_string(DRIVER_FILE).ok();
        let driver = driver.as_deref().and_then(driver_version).unwrap_or("unknown");
        let compiler = dz_cuda_net::compiler_version();
        let compiler = compiler.as_deref().unwrap_or("unknown");
        format!("driver-{driver}-nvrtc-{compiler}")
    });
    Some(versions)
}

#[cfg(not(feature = "cuda"))]
const fn versions() -> Option<&'static str> {
    None
}

/// The driver's version in what its file says: the first word of digits and dots.
#[cfg(any(feature = "cuda", test))]
fn driver_version(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| {
        word.contains('.') && word.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
    })
}

fn folder(variable: &dyn Fn(&str) -> Option<OsString>) -> PathBuf {
    let named = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = named(VARIABLE) {
        return folder;
    }
    let cache = named("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let cache = cache.or_else(|| named("HOME").map(|home| home.join(".cache")));
    cache
        .map_or_else(|| private_folder(&std::env::temp_dir()), |cache| cache.join("dagzero"))
        .join("kernels")
}

/// A folder in `shared` that nobody but this user can write or read: kernels are programs. It is
/// `dagzero-<user>` if that is such a folder or can be made. Otherwise it is a folder for this
/// process alone, which the next process does not find again.
fn private_folder(shared: &Path) -> PathBuf {
    let mine = user_id();
    let folder = shared.join(format!("dagzero-{mine}"));
    if is_private(&folder, mine) {
        return folder;
    }
    let names = (0..100).map(|n| shared.join(format!("dagzero-{mine}-{}-{n}", std::process::id())));
    let mut own = names.filter(|folder| is_private(folder, mine));
    // Where nothing can be made, nothing is kept.
    own.next().unwrap_or_else(|| PathBuf::from("/nonexistent/dagzero"))
}

/// Whether `folder` is, or could be made, a folder of this user that others can neither read nor
/// write.
fn is_private(folder: &Path, user: u32) -> bool {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};

    /// Permission bits of the group and of everybody else.
    const OTHERS: u32 = 0o077;
    // Fails where something is there already; what that is counts.
    let _ = std::fs::DirBuilder::new().mode(0o700).create(folder);
    std::fs::symlink_metadata(folder)
        .is_ok_and(|meta| meta.is_dir() && meta.uid() == user && meta.mode() & OTHERS == 0)
}

/// The user that this process acts as.
fn user_id() -> u32 {
    use std::os::unix::fs::MetadataExt;

    std::fs::metadata("/proc/self").map_or(u32::MAX, |meta| meta.uid())
}

/// Returns the message to show before a card is used for the first time. `None` on the processor,
/// and where kernels are kept already.
pub fn first_start_note(devices: &[DeviceChoice]) -> Option<String> {
    let card = devices.iter().find(|device| **device != DeviceChoice::Cpu)?;
    note(&card.to_string(), &kernel_folder())
}

fn note(card: &str, folder: &Path) -> Option<String> {
    let is_empty = folder.read_dir().map_or(true, |mut entries| entries.next().is_none());
    let takes = if cfg!(feature = "autotune") {
        "and chosen among by measuring, which takes minutes for each network and size of batch"
    } else {
        "which takes half a minute"
    };
    is_empty.then(|| {
        let folder = folder.display();
        format!(
            "kernels for {card} are compiled now, {takes}; they are kept in {folder}, so that the next start is quick"
        )
    })
}

/// Sets [`kernel_folder`] as the folder of `CubeCL`'s kernels, unless a `cubecl.toml` sets one.
/// Must be called before Burn's first use of a card.
#[cfg(feature = "cuda")]
pub(crate) fn keep_kernels() {
    use cubecl::config::cache::CacheConfig;
    use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};

    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let mut config = CubeClRuntimeConfig::from_current_dir().override_from_env();
        if matches!(config.environment.path, CacheConfig::Target) {
            config.environment.path = CacheConfig::Directory(kernel_folder());
        }
        config.compilation.cache = true;
        // Refused where somebody has set or read the configuration before: then theirs holds.
        let _ = CubeClRuntimeConfig::try_set(config);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> PathBuf {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
        folder(&|name| find(name).map(|(_, value)| value.into()))
    }

    #[test]
    fn kernels_are_kept_in_the_users_cache_or_where_the_variable_says() {
        let home = ("HOME", "/home/me");
        assert_eq!(of(&[home]), PathBuf::from("/home/me/.cache/dagzero/kernels"));
        let cache = ("XDG_CACHE_HOME", "/cache");
        assert_eq!(of(&[home, cache]), PathBuf::from("/cache/dagzero/kernels"));
        assert_eq!(of(&[home, cache, (VARIABLE, "/k")]), PathBuf::from("/k"));
        // What is empty or relative names nothing, as the specification of these folders has it.
        assert_eq!(of(&[home, ("XDG_CACHE_HOME", "here")]), of(&[home, (VARIABLE, "")]));
        assert!(of(&[]).starts_with(std::env::temp_dir()));
    }

    #[test]
    fn the_drivers_version_is_read() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n\
                    GCC version:  gcc version 12.2.0";
        assert_eq!(driver_version(text), Some("580.159.04"));
        assert_eq!(driver_version("NVRM version: none"), None);
    }

    #[test]
    fn without_a_home_kernels_are_kept_where_nobody_else_writes() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let shared = std::env::temp_dir().join(format!("dagzero-shared-{}", std::process::id()));
        std::fs::create_dir_all(&shared).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let own = private_folder(&shared);
        assert_eq!((mode(&own), &private_folder(&shared)), (0o700, &own));
        // One that others may write is not taken, nor a link.
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o777)).unwrap();
        let other = private_folder(&shared);
        assert!(other != own && mode(&other) == 0o700);
        std::fs::remove_dir(&own).unwrap();
        symlink(&other, &own).unwrap();
        assert_ne!(private_folder(&shared), own);
        std::fs::remove_dir_all(shared).unwrap();
    }

    #[test]
    fn the_first_start_is_explained_and_the_second_is_not() {
        assert_eq!(first_start_note(&[DeviceChoice::Cpu]), None);
        let folder = std::env::temp_dir().join(format!("dagzero-kernels-{}", std::process::id()));
        let said = note("cuda:1", &folder).unwrap();
        assert!(said.contains("cuda:1") && said.contains(&folder.display().to_string()), "{said}");
        std::fs::create_dir_all(&folder).unwrap();
        assert!(note("cuda:1", &folder).is_some());
        std::fs::write(folder.join("default.db"), "").unwrap();
        assert_eq!(note("cuda:1", &folder), None);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn cubecl_uses_our_folder() {
        use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};

        keep_kernels();
        assert!(CubeClRuntimeConfig::get().compilation.cache);
        assert!(!cubecl::environment::root().starts_with(env!("CARGO_MANIFEST_DIR")));
    }
}
