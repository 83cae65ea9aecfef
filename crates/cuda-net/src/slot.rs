//! A batch under way: memory on both sides, and a stream of its own.

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError,
    LaunchArgs, LaunchConfig, PinnedHostSlice, PushKernelArg, result,
};
use dz_infer::{EncodedBatch, NetworkOutputs};

use crate::error::CudaNetError;
use crate::kernels::Kernels;
use crate::plan::TowerPlan;
use crate::weights::{Linear, Weights};

/// Threads of a block of the kernel `tower`: four warpgroups that multiply, one that copies.
const TOWER_THREADS: u32 = 5 * 128;
/// Threads of a block of the kernel `heads`, its positions, and its policy logits.
const HEADS_THREADS: u32 = 6 * 32;
const HEADS_POSITIONS: usize = 16;
const HEADS_LOGITS: usize = 4 * 3 * 8;
/// Warps of a block of the same kernel for boards of any size, a position each.
const ANY_SIZE_WARPS: usize = 4;

/// A network's numbers in a card's memory.
#[derive(Debug)]
pub(crate) struct WeightsThere {
    tower: CudaSlice<u16>,
    tower_bias: CudaSlice<f32>,
    globals: CudaSlice<f32>,
    pool: CudaSlice<f32>,
    pool_bias: CudaSlice<f32>,
    policy: LinearThere,
    policy_bias: CudaSlice<f32>,
    hidden: LinearThere,
    hidden_bias: CudaSlice<f32>,
    output: CudaSlice<f32>,
    output_bias: CudaSlice<f32>,
}

/// As [`Linear`].
#[derive(Debug)]
enum LinearThere {
    Boards(CudaSlice<u16>),
    Points(CudaSlice<f32>),
}

impl LinearThere {
    fn new(stream: &Arc<CudaStream>, here: &Linear) -> Result<Self, DriverError> {
        Ok(match here {
            Linear::Boards(halves) => Self::Boards(stream.clone_htod(halves)?),
            Linear::Points(numbers) => Self::Points(stream.clone_htod(numbers)?),
        })
    }

    fn push<'a>(&'a self, launch: &mut LaunchArgs<'a>) {
        match self {
            Self::Boards(halves) => launch.arg(halves),
            Self::Points(numbers) => launch.arg(numbers),
        };
    }
}

impl WeightsThere {
    /// Copied when this returns.
    pub(crate) fn new(context: &Arc<CudaContext>, here: &Weights) -> Result<Self, DriverError> {
        let stream = context.new_stream()?;
        let there = Self {
            tower: stream.clone_htod(&here.tower)?,
            tower_bias: stream.clone_htod(&here.tower_bias)?,
            globals: stream.clone_htod(or_one(&here.globals))?,
            pool: stream.clone_htod(or_one(&here.pool))?,
            pool_bias: stream.clone_htod(or_one(&here.pool_bias))?,
            policy: LinearThere::new(&stream, &here.policy)?,
            policy_bias: stream.clone_htod(&here.policy_bias)?,
            hidden: LinearThere::new(&stream, &here.hidden)?,
            hidden_bias: stream.clone_htod(&here.hidden_bias)?,
            output: stream.clone_htod(&here.output)?,
            output_bias: stream.clone_htod(&here.output_bias)?,
        };
        stream.synchronize()?;
        Ok(there)
    }
}

/// Memory of no bytes cannot be asked for.
fn or_one(numbers: &[f32]) -> &[f32] {
    if numbers.is_empty() { &[0.0] } else { numbers }
}

/// Memory for one batch of up to `capacity` positions.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) capacity: usize,
    stream: Arc<CudaStream>,
    /// After the last copy of the batch under way.
    done: CudaEvent,
    /// Pinned, so that copies are queued like kernels.
    bits_here: PinnedHostSlice<u8>,
    globals_here: PinnedHostSlice<f32>,
    policy_here: PinnedHostSlice<f32>,
    values_here: PinnedHostSlice<f32>,
    bits: CudaSlice<u8>,
    globals: CudaSlice<f32>,
    policy_points: CudaSlice<u16>,
    value_points: CudaSlice<u16>,
    policy: CudaSlice<f32>,
    /// Rows of win, draw and loss, and what is beside them.
    values: CudaSlice<f32>,
}

impl Slot {
    pub(crate) fn new(
        context: &Arc<CudaContext>,
        plan: &TowerPlan,
        capacity: usize,
    ) -> Result<Self, DriverError> {
        let stream = context.new_stream()?;
        // SAFETY: the host writes `bits_here` before it is read, and the card writes the answers
        // before the event after which the host reads them. Not write-combined: answers are read.
        #[allow(unsafe_code)]
        let (bits_here, globals_here, policy_here, values_here) = unsafe {
            (
                context.alloc_pinned_with_flags(capacity * plan.position_bytes(), 0)?,
                context.alloc_pinned_with_flags((capacity * plan.globals).max(1), 0)?,
                context.alloc_pinned_with_flags(capacity * plan.policy_len, 0)?,
                context.alloc_pinned_with_flags(capacity * plan.value_outputs(), 0)?,
            )
        };
        Ok(Self {
            capacity,
            done: context.new_event(None)?,
            bits_here,
            globals_here,
            policy_here,
            values_here,
            bits: stream.alloc_zeros(capacity * plan.position_bytes())?,
            globals: stream.alloc_zeros((capacity * plan.globals).max(1))?,
            policy_points: stream.alloc_zeros(capacity * plan.policy_inputs())?,
            value_points: stream.alloc_zeros(capacity * plan.value_inputs())?,
            policy: stream.alloc_zeros(capacity * plan.policy_len)?,
            values: stream.alloc_zeros(capacity * plan.value_outputs())?,
            stream,
        })
    }

