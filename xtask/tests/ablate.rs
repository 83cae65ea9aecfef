//! Ablation tables: those of the repository are sound and their page agrees with their cells;
//! made-up cells give the expected table.

use std::{fs, path::PathBuf};

use serde_json::json;
use xtask::{
    ablate::{Cell, Cycle, Figure, Measure, Seconds, Solved, Table, keys, section, with_section},
    root, sources,
};

/// The tables of the repository.
fn tables() -> Vec<Table> {
    let folder = root().join("benchmarks/ablation");
    let files = sources::files(&folder, &["toml"]).expect("the folder can be read");
    let is_table = |path: &PathBuf| path.parent() == Some(&folder);
    let read = |path: PathBuf| Table::read(&path).unwrap_or_else(|error| panic!("{error:#}"));
    files.into_iter().filter(is_table).map(read).collect()
}

#[test]
fn tables_of_the_repository_have_keys_that_exist() {
    let known = keys::known(&root()).expect("keys");
    assert!(known.contains("search.graph") && known.contains("format"), "{known:?}");
    assert!(!tables().is_empty());
    for table in tables() {
        let unknown = keys::unknown(&table, &known).expect("changes");
        assert!(unknown.is_empty(), "{}: {unknown:?}", table.name);
        assert!(table.seeds.len() >= 3, "{}: an interval needs seeds", table.name);
    }
}

#[test]
fn a_key_that_does_not_exist_is_found() {
    let known = keys::known(&root()).expect("keys");
    let mut table = tables().remove(0);
    table.variants[1].set = vec!["search.grahp=false".to_owned()];
    assert_eq!(keys::unknown(&table, &known).expect("changes"), ["search.grahp"]);
}

#[test]
fn the_page_is_that_of_the_cells() {
    let page = fs::read_to_string(root().join("benchmarks/ablation.md")).expect("the page");
    for table in tables() {
        let cells = table.cells().unwrap_or_else(|error| panic!("{error:#}"));
        let wanted = with_section(&page, &table, &section(&table, &cells)).expect("marks");
        assert!(page == wanted, "benchmarks/ablation.md is behind: `cargo xtask ablate --page`");
    }
}

/// A table of three variants, with a folder for its cells.
fn made_up() -> (tempfile::TempDir, Table) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("toy")).expect("a folder");
    let base = "[search]\ngraph = true\n[selfplay]\nfull_share = 0.25\n";
    let table = "title = \"Toy\"\nevaluations = 300000\nseeds = [1, 2, 3]\n[measure]\n\
                 solved = { positions = 50, seed = 1, playouts = [0, 16] }\n\
                 [[variants]]\nname = \"base\"\nquestion = \"as it is\"\n\
                 [[variants]]\nname = \"tree\"\nquestion = \"no graph\"\nset = ['search.graph=false']\n\
                 [[variants]]\nname = \"full\"\nquestion = \"no cap\"\nset = ['selfplay.full_share=1.0']\n";
    fs::write(folder.path().join("toy/base.toml"), base).expect("a file");
    fs::write(folder.path().join("toy.toml"), table).expect("a file");
    let table = Table::read(&folder.path().join("toy.toml")).expect("a table");
    (folder, table)
}

fn cell(table: &Table, variant: &str, seed: u64, shares: [f64; 2]) -> Cell {
    let variant = table.variant(variant).expect("there");
    let figure = |name: &str, share| Figure { name: name.to_owned(), count: 1_024, share };
    Cell {
        variant: variant.name.clone(),
        seed,
        set: variant.set.clone(),
        budget: 300_000,
        evaluations: 299_999 + seed,
        figures: vec![figure("raw policy", shares[0]), figure("16 playouts", shares[1])],
        seconds: Seconds { selfplay: 60.0, shuffle: 1.5, training: 1_000.0 + seed as f64 },
        trained_rows: 5,
        cycles: vec![
            Cycle { games: 200, positions: 1_500, evaluations: 0 },
            Cycle { games: 1_000, positions: 9_000, evaluations: 100_000 },
            Cycle { games: 1_999 + seed, positions: 18_000, evaluations: 199_999 + seed },
        ],
        threads: 1,
        program: "dagzero 0.0.0+abc".to_owned(),
        date: format!("2026-11-2{seed} 10:00"),
        machine: "2 cores, Xeon".to_owned(),
        commands: vec!["dagzero init base.toml --dir RUN".to_owned()],
        measure: Measure {
            solved: Some(Solved { positions: 50, seed: 1, playouts: vec![0, 16] }),
            matches: Vec::new(),
        },
        config: table.config_json(variant).expect("a configuration"),
    }
}

