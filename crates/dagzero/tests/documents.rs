//! Commands that documents show are commands that the program understands.

use std::fs;
use std::path::{Path, PathBuf};

use dagzero::command_line;

/// README, the book, and the page about configurations.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
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

/// Words of a line of a shell, without its comment; none if a quotation is not closed.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(end), _) if c == end => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// What is given to the program by a line of a code block, if it starts the program.
fn arguments(line: &str) -> Option<Vec<String>> {
    let programs = ["dagzero ", "target/release/dagzero ", "cargo run --release -- "];
    let given = programs.iter().find_map(|program| line.trim().strip_prefix(program))?;
    Some(words(given).unwrap_or_else(|| panic!("a quotation without an end: {line}")))
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
            // What the program prints is no command, and `...` stands for words of the reader's.
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
fn words_are_split_as_a_shell_does() {
    let line = "run connect4 --set 'a={ k = \"v\" }' \"b c\"d # ends";
    assert_eq!(
        words(line).unwrap_or_default(),
        ["run", "connect4", "--set", "a={ k = \"v\" }", "b cd"]
    );
    assert_eq!(words("an 'open"), None);
}
