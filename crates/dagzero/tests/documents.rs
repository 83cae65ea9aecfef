//! The program accepts every command that the documents show.

use std::fs;
use std::path::PathBuf;

use dagzero::command_line;
use dz_external_engines::words;
use dz_testkit::repository;

/// Returns README, all pages of the book, and `configs/README.md`.
fn documents() -> Vec<PathBuf> {
    let root = repository();
    let mut found = vec![root.join("README.md"), root.join("configs/README.md")];
    let mut folders = vec![root.join("docs/book/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the book") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the arguments in a line of a code block that starts the program.
fn arguments(line: &str) -> Option<Vec<String>> {
    let programs = ["dagzero ", "target/release/dagzero ", "cargo run --release -- "];
    let given = programs.iter().find_map(|program| line.trim().strip_prefix(program))?;
    // A comment is set off by spaces. What follows ` > ` is for the shell.
    let command = given.split("  #").next().unwrap_or_default();
    let command = command.split(" > ").next().unwrap_or_default();
    Some(words(command).unwrap_or_else(|| panic!("a quote is not closed: {line}")))
}

#[test]
fn commands_of_documents_are_understood() {
    let mut commands = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        let mut is_fenced = false;
        let mut lines = text.lines().enumerate();
        while let Some((i, line)) = lines.next() {
            is_fenced ^= line.starts_with("```");
            let is_code = is_fenced || line.starts_with("    ");
            let mut line = line.to_owned();
            while is_code && line.ends_with('\\') {
                line.pop();
                line.push_str(lines.next().map_or("", |(_, more)| more));
            }
            // `...` stands for arguments of the reader's choice.
            let given = if is_code { arguments(&line) } else { None };
            let Some(given) = given.filter(|given| !given.iter().any(|word| word == "...")) else {
                continue;
            };
            commands += 1;
            let parsed =
                command_line().try_get_matches_from([&["dagzero".to_owned()][..], &given].concat());
            if let Err(error) = parsed {
                panic!("{}:{}: {line}\n{error}", path.display(), i + 1);
            }
        }
    }
    assert!(commands > 40, "{commands} commands in documents");
}

#[test]
fn the_tutorial_shows_the_code_of_the_game() {
    let root = repository();
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a file");
    let games = "crates/game/src/games";
    let mut files = vec!["crates/game/src/registry.rs".to_owned(), format!("{games}/mod.rs")];
    files.extend(["mod", "game", "encoding"].map(|name| format!("{games}/breakthrough/{name}.rs")));
    let code = files.iter().map(|file| read(file)).collect::<Vec<_>>();
    let page = read("docs/book/src/tutorial/your-own-game.md");
    let blocks: Vec<&str> = page
        .split("```rust,ignore\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert!(blocks.len() >= 10, "{} blocks of code", blocks.len());
    for block in blocks {
        let is_there = code.iter().any(|text| text.contains(block));
        assert!(is_there, "the tutorial shows what is not in the code:\n{block}");
    }
}

/// Returns the arguments in a line of a unit, a job or a comment that starts the program.
fn deployed(line: &str) -> Option<Vec<String>> {
    let programs =
        ["ExecStart=/usr/local/bin/dagzero ", "exec dagzero ", "#     --stop-timeout 120 dagzero "];
    let given = programs.iter().find_map(|program| line.strip_prefix(program))?;
    Some(words(given).unwrap_or_else(|| panic!("a quote is not closed: {line}")))
}

#[test]
fn commands_of_files_that_people_copy_are_understood() {
    let folder = repository().join("deploy");
    for file in ["systemd/dagzero.service", "slurm/dagzero.sbatch", "docker/Dockerfile"] {
        let text = fs::read_to_string(folder.join(file)).expect("a file");
        let commands: Vec<_> = text.lines().filter_map(deployed).collect();
        assert_eq!(commands.len(), 1, "{file}");
        let parsed = command_line()
            .try_get_matches_from([&["dagzero".to_owned()][..], &commands[0]].concat());
        assert!(parsed.is_ok(), "{file}: {parsed:?}");
    }
}

#[test]
fn comments_and_quotes_are_no_arguments() {
    let line = "dagzero run connect4 --set 'a={ k = \"v\" }' \"b c\"d  # ends";
    assert_eq!(
        arguments(line).unwrap_or_default(),
        ["run", "connect4", "--set", "a={ k = \"v\" }", "b cd"]
    );
    assert_eq!(arguments("    cargo test"), None);
}
