//! Shards in, shuffled rows out: nothing lost, nothing twice, the same bytes whoever does it.
#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use dz_game::{Game, games::Connect4};
use dz_shard::{
    GameRecord, ParentGame, RowReader, RowSet, SHARD_LEVEL, ShardHeader, ShardReader, ShardWriter,
    write_random_shard,
};
use shuffler::{Mixer, Sample, Shuffler, Source, Window, WindowLaw};

const SHARDS: u64 = 5;
const GAMES: u64 = 70;

fn connect4() -> Connect4 {
    Connect4::new(7, 6, 4).unwrap()
}

fn shards(folder: &Path) -> Vec<Source> {
    let write = |number| {
        let path = folder.join(format!("{number:08}.dzs"));
        write_random_shard(&connect4(), &path, number, GAMES).unwrap();
        Source { id: number, games: GAMES, path }
    };
    (0..SHARDS).map(write).collect()
}

/// A window that holds everything.
fn all() -> WindowLaw {
    WindowLaw {
        rows_min: u64::MAX,
        rows_max: u64::MAX,
        exponent: 0.5,
        rows_per_new_row: 0.5,
        scale: 1,
    }
}

struct Output {
    window: Window,
    files: Vec<Vec<u8>>,
}

/// Both passes in `folder`, sampling `rows` rows in `cycle`.
fn shuffle(folder: &Path, sources: &[Source], cycle: u64, set: RowSet, rows: u64) -> Output {
    let mut shuffler = Shuffler::open(connect4(), 11, 0.2, folder).unwrap();
    let window = shuffler.window(&all(), sources, u64::MAX).unwrap();
    let sample = Sample::new(11, cycle, set, &window.files, rows);
    let mut files = Vec::new();
    let header = shuffler.header();
    let mixer = Mixer {
        header,
        window: &window.files,
        mixed_rows: 1000,
        rows_per_file: 700,
        first_file: 0,
    };
    mixer
        .write(
            std::slice::from_ref(&sample),
            |_| Ok(Vec::new()),
            |file, footer| {
                assert!(footer.positions <= 700);
                files.push(file);
                Ok(())
            },
        )
        .unwrap();
    Output { window, files }
}

fn names(files: &[Vec<u8>]) -> Vec<(u64, u16)> {
    let mut names = Vec::new();
    for file in files {
        let mut reader = RowReader::new(std::io::Cursor::new(file)).unwrap();
        for block in reader.blocks() {
            let block = block.unwrap();
            names.extend((0..block.len()).map(|i| block.id(i)));
        }
    }
    names
}

#[test]
fn every_row_is_written_once_and_validation_games_are_apart() {
    let folder = tempfile::tempdir().unwrap();
    let sources = shards(folder.path());
    let work = folder.path().join("work");
    let train = shuffle(&work, &sources, 1, RowSet::Train, u64::MAX);
    let validation = shuffle(&work, &sources, 1, RowSet::Validation, u64::MAX);
    let positions: u64 = sources
        .iter()
        .map(|source| ShardReader::open(&source.path).unwrap().footer().positions)
        .sum();
    let train_names = names(&train.files);
    let validation_names = names(&validation.files);
    assert_eq!((train_names.len() + validation_names.len()) as u64, positions);
    assert_eq!(train_names.len() as u64, train.window.train_rows);
    assert_eq!(validation_names.len() as u64, train.window.validation_rows);
    let set: BTreeSet<_> = train_names.iter().chain(&validation_names).collect();
    assert_eq!(set.len() as u64, positions);
    let games = |names: &[(u64, u16)]| names.iter().map(|&(g, _)| g).collect::<BTreeSet<_>>();
    assert!(games(&train_names).is_disjoint(&games(&validation_names)));
    let share = games(&validation_names).len() as f64 / (SHARDS * GAMES) as f64;
    assert!((0.1..0.3).contains(&share), "{share} of the games for a share of 0.2");
    // All files but the last are full.
    let counts: Vec<usize> =
        train.files.iter().map(|file| names(std::slice::from_ref(file)).len()).collect();
    assert!(counts[..counts.len() - 1].iter().all(|&rows| rows == 700));
}

