//! The same names in a build without CUDA, where nobody asks for them: `pick_device` gives no card
//! there.

use std::ops::Range;

use burn::tensor::{Device, FloatDType, Int, Tensor};
use dz_game::PlaneShape;
use dz_infer::NetworkEvaluator;
use dz_network_file::NetworkFile;

use crate::cuda::adam_step::{AdamFlats, StepTensors};
use crate::cuda::conv::plan::Plan;
use crate::cuda::layer_weights::LayerWeights;
use crate::cuda::linear::plan::{LinearPlan, Output};
use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::model::epilogue::{BatchNormOutput, Epilogue};

const NO_CARD: &str = "pick_device gives no GPU in a build without CUDA";

#[allow(clippy::unnecessary_wraps, reason = "with CUDA it can fail")]
pub(crate) const fn tower(
    _: DeviceChoice,
    _: &NetworkFile,
) -> Result<Option<Box<dyn NetworkEvaluator>>, NetError> {
    Ok(None)
}

pub(crate) fn convolve(
    _: Plan,
    _: Tensor<2>,
    _: Tensor<2>,
    _: Tensor<2>,
    _: Epilogue<'_>,
) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn layer(
    _: [usize; 2],
    _: Tensor<2>,
    _: &LayerWeights,
    _: Epilogue<'_>,
) -> BatchNormOutput {
    unreachable!("{NO_CARD}")
}

pub(crate) fn learn_linear(_: Tensor<2>, _: Tensor<1>, _: Tensor<1>) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn cross_entropy(_: Tensor<2>, _: Tensor<2>, _: Tensor<1>, _: usize) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn board_means(_: Tensor<2>, _: usize, _: Range<usize>) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn rectified_means_and_maxima(_: Tensor<2>, _: usize, _: Range<usize>) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn shift_and_rectify(_: Tensor<2>, _: Tensor<2>, _: usize) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn view(_: &Tensor<1>, _: usize, _: usize) -> Tensor<1> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn adam(_: &AdamFlats<'_>, _: Tensor<1>, _: &Tensor<1>, _: &StepTensors) {
    unreachable!("{NO_CARD}")
}

pub(crate) fn blend(_: &Tensor<1>, _: Tensor<1>, _: usize, _: &StepTensors) {
    unreachable!("{NO_CARD}")
}

pub(crate) fn norm(_: Tensor<1>) -> Tensor<1> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn join(_: &[Tensor<1>]) -> Tensor<1> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn join_into(_: &Tensor<1>, _: &[Tensor<1>]) {
    unreachable!("{NO_CARD}")
}

pub(crate) fn unpack(_: &[u8], _: PlaneShape, _: usize, _: FloatDType, _: &Device) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn unpack_words(
    _: &Tensor<1, Int>,
    _: PlaneShape,
    _: usize,
    _: FloatDType,
) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn words(_: &[u8], _: PlaneShape, _: usize) -> Vec<i32> {
    unreachable!("{NO_CARD}")
}

#[derive(Debug)]
pub(crate) enum Recording {}

impl Recording {
    pub(crate) const fn replay(&self) -> Result<(), String> {
        match *self {}
    }
}

#[derive(Debug)]
pub(crate) enum Reading {}

impl Reading {
    pub(crate) const fn wait(self) -> Result<Vec<f32>, String> {
        match self {}
    }
}

pub(crate) const fn records() -> bool {
    false
}

pub(crate) fn record(_: &Tensor<1>, _: impl Fn()) -> Result<Recording, String> {
    unreachable!("{NO_CARD}")
}

pub(crate) fn write(_: &Tensor<1>, _: Vec<f32>) {
    unreachable!("{NO_CARD}")
}

pub(crate) fn write_words(_: &Tensor<1, Int>, _: Vec<i32>) {
    unreachable!("{NO_CARD}")
}

pub(crate) fn read_later(_: &Tensor<1>) -> Reading {
    unreachable!("{NO_CARD}")
}

pub(crate) fn linear(
    _: LinearPlan,
    _: Tensor<2>,
    _: Tensor<1>,
    _: Tensor<2>,
    _: Output,
) -> Tensor<2> {
    unreachable!("{NO_CARD}")
}
