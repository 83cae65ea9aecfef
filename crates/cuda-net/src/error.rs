//! What can go wrong on a card.

use cudarc::driver::DriverError;
use cudarc::nvrtc::CompileError;

/// Why a network is not on a card.
#[derive(Debug, thiserror::Error)]
pub enum CudaNetError {
    /// The driver refused.
    #[error("CUDA driver error: {0}")]
    Driver(#[from] DriverError),
    /// The run-time compiler refused.
    #[error("NVIDIA's run-time compiler did not compile a kernel: {0}")]
    Compile(String),
    /// CUDA's libraries are not there, or too old.
    #[error("CUDA's libraries cannot be used: {0}")]
    Libraries(String),
}

impl From<CompileError> for CudaNetError {
    fn from(error: CompileError) -> Self {
        let text = match error {
            CompileError::CompileError { log, .. } => log.to_string_lossy().into_owned(),
            other => format!("{other:?}"),
        };
        // One line, as every message of ours.
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Self::Compile(lines.take(3).collect::<Vec<_>>().join("; "))
    }
}
