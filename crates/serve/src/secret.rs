//! Tokens: words that nobody can guess.

use std::fs::File;
use std::io::{self, Read};

/// Bytes of a token.
const BYTES: usize = 16;

/// A new token, 128 random bits in hexadecimal.
///
/// # Errors
/// If the system has no random bytes.
pub(crate) fn token() -> io::Result<String> {
    let mut bytes = [0_u8; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// Whether two tokens are equal, in a time that does not depend on where they differ.
pub(crate) fn same(one: &str, other: &str) -> bool {
    let differs = one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_differ() {
        let one = token().unwrap();
        assert_eq!(one.len(), 2 * BYTES);
        assert_ne!(one, token().unwrap());
        assert!(same(&one, &one.clone()) && !same(&one, "") && !same("ab", "ac"));
    }
}
