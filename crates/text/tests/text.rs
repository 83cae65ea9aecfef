//! Decoding, escaping and reading of files.

use std::io::ErrorKind;
use std::process::Command;

use dz_text::{decode, is_known_encoding, line, lines, read_file, read_input, to_json};

#[test]
fn a_byte_order_mark_comes_before_the_declaration() {
    let decoded = decode(b"\xef\xbb\xbfM\xc3\xbcller", Some("Shift_JIS"));
    assert_eq!((decoded.text.as_str(), decoded.encoding), ("Müller", "UTF-8"));
    let utf16 = decode(b"\xff\xfea\0\xfc\0", None);
    assert_eq!((utf16.text.as_str(), utf16.encoding), ("aü", "UTF-16LE"));
    assert_eq!(utf16.note, None);
}

#[test]
fn a_declared_encoding_is_used() {
    // The second byte of each of these characters is 0x5c, a backslash in ASCII.
    let japanese = decode(b"\x95\x5c\x83\x5c", Some(" shift_jis "));
    assert_eq!((japanese.text.as_str(), japanese.note), ("表ソ", None));
    let chinese = decode(b"\xce\xa2", Some("GB2312"));
    assert_eq!(chinese.encoding, "GBK");
    assert!(
        is_known_encoding("big5") && is_known_encoding("EUC-KR") && !is_known_encoding("klingon")
    );
}

#[test]
fn what_is_guessed_or_does_not_fit_has_a_note() {
    assert_eq!(decode("Müller".as_bytes(), None).note, None);
    let latin = decode(b"M\xfcller", None);
    assert_eq!((latin.text.as_str(), latin.encoding), ("Müller", "windows-1252"));
    assert!(latin.note.expect("a note").contains("declares no encoding"));
    let unknown = decode("ü".as_bytes(), Some("klingon\u{1b}"));
    assert_eq!(unknown.text, "ü");
    let note = unknown.note.expect("a note");
    assert!(note.contains("klingon\\u{1b}") && note.contains("UTF-8"), "{note}");
    let wrong = decode(b"M\xfcller", Some("UTF-8"));
    assert_eq!((wrong.text.as_str(), wrong.encoding), ("Müller", "windows-1252"));
    let broken = decode(b"\x95", Some("Shift_JIS"));
    assert_eq!(broken.text, "\u{fffd}");
    assert!(broken.note.expect("a note").starts_with("1 places"));
}

#[test]
fn undeclared_bytes_never_become_the_same_text() {
    let text = |byte: u8| decode(&[b'a', byte, b'z'], None).text;
    let texts: std::collections::BTreeSet<String> = (0..=255).map(text).collect();
    assert_eq!(texts.len(), 256);
}

#[test]
fn control_characters_are_shown_as_escapes() {
    let hostile = "a\u{1b}[31m\u{9b}2J\r\nb\tc\u{202e}d\u{2066}\u{7f}\0";
    assert_eq!(line(hostile), "a\\u{1b}[31m\\u{9b}2J\\r\\nb\\tc\\u{202e}d\\u{2066}\\u{7f}\\u{0}");
    assert_eq!(lines("a\nb\tc\u{1b}"), "a\nb\tc\\u{1b}");
    let plain = "C:\\name \"ü\" 表";
    assert_eq!(line(plain), plain);
}

#[test]
fn json_is_the_same_value_and_safe() {
    let hostile = "a\"\\\u{1b}\u{9b}\u{7f}\u{202e}ü\n";
    let json = to_json(&[hostile]).expect("JSON");
    assert!(!json.contains(|c: char| c.is_control() || c == '\u{202e}'), "{json}");
    assert!(json.contains("\\u009b") && json.contains('ü'), "{json}");
    let read: Vec<String> = serde_json::from_str(&json).expect("JSON");
    assert_eq!(read, [hostile]);
}

#[test]
fn only_regular_files_of_a_bounded_length_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    std::fs::write(&path, b"12345").expect("written");
    assert_eq!(read_file(&path, 5).expect("5 bytes"), b"12345");
    let error = read_file(&path, 4).expect_err("too long");
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    // A sparse file of a terabyte costs nothing.
    std::fs::File::options().write(true).open(&path).expect("open").set_len(1 << 40).expect("long");
    assert_eq!(read_file(&path, 1 << 20).expect_err("too long").kind(), ErrorKind::FileTooLarge);
    assert_eq!(read_file(folder.path(), 5).expect_err("a folder").kind(), ErrorKind::IsADirectory);
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    assert_eq!(read_file(&pipe, 5).expect_err("a pipe").kind(), ErrorKind::InvalidInput);
    let zeros = std::path::Path::new("/dev/zero");
    assert_eq!(read_file(zeros, 5).expect_err("a device").kind(), ErrorKind::InvalidInput);
    assert_eq!(read_input(zeros, 5).expect_err("no end").kind(), ErrorKind::FileTooLarge);
    assert_eq!(read_input(std::path::Path::new("/dev/null"), 5).expect("empty"), b"");
}
