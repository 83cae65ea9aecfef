//! What one source file defines, re-exports and names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::Context;
use syn::visit::{self, Visit};

/// A module that is a file.
pub struct Module {
    /// Where it stands in its crate; empty for the root.
    pub path: Vec<String>,
    /// Items that it defines.
    pub defines: BTreeSet<String>,
    /// Modules that it declares as files.
    pub children: BTreeSet<String>,
    /// Children that exist in tests alone.
    children_for_tests: BTreeSet<String>,
    /// Names that it imports, for itself or for others, and what they stand for.
    pub aliases: BTreeMap<String, Vec<String>>,
    /// Modules from which it re-exports everything.
    pub globs: Vec<Vec<String>>,
    /// Paths that it names, those of its own `use` items among them; names of re-exports are not.
    pub names: BTreeSet<Vec<String>>,
}

impl Module {
    /// Reads the module in the file `path` of the crate in `folder`.
    pub fn read(folder: &Path, path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let file = syn::parse_file(&text).with_context(|| path.display().to_string())?;
        let inside = path.strip_prefix(folder).unwrap_or(path).with_extension("");
        let mut place: Vec<String> =
            inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if place.last().is_some_and(|last| ["lib", "mod"].contains(&last.as_str())) {
            place.pop();
        }
        let mut module = Self {
            path: place,
            defines: BTreeSet::new(),
            children: BTreeSet::new(),
            children_for_tests: BTreeSet::new(),
            aliases: BTreeMap::new(),
            globs: Vec::new(),
            names: BTreeSet::new(),
        };
        module.visit_file(&file);
        Ok(module)
    }

    /// Full paths of the modules that it declares for tests only.
    pub fn test_modules(&self) -> Vec<Vec<String>> {
        let full = |name: &String| [self.path.as_slice(), std::slice::from_ref(name)].concat();
        self.children_for_tests.iter().map(full).collect()
    }

    fn import(&mut self, tree: &syn::UseTree, before: &[String], is_public: bool) {
        let with = |ident: &syn::Ident| [before, &[ident.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.import(&path.tree, &with(&path.ident), is_public),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.import(item, before, is_public));
            }
            syn::UseTree::Glob(_) if is_public => self.globs.push(before.to_vec()),
            syn::UseTree::Glob(_) => drop(self.names.insert(before.to_vec())),
            syn::UseTree::Name(name) if name.ident == "self" => {
                self.alias(before.last().cloned(), before.to_vec(), is_public);
            }
            syn::UseTree::Name(name) => {
                self.alias(Some(name.ident.to_string()), with(&name.ident), is_public);
            }
            syn::UseTree::Rename(rename) => {
                self.alias(Some(rename.rename.to_string()), with(&rename.ident), is_public);
            }
        }
    }

    fn alias(&mut self, name: Option<String>, path: Vec<String>, is_public: bool) {
        if !is_public {
            self.names.insert(path.clone());
        }
        if let Some(name) = name {
            self.aliases.insert(name, path);
        }
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if let syn::Item::Mod(child) = item
            && child.content.is_none()
        {
            let name = child.ident.to_string();
            let is_for_tests = is_for_tests(&child.attrs);
            let names =
                if is_for_tests { &mut self.children_for_tests } else { &mut self.children };
            names.insert(name);
            return;
        }
        if is_for_tests(attributes(item)) {
            return;
        }
        let defined = match item {
            syn::Item::Const(item) => Some(&item.ident),
            syn::Item::Enum(item) => Some(&item.ident),
            syn::Item::Fn(item) => Some(&item.sig.ident),
            syn::Item::Macro(item) => item.ident.as_ref(),
            syn::Item::Mod(item) => Some(&item.ident),
            syn::Item::Static(item) => Some(&item.ident),
            syn::Item::Struct(item) => Some(&item.ident),
            syn::Item::Trait(item) => Some(&item.ident),
            syn::Item::Type(item) => Some(&item.ident),
            syn::Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.defines.extend(defined.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_public = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &[], is_public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        self.names.insert(segments.collect());
        visit::visit_path(self, path);
    }

    // Macros hold tokens, not paths: what looks like a path in them is taken for one.
    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let text = item.tokens.to_string().replace(" :: ", "::");
        let is_in_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for word in text.split(|c| !is_in_path(c)).filter(|word| word.contains("::")) {
            self.names.insert(word.trim_matches(':').split("::").map(str::to_owned).collect());
        }
        visit::visit_macro(self, item);
    }
}
