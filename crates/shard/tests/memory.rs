//! Shards and row files that somebody made on purpose, with the right hashes: read with bounded
//! memory and time.

mod common;
#[path = "../../../fuzz/src/measure.rs"]
mod measure;

use std::{collections::BTreeMap, io::Cursor};

use common::{connect4, header, shard};
use dz_shard::{
    ROW_LEVEL, RowBlock, RowFileHeader, RowReader, RowSet, RowTargets, RowWriter, ShardHeader,
    ShardReader,
    container::{Footer, FrameEntry},
    random_records, rows_of_game,
};
use measure::Worst;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Random;
use serde::{Serialize, de::DeserializeOwned};
use serde_bytes::ByteBuf;

/// Files of each kind.
const FILES: usize = 300;
/// Numbers that readers count to and take memory for.
const EXTREMES: [u64; 10] =
    [0, 1, 64, 255, 65_535, 65_536, 1 << 22, 1 << 26, u32::MAX as u64, u64::MAX];

/// A container taken apart.
#[derive(Clone)]
struct Parts<H> {
    magic: Vec<u8>,
    header: H,
    frames: Vec<Frame>,
}

#[derive(Clone)]
struct Frame {
    columns: BTreeMap<String, ByteBuf>,
    games: u32,
    positions: u32,
    /// Bytes in the place of the columns.
    raw: Option<Vec<u8>>,
}

/// Reads a good file.
fn parts<H: DeserializeOwned>(file: &[u8]) -> Parts<H> {
    let footer_bytes = u64::from_le_bytes(file[file.len() - 16..][..8].try_into().expect("8"));
    let footer = &file[file.len() - footer_bytes as usize + 8..file.len() - 48];
    let footer: Footer = rmp_serde::from_slice(footer).expect("a footer");
    let header = &file[20..footer.frames[0].offset as usize];
    let frame = |entry: &FrameEntry| {
        let bytes = &file[entry.offset as usize..][..entry.bytes as usize];
        let raw = zstd::bulk::decompress(bytes, entry.raw_bytes as usize).expect("a frame");
        let columns = rmp_serde::from_slice(&raw).expect("columns");
        Frame { columns, games: entry.games, positions: entry.positions, raw: None }
    };
    Parts {
        magic: file[8..20].to_vec(),
        header: rmp_serde::from_slice(header).expect("a header"),
        frames: footer.frames.iter().map(frame).collect(),
    }
}

fn skippable(number: u32, payload: &[u8]) -> Vec<u8> {
    let length = payload.len() as u32;
    [&number.to_le_bytes()[..], &length.to_le_bytes(), payload].concat()
}

/// The file with the right hashes; each frame stands there `times` times.
fn file<H: Serialize>(parts: &Parts<H>, times: usize) -> Vec<u8> {
    let mut payload = parts.magic.clone();
    rmp_serde::encode::write_named(&mut payload, &parts.header).expect("a header");
    let mut out = skippable(0x184D_2A50, &payload);
    let header_hash = *blake3::hash(&out).as_bytes();
    let (mut frames, mut games, mut positions) = (Vec::new(), 0_u64, 0_u64);
    for frame in &parts.frames {
        let columns = || rmp_serde::to_vec(&frame.columns).expect("columns");
        let raw = frame.raw.clone().unwrap_or_else(columns);
        let mut encoder = zstd::bulk::Compressor::new(1).expect("zstd");
        encoder.include_contentsize(true).expect("zstd");
        let bytes = encoder.compress(&raw).expect("zstd");
        let mut hash = [0; 16];
        hash.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
        for _ in 0..times {
            frames.push(FrameEntry {
                offset: out.len() as u64,
                bytes: bytes.len() as u32,
                raw_bytes: raw.len() as u32,
                games: frame.games,
                positions: frame.positions,
                hash,
            });
            games += u64::from(frame.games);
            positions += u64::from(frame.positions);
            out.extend(&bytes);
        }
    }
    let content_hash = *blake3::hash(&out).as_bytes();
    let footer = Footer { frames, games, positions, header_hash, content_hash };
    let mut payload = Vec::new();
    rmp_serde::encode::write_named(&mut payload, &footer).expect("a footer");
    let hash = blake3::hash(&payload);
    let length = (8 + payload.len() + 48) as u64;
    payload.extend(hash.as_bytes());
    payload.extend(length.to_le_bytes());
    payload.extend(b"DZFOOTER");
    out.extend(skippable(0x184D_2A51, &payload));
    out
}

