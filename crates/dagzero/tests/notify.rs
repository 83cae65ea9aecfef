//! Under systemd, which names a socket in `NOTIFY_SOCKET`, the driver says that it is ready, how
//! far the run is, that it lives and that it stops.
#![cfg(target_os = "linux")]

use dz_testkit::preset;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_driver_under_systemd_says_that_it_is_ready_and_lives() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = folder.path().join("notify");
    let socket = UnixDatagram::bind(&address).expect("a socket");
    socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout");
    let preset = preset("tictactoe-smoke");
    let run = folder.path().join("run");
    let mut driver = Command::new(env!("CARGO_BIN_EXE_dagzero"))
        .args(["run".as_ref(), preset.as_os_str(), "--dir".as_ref(), run.as_os_str()])
        .args(["--set", "run.cycles=2", "--set", "bootstrap.games=48"])
        .env("NOTIFY_SOCKET", &address)
        // It wants to hear from the process every 0.3 s, so it does every 0.1 s.
        .env("WATCHDOG_USEC", "300000")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut messages = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match socket.recv(&mut buffer) {
            Ok(bytes) => messages.push(String::from_utf8_lossy(&buffer[..bytes]).into_owned()),
            // Nothing was said for a moment, and nothing more comes from a process that has ended.
            Err(_) if driver.try_wait().expect("a state").is_some() => break,
            Err(_) => {}
        }
    }
    assert!(driver.wait().expect("an end").success());
    assert!(messages[0].starts_with("READY=1\nSTATUS="), "{messages:?}");
    assert!(messages[0].contains("cycle 1 of 2"), "{messages:?}");
    let has = |text: &str| messages.iter().filter(|message| message.contains(text)).count();
    assert_eq!((has("READY=1"), has("STOPPING=1")), (1, 1), "{messages:?}");
    assert!(has("WATCHDOG=1") >= 2, "{messages:?}");
    assert!(has("cycle 2 of 2") >= 1, "{messages:?}");
    assert!(messages.last().is_some_and(|last| last.contains("STOPPING=1")), "{messages:?}");
}
