//! `dagzero export network`: a network for other frameworks.

use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use dz_cpu_net::Reference;
use dz_game::{AnyGame, Encoding, Game, GameSpec, Symmetry, unpack_planes};
use dz_infer::{Leaf, encode_leaves};
use dz_network_file::NetworkFile;
use dz_onnx::{Meaning, to_onnx};
use dz_play::{PlayerEvaluator, PlayerKind, distinct_openings};
use serde_json::{Value, json};

use crate::{
    Exit,
    commands::{
        create,
        players::{Found, PlayerArg},
    },
    exit::UsageError,
};

/// Write a network for other programs: as ONNX, or as safetensors with a description
///
/// --onnx writes one file that ONNX Runtime and other programs run: planes in, policy and value
/// out. Its metadata says what planes and moves mean, and has answers for some positions.
///
/// --out writes FILE.safetensors with the weights, 32-bit floats in the layout of `PyTorch`.
/// FILE.json beside it says what to compute with them, layer by layer, what the planes and the
/// policy's places mean, and what the network says of some positions. `docs/load_in_pytorch.py`
/// loads the two and compares.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero export network data/go-smoke --onnx go9.onnx\n  \
    dagzero export network data/go-smoke --out go9.safetensors\n  \
    dagzero export network data/go-smoke/networks/cycle-0002.dzn --out go9.safetensors")]
pub(super) struct Args {
    /// A run, whose champion is written, RUN@GENERATION, or a network file
    #[arg(value_name = "RUN|PATH")]
    from: PathBuf,
    /// The ONNX file, which may not exist
    #[arg(long, value_name = "FILE", required_unless_present = "out")]
    onnx: Option<PathBuf>,
    /// The file of weights, which ends in .safetensors; the description goes beside it, to .json.
    /// Neither may exist
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Positions that the description has the network's answers for.
const EXAMPLES: u32 = 4;

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(out) = &args.out {
        safetensors(&args.from, out)?;
    }
    if let Some(out) = &args.onnx {
        onnx(&args.from, out)?;
    }
    Ok(Exit::Done)
}

/// Writes the weights and their description.
fn safetensors(from: &Path, out: &Path) -> anyhow::Result<()> {
    let description = out.with_extension("json");
    let named = out.extension().is_some_and(|extension| extension == "safetensors");
    ensure!(named, UsageError("let --out end in .safetensors".to_owned()));
    let bytes = network_of(from)?;
    let file = NetworkFile::from_bytes(&bytes)?;
    let spec: GameSpec = file.header.spec.game.parse()?;
    let described = describe(&AnyGame::of(&spec)?, &file)?;
    let text = serde_json::to_string_pretty(&described)? + "\n";
    write_new(&description, text.as_bytes())?;
    write_new(out, &bytes)?;
    dz_stage::stderr_line(&format!("{} and {}", out.display(), description.display()));
    Ok(())
}

/// Writes an ONNX model.
pub(super) fn onnx(from: &Path, out: &Path) -> anyhow::Result<()> {
    let file = NetworkFile::from_bytes(&network_of(from)?)?;
    let spec: GameSpec = file.header.spec.game.parse()?;
    let meaning = meaning(&AnyGame::of(&spec)?, &file)?;
    write_new(out, &to_onnx(&file, &meaning)?)?;
    let network = &file.header.spec;
    dz_stage::stderr_line(&format!(
        "{}: a network for {}, {} blocks of {} channels",
        out.display(),
        network.game,
        network.blocks,
        network.channels
    ));
    Ok(())
}