/// A game that was reanalyzed is for validation where the game is whose moves it has: no outcome
/// is on both sides.
#[test]
fn games_searched_anew_are_on_the_side_of_their_originals() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources = shards(folder.path());
    let mut reader = ShardReader::open(&sources[0].path).unwrap();
    let number = sources.len() as u64;
    let header = ShardHeader { number, ..reader.header().clone() };
    let first = header.first_game();
    let path = folder.path().join("anew.dzs");
    let file = fs::File::create(&path).unwrap();
    let mut writer = ShardWriter::new(file, header, SHARD_LEVEL).unwrap();
    for record in reader.games() {
        let record = record.unwrap();
        let parent = ParentGame { game: record.number, ply: record.plies_total() as u16 };
        let anew = GameRecord { number: first + record.number, parent: Some(parent), ..record };
        writer.push(anew).unwrap();
    }
    writer.finish().unwrap();
    sources.push(Source { id: number, games: GAMES, path });
    let work = folder.path().join("work");
    let games = |set| -> BTreeSet<u64> {
        names(&shuffle(&work, &sources, 1, set, u64::MAX).files).iter().map(|&(g, _)| g).collect()
    };
    let (train, validation) = (games(RowSet::Train), games(RowSet::Validation));
    let mut apart = 0;
    for number in 0..GAMES {
        let original = validation.contains(&number);
        assert_eq!(validation.contains(&(first + number)), original);
        assert_eq!(train.contains(&(first + number)), !original);
        apart += u32::from(original);
    }
    assert!(apart > 0);
}

#[test]
fn rows_are_the_same_as_in_the_shards_and_their_order_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let sources = shards(folder.path());
    let out = shuffle(&folder.path().join("work"), &sources, 1, RowSet::Train, u64::MAX);
    let order = names(&out.files);
    // Neighbours are rarely from one game: 280 training games in windows of a thousand rows.
    let close = order.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
    assert!(close * 50 < order.len(), "{close} of {}", order.len());
    // The mean distance of a row from where it was, as a share of all rows, is a third for a
    // uniform shuffle. Whole buckets move together, so one cycle is a small sample; many are not.
    let work = folder.path().join("work");
    let mut sorted = order.clone();
    sorted.sort_unstable();
    let mut moved = 0.0;
    for cycle in 0..60 {
        let order = names(&shuffle(&work, &sources, cycle, RowSet::Train, u64::MAX).files);
        for (i, name) in order.iter().enumerate() {
            moved += (sorted.binary_search(name).unwrap() as f64 - i as f64).abs();
        }
    }
    let moved = moved / (60 * order.len() * order.len()) as f64;
    assert!((0.31..0.36).contains(&moved), "{moved}");

    let game = connect4();
    let mut expected = dz_shard::RowBlock::new(dz_shard::RowShape::of(&game.encoding()));
    for source in &sources {
        for record in ShardReader::open(&source.path).unwrap().games() {
            dz_shard::rows_of_game(&game, &record.unwrap(), &mut expected).unwrap();
        }
    }
    for file in &out.files {
        let mut reader = RowReader::new(std::io::Cursor::new(file)).unwrap();
        for block in reader.blocks() {
            for row in block.unwrap().rows() {
                let found = expected.rows().find(|r| (r.game, r.ply) == (row.game, row.ply));
                assert_eq!(found, Some(row));
            }
        }
    }
}

#[test]
fn a_part_is_sampled_without_replacement_and_cycles_differ() {
    let folder = tempfile::tempdir().unwrap();
    let sources = shards(folder.path());
    let work = folder.path().join("work");
    let sample = |cycle| names(&shuffle(&work, &sources, cycle, RowSet::Train, 1501).files);
    let (first, second) = (sample(1), sample(2));
    assert_eq!(first.len(), 1501);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 1501);
    assert_ne!(first, second);
    let both: BTreeSet<_> = first.iter().chain(&second).collect();
    assert!(both.len() > 1600, "cycles sample different rows: {}", both.len());
}

