"""The networks of `dagzero bench device` in PyTorch, in each way that a careful user would try.

Playing uses half precision, folded batch norm, channels-last memory and cudnn.benchmark:
- `forward only`: inputs and answers stay on the card. This bounds every other way.
- `one at a time`: bits come from the host, and logits go back to it before the next batch.
- `double-buffered`: two batches are under way on two streams, with copies to and from pinned memory.
Each runs eager and through torch.compile, and on a card as one CUDA graph a batch.

Learning uses autocast over 32-bit weights, fused AdamW and gradients clipped to norm 10. It runs eager
and through torch.compile, and on a card also as one CUDA graph a step.

Compilation is reset before each shape. Otherwise the second batch size is compiled for any size, and
the ninth network not at all.

The program reads one request of JSON a line, `{"work": "play", "size": [9, 9, 6, 96], ...}`, and
answers with rows of JSON and `end`.
"""

import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

PLANES, POLICY_CHANNELS, VALUE_CHANNELS, VALUE_HIDDEN = 16, 16, 8, 64
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}


def conv(inputs, outputs, side, learns):
    """A convolution with batch norm while it learns, with a bias once that is folded."""
    layer = nn.Conv2d(inputs, outputs, side, padding=side // 2, bias=not learns)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs)) if learns else layer


class Network(nn.Module):
    """crates/network-file/src/lib.rs writes the same network down."""

    def __init__(self, height, width, blocks, channels, learns):
        super().__init__()
        area, moves = height * width, height * width + 1
        self.stem = conv(PLANES, channels, 3, learns)
        pairs = [[conv(channels, channels, 3, learns) for _ in range(2)] for _ in range(blocks)]
        self.blocks = nn.ModuleList(nn.ModuleList(pair) for pair in pairs)
        self.policy_conv = conv(channels, POLICY_CHANNELS, 1, learns)
        self.policy = nn.Linear(POLICY_CHANNELS * area, moves)
        self.value_conv = conv(channels, VALUE_CHANNELS, 1, learns)
        self.value_hidden = nn.Linear(VALUE_CHANNELS * area, VALUE_HIDDEN)
        self.value = nn.Linear(VALUE_HIDDEN, 3)

    def forward(self, x):
        h = F.relu(self.stem(x))
        for first, second in self.blocks:
            h = F.relu(h + second(F.relu(first(h))))
        policy = self.policy(F.relu(self.policy_conv(h)).flatten(1))
        value = F.relu(self.value_hidden(F.relu(self.value_conv(h)).flatten(1)))
        return policy, self.value(value)


def rate(step, batch, seconds, device):
    """Returns seconds of three calls that compile and tune, and positions or rows a second after."""
    begin = time.perf_counter()
    for _ in range(3):
        step()
    synchronize(device)
    first = time.perf_counter() - begin
    begin, done = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        for _ in range(20):
            step()
        done += 20 * batch
        # Batches that are only queued must not count.
        synchronize(device)
    return first, done / (time.perf_counter() - begin)


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def network(size, learns, device):
    torch.manual_seed(1)
    return Network(*size, learns).to(device, memory_format=torch.channels_last)


def planes(size, batch, device, dtype):
    x = (torch.rand(batch, PLANES, *size[:2], device=device) < 0.25).to(dtype)
    return x.contiguous(memory_format=torch.channels_last)


def captured(work, stream=None):
    """Returns `work` as one CUDA graph. It runs three times before, to compile and tune."""
    stream = stream or torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        work()
    return graph


class Slot:
    """A batch under way on a card: copy from pinned memory, network, copy to pinned memory."""

    def __init__(self, forward, size, batch, dtype):
        self.stream = torch.cuda.Stream()
        self.done = torch.cuda.Event()
        host = planes(size, batch, "cpu", torch.uint8).pin_memory()
        there = torch.empty_like(host, device="cuda")
        policy = torch.empty(batch, size[0] * size[1] + 1).pin_memory()
        value = torch.empty(batch, 3).pin_memory()

        def work():
            there.copy_(host, non_blocking=True)
            logits = forward(there.to(dtype, memory_format=torch.channels_last))
            policy.copy_(logits[0].float(), non_blocking=True)
            value.copy_(logits[1].float(), non_blocking=True)

        self.graph = captured(work, self.stream)

    def start(self):
        with torch.cuda.stream(self.stream):
            self.graph.replay()
            self.done.record(self.stream)

    def finish(self):
        self.done.synchronize()


def play(size, batch, seconds, device, dtype, compiles):
    """Yields (way, seconds until it ran, positions a second)."""
    torch.backends.cudnn.benchmark = True
    net = network(size, False, device).to(dtype).eval()
    ways = [("eager", net)]
    if compiles:
        torch._dynamo.reset()
        ways.append(("compiled", torch.compile(net, dynamic=False)))
    on_host = planes(size, batch, "cpu", torch.uint8)
    with torch.inference_mode():
        for way, forward in ways:
            x = on_host.to(device).to(dtype, memory_format=torch.channels_last)
            if device != "cuda":
                step = lambda: forward(on_host.to(dtype, memory_format=torch.channels_last))
                yield f"one at a time, {way}", *rate(step, batch, seconds, device)
                continue
            graph = captured(lambda: forward(x))
            yield f"forward only, {way}, graph", *rate(graph.replay, batch, seconds, device)
            slots = [Slot(forward, size, batch, dtype) for _ in range(2)]

            def one():
                slots[0].start()
                slots[0].finish()

            yield f"one at a time, {way}, graph", *rate(one, batch, seconds, device)

            def both():
                for slot in slots:
                    slot.finish()
                    slot.start()

            first, twice = rate(both, batch, seconds, device)
            yield f"double-buffered, {way}, graph", first, 2 * twice


def learn(size, batch, seconds, device, dtype, compiles):
    """Yields (way, seconds until it ran, rows a second). Products of f32 use TF32, as ours do.

    The rows stay on the device. Ours sends its rows at each step, which favours PyTorch.
    """
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    torch._dynamo.reset()
    x = planes(size, batch, device, torch.float32)
    moves = torch.arange(batch, device=device) % (size[0] * size[1] + 1)
    outcomes = torch.zeros(batch, dtype=torch.long, device=device)
    cuda = device == "cuda"

    def steps(compiled):
        net = network(size, True, device).train()
        forward = torch.compile(net, dynamic=False) if compiled else net
        optimizer = torch.optim.AdamW(net.parameters(), 1e-4, fused=cuda, capturable=cuda)

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(device, dtype, enabled=dtype != torch.float32):
                policy, value = forward(x)
                loss = F.cross_entropy(policy.float(), moves) + F.cross_entropy(value.float(), outcomes)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 10.0)
            optimizer.step()

        return step

    for way in ["eager", "compiled"] if compiles else ["eager"]:
        step = steps(way == "compiled")
        yield way, *rate(step, batch, seconds, device)
        if cuda:
            graph = captured(steps(way == "compiled"))
            yield f"{way}, graph", *rate(graph.replay, batch, seconds, device)