fn constant(mut value: u64) -> ByteBuf {
    let mut bytes = vec![0];
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    ByteBuf::from(bytes)
}

fn one_of<T: Copy>(values: &[T], random: &mut Random) -> T {
    values[random.random_range(0..values.len())]
}

/// Changes one thing about a file.
fn change<H>(parts: &mut Parts<H>, random: &mut Random) {
    let at = random.random_range(0..parts.frames.len());
    let frame = &mut parts.frames[at];
    let names: Vec<String> = frame.columns.keys().cloned().collect();
    let name = names[random.random_range(0..names.len())].clone();
    match random.random_range(0..9) {
        0..3 => drop(frame.columns.insert(name, constant(one_of(&EXTREMES, random)))),
        3 => frame.games = one_of(&EXTREMES, random) as u32,
        4 => frame.positions = one_of(&EXTREMES, random) as u32,
        // Equal games of as many equal plies as there may be.
        5 => {
            let plies = one_of(&[1_000, 65_535], random);
            frame.games = 64;
            frame.positions = 64 * plies as u32;
            for name in names {
                frame.columns.insert(name, constant(1));
            }
            frame.columns.insert("plies".to_owned(), constant(plies));
            for name in ["visit_form", "visit_set", "visit_len", "target_form", "target_len"] {
                let value = one_of(&[0, 1, 16, 65_535], random);
                frame.columns.insert(name.to_owned(), constant(value));
            }
        }
        // Rows that are but planes of zeros.
        6 => {
            frame.positions = one_of(&[4_096, 65_536, 1 << 20, 1 << 24], random) as u32;
            for name in &names {
                frame.columns.insert(name.clone(), constant(0));
            }
            for name in ["bits", "ownership"] {
                let length =
                    (frame.positions as usize * one_of(&[1, 3, 11, 21], random)).min(63 << 20);
                let raw = [vec![10], vec![0; length]].concat();
                frame.columns.insert(name.to_owned(), ByteBuf::from(raw));
            }
            let length = one_of(&[0, 1, 7, 255], random);
            frame.columns.insert("policy_len".to_owned(), constant(length));
        }
        7 => {
            frame.raw =
                Some(vec![one_of(&[0, 0x80, 0xc0], random); one_of(&[1 << 16, 64 << 20], random)]);
        }
        // Maps of many columns.
        _ => {
            let columns = one_of(&[60_000_u32, 4 << 20], random);
            let mut raw = vec![0xdf];
            raw.extend(columns.to_be_bytes());
            if columns < 1 << 16 {
                raw = vec![0xde];
                raw.extend((columns as u16).to_be_bytes());
            }
            for column in 0..columns {
                raw.push(0xa4);
                raw.extend(column.to_be_bytes().map(|byte| byte & 0x7f));
                raw.extend([0xc4, 0]);
            }
            frame.raw = Some(raw);
        }
    }
}

/// Cuts, splices and flips.
fn damage(file: &mut Vec<u8>, random: &mut Random) {
    let at = random.random_range(0..file.len());
    match random.random_range(0..3) {
        0 => file.truncate(at),
        1 => file[at] ^= 1 << random.random_range(0..8),
        _ => {
            let from = random.random_range(0..file.len());
            let piece = file[from..(from + 99).min(file.len())].to_vec();
            file.splice(at..at, piece);
        }
    }
}

