//! CUDA graphs, and copies to and from the tensors that they use.
//!
//! `CubeCL` records the launches of one stream. Every tensor in a graph must have been allocated on
//! that stream, so a learner does all its work on one lane.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use burn::tensor::{Bytes, Int, Tensor};
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::MemoryScope;
use cubecl::client::{Client, Graph};
use cubecl::server::{Handle, ServerError};

/// The environment variable that turns CUDA graphs off if it is 0.
const CUDA_GRAPH: &str = "DAGZERO_CUDA_GRAPH";

/// A CUDA graph.
#[derive(Debug)]
pub(crate) struct Recording(Graph);

/// A copy of a tensor to the host, in progress.
pub(crate) struct Reading {
    /// `None` after the wait. It borrows the client, so it must be dropped first.
    copy: Option<Copying>,
    _client: Arc<Client>,
    length: usize,
}

type Copying = Pin<Box<dyn Future<Output = Result<Vec<Bytes>, ServerError>> + Send>>;

/// Returns whether steps should be recorded.
pub(crate) fn records() -> bool {
    std::env::var_os(CUDA_GRAPH).is_none_or(|value| value != "0")
}

/// Runs of the work before it is recorded. Nothing can be allocated while recording, so the memory
/// pool must already have enough free memory. The first run allocates it. The second run may find
/// it fragmented and allocate more.
const WARM_UPS: usize = 4;

/// Allocations, each as large as the largest tensor, that are held during the warm-up runs and
/// freed before the recording. A run may place its tensors elsewhere than the previous run. Without
/// this reserve, a recording has failed because 15 MB were missing.
const SPARE_PIECES: usize = 4;

/// Runs `work` a few times, then records it without running it. `on` is any tensor of the stream.
///
/// The graph keeps the memory of temporary tensors. All other tensors that `work` reads or writes
/// must outlive the graph.
pub(crate) fn record(on: &Tensor<1>, work: impl Fn()) -> Result<Recording, String> {
    let client = primitive(on).client;
    let text = |error: ServerError| {
        let text = error.to_string();
        // Empty backtraces follow the message.
        text.split("\nNo backtrace").next().unwrap_or_default().replace('\n', " ")
    };
    client.graph_prepare().map_err(text)?;
    work();
    let spare = spare(&client);
    for _ in 1..WARM_UPS {
        work();
    }
    drop(spare);
    if let Err(error) = client.start_capture() {
        // A capture that was prepared but not started has to be ended too.
        let _ = client.stop_capture();
        return Err(text(error));
    }
    work();
    client.stop_capture().map(Recording).map_err(text)
}

/// Allocates the reserve.
fn spare(client: &Client) -> Vec<Handle> {
    let report = client.memory_report(MemoryScope::CurrentStream);
    let pools = report.streams.iter().flat_map(|stream| &stream.pools.dynamic);
    let largest = pools.map(|pool| pool.largest_alloc).max().unwrap_or_default();
    (0..SPARE_PIECES).map(|_| client.empty(largest as usize)).collect()
}

impl Recording {
    /// Queues the launches of the graph.
    pub(crate) fn replay(&self) -> Result<(), String> {
        // SAFETY: the learner keeps all tensors of its steps as long as the graph, and uses them on
        // one stream only.
        #[allow(unsafe_code)]
        unsafe {
            self.0.replay().map_err(|error| error.to_string())
        }
    }
}

/// Overwrites the contents of a tensor. Its address stays the same.
pub(crate) fn write(tensor: &Tensor<1>, values: Vec<f32>) {
    let there = primitive(tensor);
    assert_eq!(tensor.dims(), [values.len()], "the length of a tensor cannot change");
    there.client.write(&there.handle, Bytes::from_elems(values));
}

/// Overwrites the contents of a tensor of words.
pub(crate) fn write_words(tensor: &Tensor<1, Int>, words: Vec<i32>) {
    let there = tensor.clone().try_into_primitive::<CubeBackend>();
    let there: CubeTensor = there.expect("the tensor is on a GPU");
    assert_eq!(tensor.dims(), [words.len()], "the length of a tensor cannot change");
    there.client.write(&there.handle, Bytes::from_elems(words));
}

/// Queues a copy of a tensor to the host.
pub(crate) fn read_later(tensor: &Tensor<1>) -> Reading {
    let CubeTensor { client, handle, .. } = primitive(tensor);
    let client = Arc::new(client);
    // SAFETY: `Reading` owns the `Arc` and drops the copy first, so the reference stays valid.
    #[allow(unsafe_code)]
    let borrowed: &'static Client = unsafe { &*Arc::as_ptr(&client) };
    let [length] = tensor.dims();
    let copy: Copying = Box::pin(borrowed.read_async(vec![handle]));
    Reading { copy: Some(copy), _client: client, length }
}

impl Reading {
    /// Waits for the copy and returns the numbers.
    pub(crate) fn wait(mut self) -> Result<Vec<f32>, String> {
        let copy = self.copy.take().expect("`wait` consumes the reading");
        let bytes = cubecl::future::reader::read_sync(copy).map_err(|error| error.to_string())?;
        let numbers = bytes.iter().flat_map(|bytes| bytes.as_chunks().0);
        // The copy covers the whole allocation, which may be larger than the tensor.
        Ok(numbers.take(self.length).map(|four| f32::from_ne_bytes(*four)).collect())
    }
}

impl Drop for Reading {
    /// Waits, because the host memory must not be reused while the GPU still writes to it.
    fn drop(&mut self) {
        if let Some(copy) = self.copy.take() {
            let _ = cubecl::future::reader::read_sync(copy);
        }
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reading")
    }
}

fn primitive(tensor: &Tensor<1>) -> CubeTensor {
    tensor.clone().try_into_primitive::<CubeBackend>().expect("the tensor is on a GPU")
}
