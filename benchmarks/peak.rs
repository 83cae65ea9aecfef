//! What one core multiplies and adds at most, in registers: the ceilings of `cpu-inference.md`.
//!
//! `rustc --edition 2024 -O benchmarks/peak.rs -o peak && ./peak`, on a processor with AVX512-BF16
//! and AVX512-FP16. The clock is taken from dependent 64-bit multiplications, three cycles each on
//! Intel's processors.

use std::arch::asm;
use std::time::Instant;

/// A loop of an instruction on registers 0 to 15, written `\i`: its name and billions of
/// instructions a second.
macro_rules! independent {
    ($line:literal) => {
        ($line, rate(|| {
            // SAFETY: only vector registers and the counter change, and all of them are named.
            unsafe {
                asm!(
                    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,30,31",
                    "vpxord zmm\\i, zmm\\i, zmm\\i", ".endr",
                    "2:", ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", $line, ".endr",
                    "dec {turns}", "jnz 2b", turns = inout(reg) TURNS => _,
                    out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _,
                    out("zmm5") _, out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _,
                    out("zmm10") _, out("zmm11") _, out("zmm12") _, out("zmm13") _,
                    out("zmm14") _, out("zmm15") _, out("zmm30") _, out("zmm31") _,
                );
            }
        }))
    };
}

/// Times around a loop of sixteen instructions.
const TURNS: u64 = 200_000;

fn main() {
    let loops = [
        independent!("vfmadd231ps zmm\\i, zmm30, zmm31"),
        independent!("vfmadd231ps zmm0, zmm30, zmm31"),
        independent!("vdpbf16ps zmm\\i, zmm30, zmm31"),
        independent!("vdpbf16ps zmm\\i, zmm31, zmm30"),
        independent!("vdpbf16ps zmm0, zmm30, zmm31"),
        independent!("vdpbf16ps ymm\\i, ymm30, ymm31"),
        independent!("vfmadd231ph zmm\\i, zmm30, zmm31"),
    ];
    let clock = 3.0 * rate(dependent);
    println!("clock {clock:.2} GHz");
    for (line, rate) in loops {
        // Multiplications and additions of a 512-bit instruction: f32 16 each, half precision and
        // bf16 32.
        let whole = if line.starts_with("vfmadd231ps") { 32.0 } else { 64.0 };
        let flop = if line.contains("ymm") { whole / 2.0 } else { whole };
        let cycles = clock / rate;
        println!("{line:<34} {cycles:>5.2} cycles each {:>7.1} GFLOP/s", flop * rate);
    }
}

/// Sixteen multiplications, each of the product before.
fn dependent() {
    // SAFETY: only general registers change, and both are named.
    unsafe {
        asm!(
            "2:", ".rept 16", "imul {x}, {x}", ".endr", "dec {turns}", "jnz 2b",
            turns = inout(reg) TURNS => _, x = inout(reg) 3_u64 => _,
        );
    }
}

/// Billions of instructions a second, from the fastest of many calls.
fn rate(work: impl Fn()) -> f64 {
    let seconds = (0..25).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    16.0 * TURNS as f64 / seconds.fold(f64::INFINITY, f64::min) / 1e9
}
