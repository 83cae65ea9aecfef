//! `dagzero doctor --store`: whether a folder or bucket serves as a mailbox.

use std::io::Write;
use std::time::Instant;

use anyhow::Context;
use dz_store::{StoreProof, prove};
use serde::Serialize;

use crate::Exit;
use crate::commands::write_line;

/// Writers that meet at each key.
const WRITERS: u32 = 8;
/// Keys.
const KEYS: u32 = 50;

#[derive(Debug, Serialize)]
struct Findings<'a> {
    stores: &'a [String],
    #[serde(flatten)]
    proof: StoreProof,
    seconds: f64,
    /// Whether workers may meet a run in it.
    serves_workers: bool,
    /// Whether it can also distinguish two homes of one run.
    serves_two_homes: bool,
}

/// Tries the store that all `addresses` lead to, and prints what it is good for.
///
/// # Errors
/// What the store reports.
pub(super) fn run(addresses: &[String], json: bool, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let name = format!("{}-{}", dz_store::host(), std::process::id());
    // Names of machines may have letters that objects may not.
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let begun = Instant::now();
    let proof = prove(addresses, WRITERS, KEYS, &name)
        .with_context(|| format!("{} cannot be tried", addresses.join(" and ")))?;
    let findings = Findings {
        stores: addresses,
        seconds: begun.elapsed().as_secs_f64(),
        serves_workers: proof.is_consistent(),
        serves_two_homes: proof.is_consistent() && proof.is_exclusive(),
        proof,
    };
    if json {
        write_line(out, &findings)?;
    } else {
        write_text(out, addresses, &findings.proof, findings.seconds)?;
    }
    Ok(if findings.serves_two_homes { Exit::Done } else { Exit::Wrong })
}

fn write_text(
    out: &mut dyn Write,
    addresses: &[String],
    proof: &StoreProof,
    seconds: f64,
) -> anyhow::Result<()> {
    let &StoreProof { keys, writers, one_winner, failed, .. } = proof;
    let mut line = |name: &str, text: &str| writeln!(out, "{name:<10}{text}");
    line("store", &addresses.join(" and "))?;
    line(
        "create",
        &format!(
            "{writers} writers at {keys} objects: one won {one_winner}, several {}, none {}; {} held what nobody won",
            proof.several_winners, proof.no_winner, proof.not_a_winners
        ),
    )?;
    let after = |count: u32, what: &str| format!("{count} of {keys} {what}");
    line("list", &after(proof.unlisted, "were missing right after they were created"))?;
    line("read", &after(proof.stale_reads, "read otherwise right after they were replaced"))?;
    line("delete", &after(proof.undeleted, "were still there after they were deleted"))?;
    if let Some(first) = &proof.first_failure {
        line("failures", &format!("{failed} requests failed, the first one so: {first}"))?;
    }
    line("time", &format!("{seconds:.1} s"))?;
    let verdict = if failed > 0 {
        "It does not serve as a mailbox: requests fail."
    } else if !proof.is_consistent() {
        "It does not serve as a mailbox: what is written is not seen at once."
    } else if proof.is_exclusive() {
        "It serves as a mailbox, and can distinguish two homes of one run."
    } else {
        "It lets several writers create one object. Workers never rely on that, so their games are \
         safe here; but two homes of one run could not be distinguished. Never start a second one."
    };
    writeln!(out, "\n{verdict}")?;
    Ok(())
}
