//! The canary passes on this processor in every precision and with every way to send positions, and
//! it would not if a device computed wrongly.

#![allow(clippy::unwrap_used)]

use dz_burn_net::{DeviceChoice, EvaluatorOptions, Precision, burn_canary, canary};

#[test]
fn the_engine_that_plays_here_passes() {
    let report = canary(DeviceChoice::Cpu).unwrap();
    assert!(report.passed(), "{report:?}");
}

#[test]
fn burn_passes_with_every_option() {
    for precision in [Precision::F32, Precision::F16, Precision::Bf16] {
        for (unpack_on_device, lanes) in [(false, 0), (true, 2)] {
            let sizes = EvaluatorOptions { chunk_max: 64, ..EvaluatorOptions::fixed(16) };
            let options = EvaluatorOptions { precision, unpack_on_device, lanes, ..sizes };
            let report = burn_canary(DeviceChoice::Cpu, options).unwrap();
            println!("{precision:?}: {report:?}");
            assert!(report.passed(), "{precision:?}: {report:?}");
            // Half precision is not 32 bits under another name, so it is seen to be used.
            let is_exact = report.logit_difference_max < 1e-4;
            assert_eq!(is_exact, precision == Precision::F32, "{report:?}");
        }
    }
}
