//! Mutations of inputs, for tests without a fuzzer: the same ones from the same seed.

use std::{fs, path::Path};

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Calls `check` on every input of `fuzz/seeds/<target>` and on `count` mutations of them.
pub fn run(target: &str, count: u32, check: impl Fn(&[u8])) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let seeds = match target {
        "config" => repository.join("configs"),
        target => repository.join("fuzz/seeds").join(target),
    };
    run_on(&inputs(&seeds), count, check);
}

/// Calls `check` on every input and on `count` mutations of them.
pub fn run_on(seeds: &[Vec<u8>], count: u32, check: impl Fn(&[u8])) {
    for seed in seeds {
        check(seed);
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..count {
        let mut input = seeds[random.random_range(0..seeds.len())].clone();
        for _ in 0..random.random_range(1..5) {
            mutate(&mut input, seeds, &mut random);
        }
        check(&input);
    }
}

/// The files of a folder, by name.
fn inputs(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).expect("read")).collect();
    assert!(!seeds.is_empty(), "{} has no inputs", folder.display());
    seeds
}

/// Changes a byte, takes some out, repeats some, or puts in some of another input.
fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut impl Rng) {
    let other = &seeds[random.random_range(0..seeds.len())];
    let at = random.random_range(0..=input.len());
    let end = (at + random.random_range(0..9)).min(input.len());
    match random.random_range(0..6) {
        0 if at < input.len() => input[at] = random.random(),
        1 if at < input.len() => input[at] ^= 1 << random.random_range(0..8),
        2 => drop(input.drain(at..end)),
        3 => {
            let again = input[at..end].to_vec();
            input.splice(at..at, again);
        }
        4 => input
            .insert(at, *b" \n,:=/-0189aAzZ\0\xff".get(random.random_range(0..17)).unwrap_or(&0)),
        _ => {
            let from = random.random_range(0..=other.len());
            let to = (from + random.random_range(0..17)).min(other.len());
            input.splice(at..end, other[from..to].iter().copied());
        }
    }
}