#[test]
fn bytes_do_not_depend_on_threads_restarts_or_leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let sources = shards(folder.path());
    let segments = |work: &Path| -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<_> = fs::read_dir(work)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.file_name().unwrap().into(), fs::read(&path).unwrap()))
            .collect();
        files.sort();
        files
    };
    let mut seen = None;
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let work = folder.path().join(format!("work-{threads}"));
        let out = pool.install(|| shuffle(&work, &sources, 3, RowSet::Train, 2000));
        let now = (out.files, segments(&work));
        assert_eq!(seen.get_or_insert_with(|| now.clone()), &now, "{threads} threads");
    }
    let (files, whole) = seen.unwrap();

    // A kill leaves an unfinished file, a torn one or none; the next start makes up for it.
    let work = folder.path().join("work-1");
    let torn = work.join(&whole[0].0);
    fs::write(&torn, &whole[0].1[..whole[0].1.len() / 2]).unwrap();
    fs::remove_file(work.join(&whole[3].0)).unwrap();
    fs::write(work.join("00000000000000000004-train.unfinished"), b"half").unwrap();
    let out = shuffle(&work, &sources, 3, RowSet::Train, 2000);
    assert_eq!(out.files, files);
    assert_eq!(segments(&work), whole);
    // Segments of another shard under the same name are made again too.
    fs::copy(work.join(&whole[2].0), work.join(&whole[4].0)).unwrap();
    assert_eq!(shuffle(&work, &sources, 3, RowSet::Train, 2000).files, files);
    assert_eq!(segments(&work), whole);
}

#[test]
fn the_window_takes_whole_new_shards_and_expired_segments_go() {
    let folder = tempfile::tempdir().unwrap();
    let sources = shards(folder.path());
    let work = folder.path().join("work");
    let mut shuffler = Shuffler::open(connect4(), 11, 0.2, &work).unwrap();
    let everything = shuffler.window(&all(), &sources, u64::MAX).unwrap();
    assert_eq!(everything.games, SHARDS * GAMES);
    assert_eq!(fs::read_dir(&work).unwrap().count() as u64, 2 * SHARDS);
    let newest = everything.files[4].train.total();
    let law = WindowLaw { rows_min: newest + 1, rows_max: newest + 1, ..all() };
    let window = shuffler.window(&law, &sources, everything.train_rows).unwrap();
    assert_eq!(window.files, everything.files[3..], "one row too many takes the next shard whole");
    shuffler.expire(&window).unwrap();
    assert_eq!(fs::read_dir(&work).unwrap().count(), 4);
    // The validation split of a shard is the same when it is made again.
    assert_eq!(shuffler.segments(&sources[0]).unwrap(), &everything.files[0]);
}

#[test]
fn a_damaged_shard_is_refused_whole() {
    let folder = tempfile::tempdir().unwrap();
    let sources = shards(folder.path());
    let path = &sources[2].path;
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, &bytes).unwrap();
    let work = folder.path().join("work");
    let mut shuffler = Shuffler::open(connect4(), 11, 0.2, &work).unwrap();
    let error = format!("{:#}", shuffler.segments(&sources[2]).unwrap_err());
    assert!(error.contains("set it aside") && error.contains("00000002.dzs"), "{error}");
    assert_eq!(fs::read_dir(&work).unwrap().count(), 0, "no part of it is kept");
    let spec = "connect4:width=6".parse().unwrap();
    let other = Connect4::from_spec(&spec).unwrap();
    let mut other = Shuffler::open(other, 11, 0.2, &work).unwrap();
    assert!(format!("{:#}", other.segments(&sources[0]).unwrap_err()).contains("one game only"));
}