/// Files made of a good one, each read to its first error, as all callers do.
fn read_files<H: Serialize + DeserializeOwned + Clone>(
    kind: &str,
    good: &[Vec<u8>],
    header: impl Fn(&mut H, &mut Random),
    read: impl Fn(&[u8]) -> bool,
) {
    let mut random = Random::seed_from_u64(33);
    let mut worst = Worst::default();
    let mut accepted = 0;
    for number in 0..FILES {
        let mut parts: Parts<H> = parts(&good[number % good.len()]);
        for _ in 0..random.random_range(0..4) {
            change(&mut parts, &mut random);
        }
        if random.random_bool(0.2) {
            header(&mut parts.header, &mut random);
        }
        let mut hostile = file(&parts, 1);
        if random.random_bool(0.3) {
            // As many frames as make a file of up to a megabyte.
            let times = 900_000 / (hostile.len() + 100 * parts.frames.len());
            hostile = file(&parts, random.random_range(1..times.max(2)));
        }
        if random.random_bool(0.2) {
            damage(&mut hostile, &mut random);
        }
        worst.read(&format!("{kind} {number}"), &hostile, |file| accepted += u32::from(read(file)));
    }
    println!("{accepted} of them are accepted");
    worst.finish(kind, FILES);
    assert!(accepted > 0, "unchanged files are good ones");
}

fn read_shard(file: &[u8]) -> bool {
    let Ok(mut reader) = ShardReader::new(Cursor::new(file)) else { return false };
    reader.verify().is_ok() && reader.games().try_for_each(|game| game.map(drop)).is_ok()
}

fn read_rows(file: &[u8]) -> bool {
    let Ok(mut reader) = RowReader::new(Cursor::new(file)) else { return false };
    reader.verify().is_ok() && reader.blocks().try_for_each(|block| block.map(drop)).is_ok()
}

#[test]
fn hundreds_of_hostile_shards_take_bounded_memory_and_time() {
    let game = connect4();
    let good = shard(header(&game, 100), random_records(&game, 70, 20, 4));
    let change = |header: &mut ShardHeader, random: &mut Random| {
        header.number = one_of(&EXTREMES, random);
        header.games_per_shard = one_of(&EXTREMES, random);
    };
    read_files("shards", &[good], change, read_shard);
    hostile_rows();
}

/// In the same test, since the allocator counts for the process.
fn hostile_rows() {
    let game =
        dz_game::games::Go::from_spec(&"go:size=3".parse().expect("a name")).expect("a game");
    let plain = RowFileHeader::new(&game, RowSet::Train, 7).expect("symmetries");
    let aux = plain.clone().carrying(&game, RowTargets::all());
    let good = [plain, aux.expect("offered")].map(|header| {
        let mut rows = RowBlock::new(header.shape);
        for record in random_records(&game, 6, 20, 4) {
            rows_of_game(&game, &record, &mut rows).expect("a legal game");
        }
        let mut writer = RowWriter::new(Vec::new(), &header, ROW_LEVEL).expect("a header");
        writer.push(&rows).expect("rows");
        writer.finish().expect("a file").0
    });
    let change = |header: &mut RowFileHeader, random: &mut Random| {
        let extreme = one_of(&EXTREMES, random) as usize;
        match random.random_range(0..5) {
            0 => header.shape.planes.channels = extreme,
            1 => header.shape.planes.height = extreme,
            2 => header.shape.planes.width = extreme,
            3 => header.shape.planes.globals = extreme,
            _ => header.shape.policy_len = extreme,
        }
    };
    read_files("row files", &good, change, read_rows);
}

#[test]
fn equal_games_are_written_in_frames_that_can_be_read() {
    let game = connect4();
    let record = random_records(&game, 1, 20, 4).remove(0);
    let long = |number: u64| {
        let mut record = record.clone();
        record.number = number;
        record.plies = record.plies.iter().cycle().take(8_000).cloned().collect();
        record
    };
    let file = shard(header(&game, 64), (0..64).map(long));
    let mut reader = ShardReader::new(Cursor::new(&file)).expect("a shard");
    assert!(reader.footer().frames.len() > 1, "one frame would be refused");
    assert_eq!(
        reader.games().map(|game| game.expect("a game").plies.len()).sum::<usize>(),
        64 * 8_000
    );
}