    /// Queues everything that a batch needs: copy, kernels, copies back.
    pub(crate) fn start(
        &mut self,
        kernels: &Kernels,
        weights: &WeightsThere,
        plan: &TowerPlan,
        batch: &EncodedBatch,
    ) -> Result<(), CudaNetError> {
        let len = batch.len;
        kernels.context.bind_to_thread()?;
        self.bits_here.as_mut_slice()?[..batch.bits.len()].copy_from_slice(&batch.bits);
        let here = &self.bits_here.as_slice()?[..batch.bits.len()];
        let (there, _) = self.bits.device_ptr_mut(&self.stream);
        // SAFETY: `bits` holds as many bytes, and `bits_here` is not written before `done`.
        #[allow(unsafe_code)]
        unsafe {
            result::memcpy_htod_async(there, here, self.stream.cu_stream())?;
        }
        if !batch.globals.is_empty() {
            let numbers = batch.globals.len();
            self.globals_here.as_mut_slice()?[..numbers].copy_from_slice(&batch.globals);
            let here = &self.globals_here.as_slice()?[..numbers];
            let (there, _) = self.globals.device_ptr_mut(&self.stream);
            // SAFETY: as above.
            #[allow(unsafe_code)]
            unsafe {
                result::memcpy_htod_async(there, here, self.stream.cu_stream())?;
            }
        }
        self.launch(kernels, weights, plan, len)?;
        let stream = self.stream.cu_stream();
        let (policy, _) = self.policy.device_ptr(&self.stream);
        let (values, _) = self.values.device_ptr(&self.stream);
        let policy_here = &mut self.policy_here.as_mut_slice()?[..len * plan.policy_len];
        let values_here = &mut self.values_here.as_mut_slice()?[..len * plan.value_outputs()];
        // SAFETY: both sides hold as many numbers, and the host reads them after `done`.
        #[allow(unsafe_code)]
        unsafe {
            result::memcpy_dtoh_async(policy_here, policy, stream)?;
            result::memcpy_dtoh_async(values_here, values, stream)?;
        }
        self.done.record(&self.stream)?;
        Ok(())
    }

    fn launch(
        &mut self,
        kernels: &Kernels,
        weights: &WeightsThere,
        plan: &TowerPlan,
        len: usize,
    ) -> Result<(), DriverError> {
        let positions = len as i32;
        let rounds = len.div_ceil(plan.positions_per_block);
        let tower = LaunchConfig {
            grid_dim: (rounds.min(kernels.multiprocessors) as u32, 1, 1),
            block_dim: (TOWER_THREADS, 1, 1),
            shared_mem_bytes: plan.shared_bytes() as u32,
        };
        let (grid, threads) = match plan.any_size_rest {
            None => {
                let parts = plan.policy_len.div_ceil(HEADS_LOGITS);
                ([len.div_ceil(HEADS_POSITIONS), parts], HEADS_THREADS)
            }
            Some(_) => ([len.div_ceil(ANY_SIZE_WARPS), 1], 32 * ANY_SIZE_WARPS as u32),
        };
        let heads = LaunchConfig {
            grid_dim: (grid[0] as u32, grid[1] as u32, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut launch = self.stream.launch_builder(&kernels.tower);
        launch
            .arg(&self.bits)
            .arg(&self.globals)
            .arg(&weights.globals)
            .arg(&weights.tower)
            .arg(&weights.tower_bias);
        launch.arg(&weights.pool).arg(&weights.pool_bias);
        launch.arg(&mut self.policy_points).arg(&mut self.value_points).arg(&positions);
        // SAFETY: these are the kernel's arguments, and its buffers hold `len` positions.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(tower)?;
        }
        let mut launch = self.stream.launch_builder(&kernels.heads);
        launch.arg(&self.policy_points).arg(&self.value_points);
        weights.policy.push(&mut launch);
        launch.arg(&weights.policy_bias);
        weights.hidden.push(&mut launch);
        launch.arg(&weights.hidden_bias);
        launch.arg(&weights.output).arg(&weights.output_bias);
        launch.arg(&mut self.policy).arg(&mut self.values).arg(&positions);
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(heads)?;
        }
        Ok(())
    }

    /// Waits for the batch.
    pub(crate) fn finish(
        &self,
        plan: &TowerPlan,
        len: usize,
    ) -> Result<NetworkOutputs, DriverError> {
        self.done.synchronize()?;
        let policy_logits = self.policy_here.as_slice()?[..len * plan.policy_len].to_vec();
        let values = self.values_here.as_slice()?[..len * plan.value_outputs()].to_vec();
        Ok(NetworkOutputs::of_rows(policy_logits, values, plan.columns))
    }
}

impl Drop for Slot {
    /// Memory goes when nothing uses it any more.
    fn drop(&mut self) {
        let _ = self.stream.synchronize();
    }
}
