//! Output of records: one text, or a file a game.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use dz_record::Format;

use crate::commands::create;

/// Takes the records of an export.
pub(super) struct Sink<'a> {
    place: Place<'a>,
    format: Format,
    written: u64,
}

enum Place<'a> {
    Stream(&'a mut dyn Write),
    File { file: BufWriter<File>, path: PathBuf },
    Folder(PathBuf),
}

impl<'a> Sink<'a> {
    /// A file at `out`, a folder if one is there or the name ends with a slash, else `stream`.
    pub(super) fn new(
        out: Option<&Path>,
        format: Format,
        stream: &'a mut dyn Write,
    ) -> anyhow::Result<Self> {
        let place = match out {
            None => Place::Stream(stream),
            Some(path) if path.is_dir() || path.to_string_lossy().ends_with('/') => {
                let doing = || format!("cannot make the folder {}", path.display());
                fs::create_dir_all(path).with_context(doing)?;
                Place::Folder(path.to_owned())
            }
            Some(path) => {
                Place::File { file: BufWriter::new(create(path)?), path: path.to_owned() }
            }
        };
        Ok(Self { place, format, written: 0 })
    }

    /// Records so far.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Adds a record; `name` is its file's in a folder, without an extension.
    pub(super) fn write(&mut self, name: &str, text: &str) -> anyhow::Result<()> {
        let between = if self.written == 0 { "" } else { self.format.separator() };
        match &mut self.place {
            Place::Stream(out) => out.write_all([between, text].concat().as_bytes())?,
            Place::File { file, path } => {
                let done = file.write_all([between, text].concat().as_bytes());
                done.with_context(|| format!("cannot write {}", path.display()))?;
            }
            Place::Folder(folder) => {
                let path = folder.join(format!("{name}.{}", self.format.extension()));
                let done = create(&path)?.write_all(text.as_bytes());
                done.with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        self.written += 1;
        Ok(())
    }

    /// Flushes the output and returns the number of records. A file without records is removed.
    pub(super) fn finish(self) -> anyhow::Result<u64> {
        if let Place::File { mut file, path } = self.place {
            file.flush().with_context(|| format!("cannot write {}", path.display()))?;
            if self.written == 0 {
                drop(file);
                fs::remove_file(&path)
                    .with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        Ok(self.written)
    }
}