#[test]
fn cells_become_rows_with_intervals_and_paired_differences() {
    let (_folder, table) = made_up();
    let mut cells = Vec::new();
    for (seed, raw) in [(1, 0.80), (2, 0.82), (3, 0.84)] {
        cells.push(cell(&table, "base", seed, [raw, 0.95]));
    }
    // One seed is not there yet; the others lie 5 and 6 below the base's.
    for (seed, raw) in [(1, 0.75), (2, 0.76)] {
        cells.push(cell(&table, "tree", seed, [raw, 0.95]));
    }
    // Raw: mean 82, deviation 2, 4.303 * 2 / sqrt(3) = 4.97. Difference: -5.5, 12.706 * 0.7071 /
    // sqrt(2) = 6.35.
    let wanted = "\
<!-- ablation toy: begin -->
## Toy

300,000 evaluations a cell. Shares in per cent (raw policy on 1,024, 16 playouts on 1,024). Made from 2026-11-21 to \
2026-11-23 by dagzero 0.0.0+abc on 2 cores, Xeon, threads a stage: 1.

| variant | what it asks | seeds | raw policy | difference | 16 playouts | difference | games | evaluations | seconds |
|---|---|---|---|---|---|---|---|---|---|
| base | as it is | 3 | 82.0 ± 5.0 | - | 95.0 ± 0.0 | - | 3,001 | 300,001 | 1,064 |
| tree | no graph: `search.graph=false` | 2 | 75.5 ± 6.4 | -5.5 ± 6.4 | 95.0 ± 0.0 | +0.0 ± 0.0 | 3,001 | 300,001 | 1,063 |
| full | no cap: `selfplay.full_share=1.0` | - | - | - | - | - | - | - | - |
<!-- ablation toy: end -->
";
    assert_eq!(section(&table, &cells), wanted);
    let clear = cell(&table, "tree", 3, [0.785, 0.95]);
    cells.push(clear);
    // Differences -5, -6, -5.5: deviation 0.5, 4.303 * 0.5 / sqrt(3) = 1.24.
    assert!(section(&table, &cells).contains(" **-5.5 ± 1.2** "), "{}", section(&table, &cells));
}

#[test]
fn a_page_keeps_what_is_around_a_section() {
    let (_folder, table) = made_up();
    let empty = section(&table, &[]);
    assert!(empty.contains("No cell is stored yet."), "{empty}");
    let page = format!("# Head\n\n{empty}\nTail\n");
    let full = section(&table, &[cell(&table, "base", 1, [0.5, 0.6])]);
    assert!(full.contains("Made on 2026-11-21 by"), "{full}");
    assert!(full.contains("| base | as it is | 1 | 50.0 | - | 60.0 | - |"), "{full}");
    let written = with_section(&page, &table, &full).expect("marks");
    assert_eq!(written, format!("# Head\n\n{full}\nTail\n"));
    assert_eq!(with_section(&written, &table, &empty).expect("marks"), page);
    assert!(with_section("# Head\n", &table, &full).is_err());
}

#[test]
fn a_stored_cell_is_read_as_it_was_written() {
    let (_folder, table) = made_up();
    let tree = table.variant("tree").expect("there");
    assert_eq!(table.stored(tree, 7).expect("no fault"), None);
    let seventh = cell(&table, "tree", 7, [0.1, 1.0 / 3.0]);
    seventh.write(&table.cell_path("tree", 7)).expect("written");
    assert_eq!(table.stored(tree, 7).expect("no fault"), Some(seventh.clone()));
    assert_eq!(table.cells().expect("no fault"), [seventh], "seeds beyond the table's count too");
}

#[test]
fn a_cell_of_another_table_is_refused() {
    let (_folder, table) = made_up();
    let tree = table.variant("tree").expect("there");
    let path = table.cell_path("tree", 1);
    let good = cell(&table, "tree", 1, [0.1, 0.2]);
    let mut others = [good.clone(), good.clone(), good.clone(), good.clone()];
    others[0].budget = 5_000;
    others[1].config["search"]["graph"] = json!(true);
    others[2].measure.solved = None;
    others[3].seed = 2;
    for other in others {
        other.write(&path).expect("written");
        let error = table.stored(tree, 1).expect_err("another table's").to_string();
        assert!(error.contains("tree-1.json"), "{error}");
    }
    good.write(&path).expect("written");
    assert!(table.stored(tree, 1).expect("no fault").is_some());
}
