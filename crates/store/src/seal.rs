//! A hash at the end of a JSON object, so that a changed digit is noticed.

use std::borrow::Cow;

/// Between the object's own fields and the hash.
const MARK: &[u8] = b",\"blake3\":\"";
/// After the hash.
const END: &[u8] = b"\"}\n";
/// Hex digits of a whole BLAKE3 hash, for what decides something.
pub const SEAL_DIGITS: usize = 64;
/// Hex digits that one of many short lines carries: a change passes once in 2^64.
pub const SEAL_DIGITS_LINE: usize = 16;

/// `{...}` with a last field `blake3`, the first `digits` (1 to 64) of the hash of all bytes before
/// it, and a newline. `object` ends with its brace.
pub fn seal(object: &[u8], digits: usize) -> Vec<u8> {
    let body = object.strip_suffix(b"}").unwrap_or(object);
    let hash = blake3::hash(body).to_hex();
    [body, MARK, &hash.as_bytes()[..digits], END].concat()
}

/// The object without its last field, and whether it had one. A file without it is returned
/// unchanged: earlier versions wrote no hash, and a damaged seal leaves a field that readers
/// refuse.
///
/// # Errors
/// In words, if the hash is another one.
pub fn unseal(file: &[u8], digits: usize) -> Result<(Cow<'_, [u8]>, bool), String> {
    let tail = MARK.len() + digits + END.len();
    let Some(at) = file.len().checked_sub(tail) else { return Ok((file.into(), false)) };
    let (body, rest) = file.split_at(at);
    if !rest.starts_with(MARK) || !rest.ends_with(END) {
        return Ok((file.into(), false));
    }
    let stated = &rest[MARK.len()..MARK.len() + digits];
    let hash = blake3::hash(body).to_hex();
    if &hash.as_bytes()[..digits] != stated {
        let stated = String::from_utf8_lossy(stated);
        return Err(format!("its content has the hash {hash}, but it states {stated}"));
    }
    Ok(([body, b"}"].concat().into(), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_cut_of_a_sealed_object_is_seen() {
        for digits in [SEAL_DIGITS, SEAL_DIGITS_LINE] {
            every_change_is_seen(digits);
        }
    }

    fn every_change_is_seen(digits: usize) {
        let object = br#"{"number":12,"entry":{"kind":"claim"}}"#;
        let file = seal(object, digits);
        assert_eq!(unseal(&file, digits).unwrap(), (Cow::from(&object[..]), true));
        // What strict readers make of it: no unknown field, so no stray `blake3` either.
        let passes = |file: &[u8]| {
            unseal(file, digits).is_ok_and(|(object, _)| {
                serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&object)
                    .is_ok_and(|m| m.keys().all(|k| k == "number" || k == "entry"))
            })
        };
        assert!(passes(&file));
        for bit in 0..file.len() * 8 {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!passes(&flipped), "bit {bit}");
        }
        assert!((0..file.len()).all(|end| !passes(&file[..end])));
    }

    #[test]
    fn objects_of_earlier_versions_are_handed_back() {
        let plain = b"{\"number\":1}\n";
        assert_eq!(unseal(plain, SEAL_DIGITS).unwrap(), (Cow::from(&plain[..]), false));
    }
}
