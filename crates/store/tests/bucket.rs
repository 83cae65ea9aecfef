//! A bucket as a mailbox: over moto's S3 server, where that is installed (`pip install
//! 'moto[server]'`).

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use dz_store::{Created, Mailbox, MailboxError, prove};
use dz_testkit::{Process, wait_until};

/// The bucket of the test.
const BUCKET: &str = "dagzero-test";

/// Starts moto at `port`; none where it is not installed.
fn moto(port: u16) -> Option<Process> {
    let port_text = port.to_string();
    let mut command = Command::new("moto_server");
    command.args(["-H", "127.0.0.1", "-p", &port_text]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let server = Process(child);
    let answers = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    wait_until("moto", Duration::from_mins(1), answers);
    Some(server)
}

/// Makes the bucket.
fn make_bucket(port: u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head = "Host: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close";
    write!(stream, "PUT /{BUCKET} HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Keys and endpoint come from the environment, which a test may not change for others: so the
/// trial is a process of its own.
#[test]
fn a_bucket_serves_as_a_mailbox() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let Some(_server) = moto(port) else {
        println!("skipped: there is no moto_server");
        return;
    };
    make_bucket(port);
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "bucket::trial", "--ignored", "--nocapture"])
        .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"))
        .envs([
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "started by the test above"]
fn trial() {
    let address = format!("s3://{BUCKET}/a/prefix");
    let mailbox = Mailbox::open(&address).unwrap();
    assert_eq!(mailbox.create("plan/1.json", b"first").unwrap(), Created::Ours);
    let Created::Theirs(found) = mailbox.create("plan/1.json", b"other").unwrap() else { panic!() };
    assert_eq!(&found[..], b"first");
    mailbox.replace("inbox/1/b", b"bytes").unwrap();
    let listed = mailbox.list("inbox").unwrap();
    assert_eq!((listed.len(), listed[0].path.as_str(), listed[0].bytes), (1, "inbox/1/b", 5));
    assert!(matches!(mailbox.get("inbox/1/b", 4), Err(MailboxError::TooLong { bytes: 5, .. })));
    assert_eq!(mailbox.get("inbox/1/c", 4).unwrap(), None);
    mailbox.delete("inbox/1/b").unwrap();
    mailbox.delete("inbox/1/b").unwrap();
    for path in ["a/1", "a/2", "a/3"] {
        mailbox.replace(path, b"x").unwrap();
    }
    mailbox.delete_all(&["a/1", "a/2", "a/none"].map(str::to_owned)).unwrap();
    assert_eq!(mailbox.list("a").unwrap().len(), 1);
    let proof = prove(&[address], 8, 50, "trial").unwrap();
    assert!(proof.is_consistent() && proof.is_exclusive(), "{proof:?}");
    println!("{proof:?}");
}
