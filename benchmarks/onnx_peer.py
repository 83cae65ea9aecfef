"""A network of ours in ONNX Runtime: the peer of `dagzero bench infer`.

usage: onnx_peer.py NETWORK.dzn PLANES.f32 OUTPUTS.f32 THREADS

Builds the graph that crates/network-file/src/lib.rs writes down (without globals), evaluates the
planes once and writes the logits, so that the caller can compare them. Then answers each line `BATCH
SECONDS` with the seconds of the fastest call in that time. Needs onnx, onnxruntime and numpy; prints
`none` without them.
"""

import json
import struct
import sys
import time

try:
    import numpy as np
    import onnxruntime as ort
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("none")
    sys.exit()


def read_network(path):
    """The specification and the tensors of a network file, which is a safetensors file."""
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    entries = json.loads(data[8 : 8 + length])
    header = json.loads(entries.pop("__metadata__")["dagzero"])["header"]
    body = data[8 + length :]
    tensors = {}
    for name, entry in entries.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(body[begin:end], "<f4").reshape(entry["shape"])
    return header["spec"], tensors


def build(spec, tensors):
    """The ONNX model; the batch size is left open."""
    nodes = []
    constants = {
        "board": np.array([2, 3], "<i8"),
        "halves": np.array([spec["channels"]] * 2, "<i8"),
    }
    bottleneck_blocks, squeeze_ratio = (spec.get(k, 0) for k in ("bottleneck_blocks", "squeeze_ratio"))

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def conv(x, layer, side):
        weights = [f"{layer}.weight", f"{layer}.bias"]
        return node("Conv", [x, *weights], layer, kernel_shape=[side] * 2, pads=[side // 2] * 4)

    def relu(x):
        return node("Relu", [x], x + ".relu")

    def linear(x, layer, output):
        return node("Gemm", [x, f"{layer}.weight", f"{layer}.bias"], output, transB=1)

    def flat(x):
        return node("Flatten", [x], x + ".flat")

    def mean(x):
        return node("ReduceMean", [x], x + ".mean", axes=[2, 3], keepdims=0)

    def on_boards(op, x, channels):
        channels = node("Unsqueeze", [channels, "board"], channels + ".wide")
        return node(op, [x, channels], f"{channels}.{op}")

    def split(x, sizes, axis=1):
        parts = [f"{x}.{part}" for part in range(2)]
        nodes.append(helper.make_node("Split", [x, sizes], parts, axis=axis))
        return parts

    def pool(t, layer):
        shifted = tensors[f"{layer}.bias"].shape[0]
        pooled = tensors[f"{layer}.weight"].shape[1] // 2
        constants[layer] = np.array([pooled, shifted], "<i8")
        head, tail = split(t, layer)
        p = relu(head)
        top = node("ReduceMax", [p], p + ".max", axes=[2, 3], keepdims=0)
        pooled = node("Concat", [mean(p), top], layer + ".pooled", axis=1)
        tail = on_boards("Add", tail, linear(pooled, layer, layer + ".shift"))
        return node("Concat", [head, tail], layer + ".out", axis=1)

    def convolved(x, name):
        t = conv(x, f"{name}.conv1", 3)
        if f"{name}.pool.weight" in tensors:
            t = pool(t, f"{name}.pool")
        return conv(relu(t), f"{name}.conv2", 3)

    def squeeze(t, block):
        s = relu(linear(mean(t), f"{block}.squeeze", f"{block}.squeeze"))
        scale, shift = split(linear(s, f"{block}.excite", f"{block}.excite"), "halves")
        t = on_boards("Mul", t, node("Sigmoid", [scale], scale + ".sigmoid"))
        return on_boards("Add", t, shift)

    h = relu(conv("planes", "stem.conv", 3))
    for i in range(spec["blocks"]):
        block = f"blocks.{i}"
        if bottleneck_blocks:
            u = relu(conv(h, f"{block}.conv_down", 1))
            for j in range(bottleneck_blocks):
                t = convolved(u, f"{block}.inner.{j}")
                u = relu(node("Add", [t, u], f"{block}.inner.{j}.sum"))
            t = conv(u, f"{block}.conv_up", 1)
        else:
            t = convolved(h, block)
        if squeeze_ratio:
            t = squeeze(t, block)
        h = relu(node("Add", [t, h], f"{block}.sum"))
    linear(flat(relu(conv(h, "policy.conv", 1))), "policy.linear", "policy")
    value = flat(relu(conv(h, "value.conv", 1)))
    linear(relu(linear(value, "value.hidden", "value.hidden")), "value.output", "value")

    def info(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])

    graph = helper.make_graph(
        nodes,
        "network",
        [info("planes", spec["channels_in"], spec["height"], spec["width"])],
        [info("policy", spec["policy_len"]), info("value", 3)],
        [numpy_helper.from_array(data, name) for name, data in {**tensors, **constants}.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model.SerializeToString()


def main():
    network, planes, outputs, threads = sys.argv[1:]
    spec, tensors = read_network(network)
    options = ort.SessionOptions()
    options.intra_op_num_threads = int(threads)
    options.inter_op_num_threads = 1
    session = ort.InferenceSession(
        build(spec, tensors), options, providers=["CPUExecutionProvider"]
    )
    x = np.fromfile(planes, "<f4")
    x = x.reshape(-1, spec["channels_in"], spec["height"], spec["width"])
    np.concatenate([y.ravel() for y in session.run(None, {"planes": x})]).tofile(outputs)
    print("ready", flush=True)
    for line in sys.stdin:
        batch, seconds = int(line.split()[0]), float(line.split()[1])
        feed = {"planes": np.ascontiguousarray(x[:batch])}
        best, begin = float("inf"), time.perf_counter()
        while best == float("inf") or time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            session.run(None, feed)
            best = min(best, time.perf_counter() - start)
        print(best, flush=True)


main()
