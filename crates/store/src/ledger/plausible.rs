//! Numbers that a record may hold. Whoever reads a ledger adds them up, counts to them and draws
//! them, so they are bounded when the record is decoded.

use serde_json::Value;

/// Counts, lengths and times are at most this: 281 terabytes, 8,900 years. More than 65,000 of them
/// can be added up.
pub(super) const WHOLE_MAX: u64 = 1 << 48;
/// Cycles, champions and shards are at most so many more than records: no reader counts far beyond
/// what there is.
const SLACK: u64 = 1000;
/// Numbers with a fraction are at most this, of either sign: above every loss of 32 bits.
const REAL_MAX: f64 = 1e40;

/// Refuses a record or snapshot with a number that no run reaches. The bound is the number of
/// `records`, this one included, because each cycle, champion and shard has its own record.
/// [`SLACK`] is added.
///
/// # Errors
/// In words.
pub(super) fn check_numbers(object: &[u8], records: u64) -> Result<(), String> {
    let value: Value =
        serde_json::from_slice(object).map_err(|error| format!("it is no JSON ({error})"))?;
    check(&value, "", records.saturating_add(SLACK))
}

/// `most` bounds what counts records.
fn check(value: &Value, key: &str, most: u64) -> Result<(), String> {
    match value {
        Value::Number(number) => match number.as_u64() {
            // A seed may be any number: nobody adds it to another.
            Some(_) if key == "seed" => Ok(()),
            Some(whole) => check_whole(whole, key, most),
            None => {
                let fits = number.as_f64().is_some_and(|real| real.abs() <= REAL_MAX);
                fits.then_some(()).ok_or_else(|| format!("its {key} is {number}"))
            }
        },
        Value::Array(values) => values.iter().try_for_each(|value| check(value, key, most)),
        Value::Object(fields) => fields.iter().try_for_each(|(key, value)| {
            // Snapshots have maps by number.
            if key.parse::<u64>().is_ok_and(|number| number > most) {
                return Err(format!("it has a part {key}, and the most for the log is {most}"));
            }
            check(value, key, most)
        }),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

fn check_whole(whole: u64, key: &str, most: u64) -> Result<(), String> {
    let counts_records = matches!(key, "cycle" | "cycles_done" | "generation" | "number" | "epoch");
    if counts_records && whole > most {
        return Err(format!("its {key} is {whole}, and the most for the log is {most}"));
    }
    if key == "cycle" && whole == 0 {
        return Err("its cycle is 0, and the first is 1".to_owned());
    }
    if whole > WHOLE_MAX { Err(format!("its {key} is {whole}")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_run_comes_to_are_refused() {
        let of = |text: &str| check_numbers(text.as_bytes(), 300);
        let good = r#"{"number":300,"seed":18446744073709551615,"entry":{"cycle":1300,"losses":[3.4e38]}}"#;
        assert_eq!(of(good), Ok(()));
        for bad in [
            r#"{"number":1301}"#,
            r#"{"entry":{"cycle":4294967295}}"#,
            r#"{"entry":{"cycle":0}}"#,
            r#"{"entry":{"kind":"champion","generation":1301}}"#,
            r#"{"entry":{"result":{"pairs":[0,0,18446744073709551615]}}}"#,
            r#"{"entry":{"object":{"bytes":281474976710657}}}"#,
            r#"{"state":{"cycles":{"4294967295":{}}}}"#,
            r#"{"entry":{"players":[{"elo":-1e41}]}}"#,
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
