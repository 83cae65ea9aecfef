"""A network of ours in ONNX Runtime: the peer of `dagzero bench infer`.

usage: onnx_peer.py NETWORK.onnx PLANES.f32 OUTPUTS.f32 THREADS

Evaluates the planes once with the model that `dagzero export --onnx` writes, and writes the logits,
so that the caller can compare them. Then answers each line `BATCH SECONDS` with the seconds of the
fastest call in that time. Needs onnxruntime and numpy; prints `none` without them.
"""

import sys
import time

try:
    import numpy as np
    import onnxruntime as ort
except ImportError:
    print("none")
    sys.exit()

LOGITS = ["policy_logits", "wdl_logits"]


def main():
    network, planes, outputs, threads = sys.argv[1:]
    options = ort.SessionOptions()
    options.intra_op_num_threads = int(threads)
    options.inter_op_num_threads = 1
    session = ort.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    shape = session.get_inputs()[0].shape
    x = np.fromfile(planes, "<f4").reshape(-1, *shape[1:])
    np.concatenate([y.ravel() for y in session.run(LOGITS, {"planes": x})]).tofile(outputs)
    print("ready", flush=True)
    for line in sys.stdin:
        batch, seconds = int(line.split()[0]), float(line.split()[1])
        feed = {"planes": np.ascontiguousarray(x[:batch])}
        best, begin = float("inf"), time.perf_counter()
        while best == float("inf") or time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            session.run(LOGITS, feed)
            best = min(best, time.perf_counter() - start)
        print(best, flush=True)


main()
