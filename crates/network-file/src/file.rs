//! The network file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{NetworkError, NetworkSpec, TensorData, container};

/// The newest format that this crate writes, and reads with all before it. Format 2 has
/// squeeze-excitation and bottlenecks, format 3 heads beside policy and value, format 4 boards of
/// any size, format 5 policies made of planes; a network without them is still written in format 1.
const FORMAT: u32 = 5;

const KIND: &str = "network";

/// A network file's metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkHeader {
    /// Shape, game and encoding.
    pub spec: NetworkSpec,
    /// Hash of the run's effective configuration.
    pub config_hash: String,
    /// The cycle that trained it, from 1.
    pub cycle: u32,
    /// Training steps behind it.
    pub step: u64,
    /// Program and version that wrote it.
    pub created_by: String,
}

/// The weights that play, with batch norm folded, and their header.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFile {
    /// What it is.
    pub header: NetworkHeader,
    /// Exactly the tensors of [`NetworkSpec::tensor_shapes`].
    pub tensors: BTreeMap<String, TensorData>,
}

impl NetworkFile {
    /// The longest file that is read where a user names one: 134 million weights, more than a
    /// hundred times those of the largest preset.
    pub const BYTES_MAX: u64 = 512 << 20;

    /// The file's bytes; the same network gives the same bytes.
    ///
    /// # Errors
    /// [`NetworkError::BadSpec`] or [`NetworkError::BadTensors`] if it could not be read back.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        self.check()?;
        container::pack(KIND, self.header.spec.format(), &self.header, &self.tensors)
    }

    /// Reads and checks a file: hash, format, specification, and every tensor's shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (header, tensors) = container::unpack(KIND, FORMAT, bytes)?;
        let file = Self { header, tensors };
        file.check()?;
        Ok(file)
    }

    /// Checks that the network plays `game` (canonical form) and sees `encoding` (an encoding's
    /// id).
    ///
    /// # Errors
    /// [`NetworkError::OtherGame`] or [`NetworkError::OtherEncoding`].
    pub fn check_fits(&self, game: &str, encoding: &str) -> Result<(), NetworkError> {
        let spec = &self.header.spec;
        if spec.game != game {
            let network = spec.game.clone();
            let wanted = game.to_owned();
            return Err(NetworkError::OtherGame { network, wanted });
        }
        if spec.encoding != encoding {
            let network = spec.encoding.clone();
            let wanted = encoding.to_owned();
            return Err(NetworkError::OtherEncoding { network, wanted });
        }
        Ok(())
    }

    /// 16 hex digits of the content's hash, for evaluator ids.
    pub fn content_id(&self) -> String {
        let hash =
            container::content_hash(KIND, self.header.spec.format(), &self.header, &self.tensors);
        hash.to_hex()[..16].to_owned()
    }

    /// Checks the specification, and that the tensors are exactly those it asks for.
    ///
    /// # Errors
    /// [`NetworkError::BadSpec`] or [`NetworkError::BadTensors`].
    pub fn check(&self) -> Result<(), NetworkError> {
        self.header.spec.validate()?;
        container::check_shapes(KIND, &self.tensors, &self.header.spec.tensor_shapes())
    }
}
