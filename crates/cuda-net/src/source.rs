//! CUDA C++ of the kernels for one network.

use std::fmt::Write;

use crate::plan::TowerPlan;

/// Registers of a thread that multiplies. What a block of 640 threads was launched with (96 each)
/// is all that there is to share: 128 threads give back all but 24. With 120 the last warpgroup
/// would wait for registers for ever.
const REGISTERS: usize = 112;

const TOWER: &str = include_str!("tower.cu");
const HEADS: &str = include_str!("heads.cu");
const HEADS_ANY_SIZE: &str = include_str!("heads_any_size.cu");

pub(crate) fn tower(plan: &TowerPlan) -> String {
    let mut text = defines(&[
        ("HEIGHT", plan.height),
        ("WIDTH", plan.width),
        ("PLANES", plan.planes),
        ("CHANNELS", plan.channels),
        ("BLOCKS", plan.blocks),
        ("POLICY", plan.policy_channels),
        ("VALUE", plan.value_channels),
        ("POOLED", plan.pooled),
        ("GLOBALS", plan.globals),
        ("POS", plan.positions_per_block),
        ("STAGES", plan.stages),
        ("GROUP", plan.group),
        ("UNIT", plan.unit),
        ("REGISTERS", REGISTERS),
        ("SHARED_BYTES", plan.shared_bytes()),
    ]);
    let _ = writeln!(text, "#define WGMMA_TOWER wgmma_{}", plan.channels);
    let _ = writeln!(text, "#define WGMMA_HEADS wgmma_{}", plan.heads());
    text += &wgmma(plan.channels);
    if plan.heads() != plan.channels {
        text += &wgmma(plan.heads());
    }
    text + TOWER
}

pub(crate) fn heads(plan: &TowerPlan) -> String {
    if let Some(rest) = plan.any_size_rest {
        let text = defines(&[
            ("AREA", plan.area()),
            ("POLICY", plan.policy_channels),
            ("VALUE", plan.value_channels),
            ("REST", rest),
            ("HIDDEN", plan.value_hidden),
            ("OUTPUTS", plan.value_outputs()),
        ]);
        return text + HEADS_ANY_SIZE;
    }
    let text = defines(&[
        ("POLICY_INPUTS", plan.policy_inputs()),
        ("VALUE_INPUTS", plan.value_inputs()),
        ("POLICY_LOGITS", plan.policy_len),
        ("HIDDEN", plan.value_hidden),
        ("OUTPUTS", plan.value_outputs()),
        ("POLICY_CHUNKS", plan.policy_inputs().div_ceil(32)),
        ("VALUE_CHUNKS", plan.value_inputs().div_ceil(32)),
        ("POLICY_TILES", plan.policy_len.div_ceil(8)),
        ("HIDDEN_TILES", plan.value_hidden.div_ceil(8)),
    ]);
    text + HEADS
}

fn defines(names: &[(&str, usize)]) -> String {
    names
        .iter()
        .fold(String::new(), |text, (name, value)| text + &format!("#define {name} {value}\n"))
}

/// A function for `wgmma` with `outputs` columns: 64 rows, 16 inputs, halves, sums in 32 bits.
fn wgmma(outputs: usize) -> String {
    let registers = outputs / 2;
    let list = |from: usize, count: usize| {
        (from..from + count).map(|i| format!("%{i}")).collect::<Vec<_>>().join(", ")
    };
    let sums = list(0, registers);
    let factors = list(registers, 4);
    let operands = (0..registers).map(|i| format!("\"+f\"(d[{i}])")).collect::<Vec<_>>().join(", ");
    let weights = registers + 4;
    format!(
        "__device__ __forceinline__ void wgmma_{outputs}(float (&d)[{registers}], const unsigned (&a)[4], \
         unsigned long long b) {{\n  asm volatile(\"wgmma.mma_async.sync.aligned.m64n{outputs}k16.f32.f16.f16 \
         {{{sums}}}, {{{factors}}}, %{weights}, 1, 1, 1, 0;\"\n    : {operands}\n    : \"r\"(a[0]), \"r\"(a[1]), \
         \"r\"(a[2]), \"r\"(a[3]), \"l\"(b));\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_a_kernel_needs_is_defined() {
        let spec = dz_network_file::NetworkSpec::plain([18, 9, 9], 82, 6, 96);
        let plan = TowerPlan::of(&spec).unwrap();
        let tower = tower(&plan);
        for name in ["wgmma_96(float (&d)[48]", "wgmma_24(float (&d)[12]", "#define PLANES 18\n"] {
            assert!(tower.contains(name), "{name}");
        }
        // Every argument of the assembler's text is there once.
        assert!(tower.contains("%51}, %52, 1, 1, 1, 0;"));
        assert!(heads(&plan).starts_with("#define POLICY_INPUTS 1296\n"));
    }
}
