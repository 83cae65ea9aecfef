//! Sealed JSON objects of a mailbox: read strictly, or refused.

use dz_store::{SEAL_DIGITS, seal, unseal};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::FleetError;

/// Version of plans, boards, claims and notes.
pub(crate) const FORMAT: u32 = 2;

/// The object with its seal.
pub(crate) fn write(object: &impl Serialize) -> Vec<u8> {
    let json = serde_json::to_vec(object).expect("these types have texts as keys, so they write");
    seal(&json, SEAL_DIGITS)
}

/// The object in `bytes`.
///
/// # Errors
/// [`FleetError::Format`] before the rest is looked at, else [`FleetError::Damaged`].
pub(crate) fn read<T: DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T, FleetError> {
    #[derive(Deserialize)]
    struct Versioned {
        format: u32,
    }
    let damaged = |what: String| FleetError::Damaged { path: path.to_owned(), what };
    let (json, sealed) = unseal(bytes, SEAL_DIGITS).map_err(damaged)?;
    if !sealed {
        return Err(damaged("it does not end with its hash".to_owned()));
    }
    let of_serde = |error: serde_json::Error| damaged(error.to_string());
    let Versioned { format } = serde_json::from_slice(&json).map_err(of_serde)?;
    if format != FORMAT {
        return Err(FleetError::Format { path: path.to_owned(), found: format, known: FORMAT });
    }
    serde_json::from_slice(&json).map_err(of_serde)
}
