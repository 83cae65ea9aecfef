//! A page of the book, and where its links lead.

use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, ensure};

use crate::links;

/// Folder of the book's pages in the repository.
pub(super) const SOURCE: &str = "docs/book/src";

/// Bytes of a file that is shown as a page.
const FILE_BYTES_MAX: u64 = 200_000;

/// A page of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The file in the repository, with slashes.
    pub file: String,
    /// The page in the book, with slashes.
    pub place: String,
    /// The name in the table of contents.
    pub name: String,
    /// Markdown.
    pub text: String,
}

/// Where a link leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To an address, or a heading of the same page.
    Kept,
    /// To a file that mdBook copies into the book.
    Copied(String),
    /// To a file that has, or gets, a page.
    Page(String),
    /// To what has no page: a folder, or the table of contents.
    None,
}

impl Page {
    /// Returns the page of a file with Markdown.
    pub fn new(file: &str, name: &str, text: &str) -> Self {
        let [file, name, text] = [file, name, text].map(str::to_owned);
        Self { place: place(&file), file, name, text }
    }

    /// Reads a file of the repository as a page. Files other than Markdown become a block of code.
    ///
    /// # Errors
    /// If the file is too long, no text, or cannot be read.
    pub(super) fn of_file(root: &Path, file: &str) -> anyhow::Result<Self> {
        let path = root.join(file);
        let bytes = fs::metadata(&path).with_context(|| format!("{file} cannot be read"))?.len();
        ensure!(bytes <= FILE_BYTES_MAX, "{file} has {bytes} bytes, too many for a page");
        let text = fs::read_to_string(&path).with_context(|| format!("{file} cannot be read"))?;
        let page = if extension(file) == "md" {
            text
        } else {
            let language = match extension(file) {
                "rs" => "rust,ignore",
                "py" => "python",
                "service" => "ini",
                "sbatch" => "bash",
                other => other,
            };
            format!("# {file}\n\n`````{language}\n{}\n`````\n", text.trim_end())
        };
        Ok(Self::new(file, file, &page))
    }

    /// Returns where a link of this page leads.
    pub(super) fn target(&self, root: &Path, target: &str) -> Target {
        let path = target.split('#').next().unwrap_or_default();
        if path.is_empty() || target.contains("://") || target.starts_with("mailto:") {
            return Target::Kept;
        }
        let folder = self.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = joined(folder, path);
        if file == format!("{SOURCE}/SUMMARY.md") {
            return Target::None;
        }
        if root.join(&file).is_dir() {
            let readme = format!("{file}/README.md");
            return if root.join(&readme).exists() { Target::Page(readme) } else { Target::None };
        }
        let is_copied = file.starts_with(SOURCE) && extension(&file) != "md";
        if is_copied { Target::Copied(file) } else { Target::Page(file) }
    }

    /// Returns the text with links that lead to places in the book. Links without
    /// one, and to files that are `lost`, become text.
    pub(super) fn led(&self, root: &Path, lost: &BTreeSet<String>) -> String {
        let mut text = String::new();
        let mut done = 0;
        for link in links::links(&self.text) {
            let fragment = link.target.find('#').map_or("", |at| &link.target[at..]);
            let shown = match self.target(root, link.target) {
                Target::Kept => continue,
                Target::Page(file) | Target::Copied(file) if !lost.contains(&file) => {
                    format!("[{}]({}{fragment})", link.text, way(&self.place, &place(&file)))
                }
                Target::Page(_) | Target::Copied(_) | Target::None => link.text.to_owned(),
            };
            text.push_str(&self.text[done..link.span.start]);
            text.push_str(&shown);
            done = link.span.end;
        }
        text + &self.text[done..]
    }

    /// Returns the ids that mdBook gives to headings.
    pub(super) fn headings(&self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        let mut is_code = false;
        for line in self.text.lines() {
            is_code ^= line.trim_start().starts_with("```");
            let heading = line.trim_start_matches('#');
            if is_code || heading.len() == line.len() || !heading.starts_with(' ') {
                continue;
            }
            let id = heading.trim().to_lowercase();
            let id = id.chars().map(|c| if c.is_whitespace() { '-' } else { c });
            ids.push(id.filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect());
        }
        ids
    }
}

/// Returns the place of a file in the book. `README.md` would become `index.md`.
fn place(file: &str) -> String {
    if let Some(inside) = file.strip_prefix(SOURCE).and_then(|rest| rest.strip_prefix('/')) {
        return inside.to_owned();
    }
    // Web servers often hide folders whose names begin with a dot.
    let shown = format!("/{file}").replace("/.", "/");
    let shown = match shown.strip_suffix("README.md") {
        Some("/") => "/about.md".to_owned(),
        Some(folder) => format!("{}.md", folder.trim_end_matches('/')),
        None if extension(&shown) == "md" => shown,
        None => format!("{shown}.md"),
    };
    format!("repository{shown}")
}

fn extension(file: &str) -> &str {
    Path::new(file).extension().and_then(|text| text.to_str()).unwrap_or_default()
}

/// Returns a relative path from a page to another.
fn way(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let folders = from.len().min(to.len()) - 1;
    let shared = (0..folders).take_while(|i| from[*i] == to[*i]).count();
    let up = "../".repeat(from.len() - 1 - shared);
    up + &to[shared..].join("/")
}

/// Returns the path of `target` as seen from `folder`, without `.` and `..`, with slashes.
pub(super) fn joined(folder: &str, target: &str) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(folder).join(target).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path.to_string_lossy().replace('\\', "/")
}
