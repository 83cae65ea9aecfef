//! A sequence of launches recorded as a CUDA graph, and tensors that are written and read between
//! its replays.
//!
//! CubeCL records what one queue of the card is given. All of it must lie in memory of that queue,
//! so a learner that is recorded does everything on one lane.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use burn::tensor::{Bytes, Int, Tensor};
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::client::{Client, Graph};
use cubecl::server::ServerError;

/// The environment variable that keeps learning from being recorded, if it is 0.
const CUDA_GRAPH: &str = "DAGZERO_CUDA_GRAPH";

/// Recorded launches.
#[derive(Debug)]
pub(crate) struct Recording(Graph);

/// Numbers on their way to the host.
pub(crate) struct Reading {
    /// None once it was waited for. Dropped before what it borrows.
    copy: Option<Copying>,
    _client: Arc<Client>,
    length: usize,
}

type Copying = Pin<Box<dyn Future<Output = Result<Vec<Bytes>, ServerError>> + Send>>;

/// Whether steps are to be recorded.
pub(crate) fn records() -> bool {
    std::env::var_os(CUDA_GRAPH).is_none_or(|value| value != "0")
}

/// Times that work is done before it is recorded. A recording may have no other memory than what
/// was had before. The first time takes new memory as it needs it; the second finds it in pieces
/// and may need more; then each time is as the one before.
const WARM_UPS: usize = 4;

/// Does `work` a few times, then records it, without doing it again. `on` is any tensor of the
/// queue.
///
/// The memory that `work` has for what is between stays the recording's. Tensors that it reads or
/// writes beyond that must outlive the recording.
pub(crate) fn record(on: &Tensor<1>, work: impl Fn()) -> Result<Recording, String> {
    let client = primitive(on).client;
    let text = |error: ServerError| {
        let text = error.to_string();
        // What follows are empty backtraces.
        text.split("\nNo backtrace").next().unwrap_or_default().replace('\n', " ")
    };
    client.graph_prepare().map_err(text)?;
    for _ in 0..WARM_UPS {
        work();
    }
    if let Err(error) = client.start_capture() {
        // A window that was prepared and did not open is closed by this alone.
        let _ = client.stop_capture();
        return Err(text(error));
    }
    work();
    client.stop_capture().map(Recording).map_err(text)
}

impl Recording {
    /// Queues the launches once more.
    pub(crate) fn replay(&self) -> Result<(), String> {
        // SAFETY: the learner keeps every tensor that its steps read or write as long as the
        // recording, works on them on one queue, and lets nobody else write to them.
        #[allow(unsafe_code)]
        unsafe {
            self.0.replay().map_err(|error| error.to_string())
        }
    }
}

/// Overwrites a tensor where it lies.
pub(crate) fn write(tensor: &Tensor<1>, values: Vec<f32>) {
    let there = primitive(tensor);
    assert_eq!(tensor.dims(), [values.len()], "as many numbers as there are");
    there.client.write(&there.handle, Bytes::from_elems(values));
}

/// The same of words.
pub(crate) fn write_words(tensor: &Tensor<1, Int>, words: Vec<i32>) {
    let there = tensor.clone().try_into_primitive::<CubeBackend>();
    let there: CubeTensor = there.expect("it lies on a card");
    assert_eq!(tensor.dims(), [words.len()], "as many words as there are");
    there.client.write(&there.handle, Bytes::from_elems(words));
}

/// Queues a copy of a tensor to the host.
pub(crate) fn read_later(tensor: &Tensor<1>) -> Reading {
    let CubeTensor { client, handle, .. } = primitive(tensor);
    let client = Arc::new(client);
    // SAFETY: the client is kept behind the same pointer until the copy is dropped, and only shared
    // references to it are made.
    #[allow(unsafe_code)]
    let borrowed: &'static Client = unsafe { &*Arc::as_ptr(&client) };
    let [length] = tensor.dims();
    let copy: Copying = Box::pin(borrowed.read_async(vec![handle]));
    Reading { copy: Some(copy), _client: client, length }
}

impl Reading {
    /// Waits for the copy.
    pub(crate) fn wait(mut self) -> Result<Vec<f32>, String> {
        let copy = self.copy.take().expect("a reading is waited for once");
        let bytes = cubecl::future::reader::read_sync(copy).map_err(|error| error.to_string())?;
        let numbers = bytes.iter().flat_map(|bytes| bytes.as_chunks().0);
        // Memory may be larger than the tensor in it.
        Ok(numbers.take(self.length).map(|four| f32::from_ne_bytes(*four)).collect())
    }
}

impl Drop for Reading {
    /// Waits: the memory that the card copies to must not be given to anybody else before.
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
    tensor.clone().try_into_primitive::<CubeBackend>().expect("it lies on a card")
}