def matrix_peak(device, dtype, side, seconds):
    """Multiplications and additions a second of one large matrix product: the peak that shares refer to."""
    a, b = (torch.randn(side, side, device=device).to(dtype) for _ in range(2))
    _, products = rate(lambda: a @ b, 1, seconds, device)
    return 2 * side**3 * products


def answer(request):
    """Yields the rows that answer a request."""
    device, seconds = request["device"], request["seconds"]
    if request["work"] == "peak":
        side = request["side"]
        peak = matrix_peak(device, torch.bfloat16, side, seconds)
        yield {"way": f"matrix product of {side}, bf16", "rate": peak}
        return
    work = {"play": play, "learn": learn}[request["work"]]
    dtype, size = DTYPES[request["dtype"]], request["size"]
    rows = work(size, request["batch"], seconds, device, dtype, request["compile"])
    for way, first, found in rows:
        yield {"way": way, "first": first, "rate": found}


def main():
    print(json.dumps({"torch": torch.__version__}), flush=True)
    for line in sys.stdin:
        try:
            for row in answer(json.loads(line)):
                print(json.dumps(row), flush=True)
        except Exception as error:  # the next request may work
            print(json.dumps({"error": repr(error)[:500]}), flush=True)
        print("end", flush=True)


if __name__ == "__main__":
    main()
