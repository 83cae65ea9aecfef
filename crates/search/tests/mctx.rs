//! Gumbel search against mctx, the authors' own program: the same root visits on the same
//! positions.
//!
//! Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning with Gumbel".
//! Needs Python with mctx (`pip install mctx`; `DAGZERO_PYTHON` names the interpreter). Without it
//! the test says so and passes. `DAGZERO_MCTX_ALL` compares every number of simulations from 2 to
//! 64, which compiles for minutes; else a few.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::fmt::Write;
use std::process::Command;

use dz_search::{
    Exact, ExplicitGraph, GraphFile, GraphNode, Gumbel, SearchParams, Selection, Sigma,
};
use dz_testkit::{output_with_input, python_with};

use crate::proof::graphs::inner;
use crate::proof::{Dice, Judge, run, search_of};

const NODES: usize = 24;

/// Nodes that lead to each other at random: a tree without ends once no position is shared.
fn endless(moves: usize) -> GraphFile {
    let mut dice = Dice::new(moves as u64);
    let node = |id: usize| {
        let children: Vec<i64> = (0..moves).map(|_| dice.below(NODES) as i64).collect();
        let mut node = inner(id as i64, dice.pick(&[1, -1]), 2.0 * dice.share() - 1.0, &children);
        let raw: Vec<f64> = (0..moves).map(|_| dice.share() + 0.02).collect();
        let sum: f64 = raw.iter().sum();
        node.priors = raw.iter().map(|prior| prior / sum).collect();
        node
    };
    GraphFile { root: 0, nodes: (0..NODES).map(node).collect() }
}

fn as_text(file: &GraphFile, moves: usize) -> String {
    let mut text = format!("{NODES} {moves}\n");
    let line = |node: &GraphNode| {
        let mut line = format!("{} {}", node.to_move.unwrap(), node.value.unwrap());
        for prior in &node.priors {
            write!(line, " {prior}").unwrap();
        }
        for child in &node.children {
            write!(line, " {child}").unwrap();
        }
        line
    };
    for node in &file.nodes {
        writeln!(text, "{}", line(node)).unwrap();
    }
    text
}

/// The visits of the root's moves after so many simulations from a node.
fn visits(graph: &ExplicitGraph, root: u32, simulations: u32) -> Vec<u32> {
    let gumbel = Gumbel { scale: 0.0, sigma: Sigma::MCTX, ..Gumbel::default() };
    let params = SearchParams {
        graph: false,
        selection: Selection::Gumbel(gumbel),
        ..SearchParams::default()
    };
    let mut search = search_of::<_, Exact>(graph, params, &(root, ()));
    run(&mut search, simulations + 1, &Judge::of_graph());
    search.summary().moves.iter().map(|m| m.visits).collect()
}

#[test]
fn root_visits_are_those_of_mctx() {
    let Some(python) = python_with("mctx") else { return };
    let simulations: Vec<u32> = if std::env::var_os("DAGZERO_MCTX_ALL").is_some() {
        (2..=64).collect()
    } else {
        vec![2, 16, 33, 64]
    };
    let mut compared = 0;
    for moves in [5, 20] {
        let file = endless(moves);
        let graph = ExplicitGraph::new(&file).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mctx_visits.py");
        let mut command = Command::new(&python);
        command.arg(script).args(simulations.iter().map(u32::to_string));
        let output = output_with_input(&mut command, &as_text(&file, moves));
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines = text
            .lines()
            .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<u32>>());
        for &simulations in &simulations {
            for root in 0..NODES as u32 {
                let theirs = lines.next().unwrap();
                assert_eq!(theirs[0], simulations);
                let ours = visits(&graph, root, simulations);
                assert_eq!(ours, theirs[1..], "{moves} moves, root {root}, {simulations}");
                compared += 1;
            }
        }
    }
    println!("{compared} searches agree");
}
