//! Network files: refused, or what they say they are.

use dz_network::NetworkFile;

/// Bytes that may be a network file. What is accepted is written back as it was read.
pub fn networks(data: &[u8]) {
    match NetworkFile::from_bytes(data) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(file) => {
            let bytes = file.to_bytes().expect("it was read");
            let again = NetworkFile::from_bytes(&bytes).expect("its own bytes");
            assert_eq!(again.content_id(), file.content_id());
        }
    }
}