fn write_new(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    create(path)?.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// The bytes of a network file, or of a run's champion, the newest one or that of a generation.
fn network_of(from: &Path) -> anyhow::Result<Vec<u8>> {
    let Found { player, .. } = PlayerArg::Path(from.to_owned()).find(1)?;
    if let PlayerKind::Search(search) = player.kind
        && let PlayerEvaluator::Network { bytes, .. } = search.evaluator
    {
        return Ok(bytes.to_vec());
    }
    let what = format!("{} has no network of its own; let the run go on first", from.display());
    Err(UsageError(what).into())
}

fn describe<G: Game>(game: &G, file: &NetworkFile) -> anyhow::Result<Value> {
    let spec = &file.header.spec;
    let encoding = game.encoding();
    file.check_fits(&game.spec().to_string(), &encoding.id())?;
    let tensors: serde_json::Map<String, Value> =
        spec.tensor_shapes().into_iter().map(|(name, shape)| (name, json!(shape))).collect();
    Ok(json!({
        "header": file.header,
        "architecture": ARCHITECTURE,
        "tensors": tensors,
        "planes": encoding.plane_names(),
        "policy": encoding.policy_layout(),
        "value": ["win", "draw", "loss"],
        "examples": examples(game, file),
    }))
}

/// What planes and moves mean, and the network's answers for a few positions.
fn meaning<G: Game>(game: &G, file: &NetworkFile) -> anyhow::Result<Meaning> {
    let encoding = game.encoding();
    file.check_fits(&game.spec().to_string(), &encoding.id())?;
    let examples = serde_json::to_string(&examples(game, file))?;
    Ok(Meaning {
        planes: encoding.plane_names(),
        globals: encoding.global_names(),
        policy: encoding.policy_layout(),
        metadata: BTreeMap::from([
            ("notation".to_owned(), game.notation().to_owned()),
            ("examples".to_owned(), examples),
        ]),
    })
}

/// The network's answers for a few positions, by plain loops.
fn examples<G: Game>(game: &G, file: &NetworkFile) -> Vec<Value> {
    let encoding = game.encoding();
    let shape = encoding.planes();
    let reference = Reference(file);
    let mut found = Vec::new();
    for plies in 0..EXAMPLES {
        let Some(opening) = distinct_openings(game, plies, 1, u64::from(plies)).pop() else {
            continue;
        };
        let mut state = game.start();
        let mut history = G::History::default();
        let mut names = Vec::new();
        for &mv in &opening.moves {
            names.push(game.format_move(mv));
            game.advance(&mut state, &mut history, mv);
        }
        let mut legal = Vec::new();
        game.legal_moves(&state, &history, &mut legal);
        let eval_key = game.eval_key(&state, &history);
        let leaf = Leaf { state, history, legal, eval_key, symmetry: Symmetry(0) };
        let batch = encode_leaves::<G>(&encoding, &[leaf]);
        let mut planes = vec![0.0; shape.bits()];
        unpack_planes(shape, batch.position(0), &mut planes);
        let planes: Vec<u8> = planes.iter().map(|&x| x as u8).collect();
        let globals = batch.globals.clone();
        let outputs = reference.evaluate(&batch);
        found.push(json!({
            "moves": names.join(" "),
            "planes": planes,
            "globals": globals,
            "policy_logits": outputs.policy_logits,
            "wdl_logits": outputs.wdl_logits,
        }));
    }
    found
}

/// The computation, in the same words as in the documentation of the crate `dz-network-file`.
const ARCHITECTURE: &[&str] = &[
    "x [B, C_in, H, W]: planes of 0 and 1; g [B, G]: globals, where G > 0; row-major 32-bit floats",
    "conv: cross-correlation, stride 1, zero padding 1 (3x3) or none (1x1), plus bias; weight [out, in, rows, columns]",
    "linear(x) = weight x + bias, weight [out, in]; relu(x) = max(x, 0)",
    "h = relu(conv3x3(x; stem.conv) + stem.globals.weight g), the second term where G > 0",
    "for i in 0..blocks: t = branch(i, h); if squeeze_ratio > 0: t = squeezed(i, t); h = relu(t + h)",
    "branch(i, h), bottleneck_blocks = 0: convolved(h; blocks.i, pooling where i is odd)",
    "branch(i, h), bottleneck_blocks > 0: u = relu(conv1x1(h; blocks.i.conv_down)), which has D = max(1, C / 2) channels, \
     rounded down; for j in 0..bottleneck_blocks: u = relu(convolved(u; blocks.i.inner.j, pooling where i is odd and \
     j = 0) + u); then conv1x1(u; blocks.i.conv_up)",
    "convolved(x; name, pooling): t = conv3x3(x; name.conv1); if pooling and global_pooling: p = relu(t[:, 0..P]), \
     P = max(1, channels of x / 4) rounded down; s = [mean of p over the board, max of p over the board]; \
     t[:, P..] += linear(s; name.pool) on every point; then conv3x3(relu(t); name.conv2)",
    "squeezed(i, t): s = relu(linear(mean of t over the board; blocks.i.squeeze)), S = max(1, C / squeeze_ratio) \
     rounded down; (a, b) = linear(s; blocks.i.excite), the C numbers of a first; sigmoid(a) t + b on every point",
    "squeeze_ratio and bottleneck_blocks are 0 where the header does not name them",
    "policy logits [B, A] = linear(flat(relu(conv1x1(h; policy.conv))); policy.linear), illegal moves not masked",
    "value logits [B, 3] = linear(relu(linear(flat(relu(conv1x1(h; value.conv))); value.hidden)); value.output)",
    "any_size (false where the header does not name it): t = linear(relu(conv1x1(h; policy.conv)); policy.linear) at each \
     point, 1 + A - H W numbers; policy logits = [the first of t at each point, row by row; the mean over the board of each \
     other]; value logits = linear(relu(linear(mean over the board of relu(conv1x1(h; value.conv)); value.hidden)); \
     value.output)",
    "policy_planes (0 where the header does not name it) above 0: policy logits = flat(linear(relu(conv1x1(h; policy.conv)); \
     policy.linear) at each point), policy_planes numbers a point",
    "flat: channels in order, each row by row; the value is that of the player to move",
];
