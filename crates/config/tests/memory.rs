//! Configurations that somebody made on purpose: read with bounded memory and time.

#[path = "../../../fuzz/src/measure.rs"]
mod measure;

use dz_config::RunConfig;
use dz_testkit::repository;
use measure::Worst;
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus as Random;

/// How many files.
const FILES: usize = 1000;
/// Values that a key may be given.
const VALUES: [&str; 12] = [
    "0",
    "-1",
    "4294967295",
    "9223372036854775807",
    "1e308",
    "nan",
    "-inf",
    "true",
    "\"\"",
    "[]",
    "{}",
    "[{ name = \"a\", kind = \"random\" }]",
];
/// What is repeated up to a megabyte: for each kind its beginning, one of many and its end. `#` is
/// a number that counts up.
const MANY: [[&str; 3]; 12] = [
    ["[run]\n", "unknown_key_# = 1\n", ""],
    ["", "[section_#]\nkey = 1\n", ""],
    ["[rating]\nanchors = [", "{ name = \"n#\", kind = \"random\" }, ", "]\n"],
    ["[rating]\nanchors = [", "{ name = \"n#\", kind = \"gtp\", command = \"x\" }, ", "]\n"],
    ["[[rating.anchors]]\n", "[[rating.anchors]]\nname = \"n#\"\n", ""],
    ["a = ", "[", "\n"],
    ["a = ", "{ a = ", "\n"],
    ["a", ".a", " = 1\n"],
    ["[a", ".a", "]\n"],
    ["# ", "comment #", "\n"],
    ["[run]\nname = \"", "x\\u00e9", "\"\n"],
    ["[selfplay]\ndevices = [", "\"cuda:#\", ", "]\n"],
];

/// A preset with some of its values replaced, and lines of it repeated or missing.
fn changed(preset: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = preset.lines().map(str::to_owned).collect();
    for _ in 0..random.random_range(1..6) {
        let at = random.random_range(0..lines.len());
        match random.random_range(0..4) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            _ => {
                let key = lines[at].split('=').next().unwrap_or_default().to_owned();
                lines[at] = format!("{key}= {}", VALUES.choose(random).expect("values"));
            }
        }
    }
    lines.join("\n")
}

/// One of [`MANY`], of `bytes` bytes.
fn many([begin, one, end]: [&str; 3], bytes: usize) -> String {
    let mut text = begin.to_owned();
    for count in 0.. {
        if text.len() >= bytes {
            break;
        }
        text += &one.replace('#', &count.to_string());
    }
    text + end
}

#[test]
fn a_thousand_hostile_configurations_take_bounded_memory_and_time() {
    let presets = ["connect4-smoke", "go9", "gomoku9"].map(|name| {
        let folder = repository().join("configs");
        std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a preset")
    });
    let mut random = Random::seed_from_u64(1);
    let mut worst = Worst::default();
    let mut accepted = 0;
    let mut read = |name: &str, text: &str| {
        worst.read(name, text.as_bytes(), |text| {
            let text = str::from_utf8(text).expect("text");
            accepted += u32::from(match RunConfig::from_text(text, &[]) {
                Ok(_) => true,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    false
                }
            });
        });
    };
    for shape in MANY {
        for bytes in [300, 20_000, 1_000_000] {
            read(shape[1], &many(shape, bytes));
        }
    }
    for _ in 0..FILES - 3 * MANY.len() {
        let preset = presets.choose(&mut random).expect("presets");
        read("a changed preset", &changed(preset, &mut random));
    }
    worst.finish("configurations", FILES);
    assert!(accepted > 50, "{accepted} of the changed presets are still right");
}
