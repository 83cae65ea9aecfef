//! Files of searches that can be resumed: a magic number, the BLAKE3 hash of the rest, and two
//! values of `MessagePack`, identity and search, compressed with zstd.

use std::io::Read;

use dz_search::{Compact, Domain, Exact, Numbers, SavedError, SavedSearch, Search, SearchParams};
use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 8] = b"DZSRCH01";
const HASH_BYTES: usize = 32;
/// What a file may unpack to.
const UNPACKED_MAX: u64 = 1 << 30;
const LEVEL: i32 = 3;

/// What a search belongs to: it goes on with the same alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchIdentity {
    /// The game with its parameters, or "graph".
    pub subject: String,
    /// The key of the root's position.
    pub position: [u64; 2],
    /// Bits of its numbers.
    pub bits: u32,
    /// Names the evaluator.
    pub evaluator: String,
    /// Its settings.
    pub params: SearchParams,
}

/// Numbers whose searches have files.
///
/// Each implementation is of one type, so the code of all settings and parts of a search is
/// compiled in this crate and not in each crate that searches. Only front ends use this crate.
pub trait FileNumbers: Numbers {
    /// Appends the search to `out`, as `MessagePack`.
    ///
    /// # Errors
    /// [`SearchFileError::Write`].
    fn encode(search: &SavedSearch<Self>, out: &mut Vec<u8>) -> Result<(), SearchFileError>;

    /// Returns the search that [`FileNumbers::encode`] wrote.
    ///
    /// # Errors
    /// [`SearchFileError::Content`].
    fn decode(bytes: &[u8]) -> Result<SavedSearch<Self>, SearchFileError>;
}

macro_rules! file_numbers {
    ($($numbers:ty),+) => {$(
        impl FileNumbers for $numbers {
            fn encode(
                search: &SavedSearch<Self>,
                out: &mut Vec<u8>,
            ) -> Result<(), SearchFileError> {
                rmp_serde::encode::write_named(out, search).map_err(|error| write(&error))
            }

            fn decode(bytes: &[u8]) -> Result<SavedSearch<Self>, SearchFileError> {
                rmp_serde::from_slice(bytes).map_err(|error| content(&error))
            }
        }
    )+};
}

file_numbers!(Compact, Exact);

/// Why a file holds no search that can go on here.
#[derive(Debug, thiserror::Error)]
pub enum SearchFileError {
    /// Some other file.
    #[error("this is no saved search; it begins otherwise")]
    Magic,
    /// Cut off or changed.
    #[error("the file is damaged: its content does not fit its hash; save the search again")]
    Hash,
    /// It cannot be unpacked.
    #[error("the file is damaged: {0}")]
    Content(String),
    /// It belongs to something else.
    #[error("its {part} is {theirs}, and here it is {ours}")]
    Other {
        /// What differs.
        part: String,
        /// The file's.
        theirs: String,
        /// The search's at hand.
        ours: String,
    },
    /// It cannot be saved, or its content does not fit.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// It cannot be packed.
    #[error("the search cannot be written: {0}")]
    Write(String),
}

fn write(error: &dyn ToString) -> SearchFileError {
    SearchFileError::Write(error.to_string())
}

fn content(error: &dyn ToString) -> SearchFileError {
    SearchFileError::Content(error.to_string())
}

impl SearchIdentity {
    /// Returns the identity of a search. `subject` names its game, `evaluator` what evaluates.
    pub fn of<D: Domain, N: Numbers>(
        search: &Search<D, N>,
        subject: String,
        evaluator: String,
    ) -> Self {
        let (state, history) = search.position();
        let key = search.domain().node_key(state, history);
        let bits = 8 * size_of::<N::Real>() as u32;
        let params = *search.params();
        Self { subject, position: [key.high, key.low], bits, evaluator, params }
    }

    /// Returns the content of a file that holds the search.
    ///
    /// # Errors
    /// [`SearchFileError::Write`] if memory for compression is lacking.
    pub fn to_bytes<N: FileNumbers>(
        &self,
        search: &SavedSearch<N>,
    ) -> Result<Vec<u8>, SearchFileError> {
        let mut plain = rmp_serde::to_vec_named(self).map_err(|error| write(&error))?;
        N::encode(search, &mut plain)?;
        pack(&plain)
    }

    /// Reads a search that belongs to this.
    ///
    /// # Errors
    /// [`SearchFileError`].
    pub fn read<N: FileNumbers>(&self, bytes: &[u8]) -> Result<SavedSearch<N>, SearchFileError> {
        N::decode(self.encoded_search(&unpack(bytes)?)?)
    }

    /// Returns the encoded search in what a file unpacks to, if it belongs to this.
    fn encoded_search<'a>(&self, unpacked: &'a [u8]) -> Result<&'a [u8], SearchFileError> {
        // The identity comes first and says how wide the search's numbers are.
        let mut values = rmp_serde::Deserializer::new(unpacked);
        let identity = SearchIdentity::deserialize(&mut values).map_err(|error| content(&error))?;
        self.difference(&identity).map_or_else(|| Ok(*values.get_ref()), Err)
    }

    fn difference(&self, theirs: &Self) -> Option<SearchFileError> {
        let other = |part: &str, theirs: &dyn ToString, ours: &dyn ToString| {
            let (theirs, ours) = (theirs.to_string(), ours.to_string());
            (theirs != ours).then(|| SearchFileError::Other { part: part.to_owned(), theirs, ours })
        };
        let key = |position: [u64; 2]| format!("{:016x}{:016x}", position[0], position[1]);
        other("game", &theirs.subject, &self.subject)
            .or_else(|| other("position's key", &key(theirs.position), &key(self.position)))
            .or_else(|| other("evaluator", &theirs.evaluator, &self.evaluator))
            .or_else(|| other("width of numbers in bits", &theirs.bits, &self.bits))
            .or_else(|| {
                let fields = |params: &SearchParams| match serde_json::to_value(params) {
                    Ok(serde_json::Value::Object(fields)) => fields,
                    _ => serde_json::Map::new(),
                };
                let ours = fields(&self.params);
                let theirs = fields(&theirs.params);
                let none = serde_json::Value::String("the default".to_owned());
                ours.keys().chain(theirs.keys()).find_map(|key| {
                    let of = |map: &serde_json::Map<String, serde_json::Value>| {
                        map.get(key).unwrap_or(&none).to_string()
                    };
                    other(&format!("setting {key}"), &of(&theirs), &of(&ours))
                })
            })
    }
}

/// Compresses the two values and puts the magic number and the hash before them.
fn pack(plain: &[u8]) -> Result<Vec<u8>, SearchFileError> {
    let packed = zstd::encode_all(plain, LEVEL).map_err(|error| write(&error))?;
    let hash = blake3::hash(&packed);
    Ok([&MAGIC[..], hash.as_bytes(), &packed].concat())
}

/// Returns the two values of a file.
fn unpack(bytes: &[u8]) -> Result<Vec<u8>, SearchFileError> {
    let rest = bytes.strip_prefix(&MAGIC[..]).ok_or(SearchFileError::Magic)?;
    let (hash, packed) = rest.split_at_checked(HASH_BYTES).ok_or(SearchFileError::Hash)?;
    if blake3::hash(packed).as_bytes() != hash {
        return Err(SearchFileError::Hash);
    }
    let reader = zstd::Decoder::new(packed).map_err(|error| content(&error))?;
    let mut unpacked = Vec::new();
    reader.take(UNPACKED_MAX).read_to_end(&mut unpacked).map_err(|error| content(&error))?;
    Ok(unpacked)
}
