"""The networks of `dagzero bench device` in PyTorch: what a careful user of PyTorch would run.

Playing: half precision, batch norm folded, channels-last memory, torch.compile with CUDA graphs. Learning:
bf16 autocast over 32-bit weights, AdamW fused, gradient clipped to norm 10, torch.compile. Each is compiled for its own shapes, as
if it were the first: else the second batch size is compiled for any, and the ninth network not at all.
"""

import time

import torch
import torch.nn.functional as F
from torch import nn

PLANES, POLICY_CHANNELS, VALUE_CHANNELS, VALUE_HIDDEN = 16, 16, 8, 64


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
    """Positions or rows a second, after three calls that compile and tune; and how long those took."""
    begin = time.perf_counter()
    for _ in range(3):
        step()
    synchronize(device)
    first = time.perf_counter() - begin
    begin, done = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        for _ in range(5):
            step()
        synchronize(device)
        done += 5 * batch
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


def play(size, batch, seconds, device, dtype, compiles):
    """Bits come from the host and logits go back to it at each call, as they must in self-play."""
    torch._dynamo.reset()
    net = network(size, False, device).to(dtype).eval()
    forward = torch.compile(net, mode="reduce-overhead", dynamic=False) if compiles else net
    on_host = planes(size, batch, "cpu", torch.uint8)
    if device == "cuda":
        on_host = on_host.pin_memory()

    @torch.inference_mode()
    def step():
        x = on_host.to(device, non_blocking=True).to(dtype, memory_format=torch.channels_last)
        policy, value = forward(x)
        return policy.float().cpu(), value.float().cpu()

    return rate(step, batch, seconds, device)


def learn(size, batch, seconds, device, dtype, compiles):
    """Autocast to `dtype`, or TF32 products where it is f32, which is what ours takes there. One set of rows that lies on the device: what ours sends at each step is on our side."""
    torch.set_float32_matmul_precision("high")
    torch._dynamo.reset()
    net = network(size, True, device).train()
    forward = torch.compile(net, dynamic=False) if compiles else net
    optimizer = torch.optim.AdamW(net.parameters(), 1e-4, fused=device == "cuda")
    x = planes(size, batch, device, torch.float32)
    moves = torch.arange(batch, device=device) % (size[0] * size[1] + 1)
    outcomes = torch.zeros(batch, dtype=torch.long, device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, dtype, enabled=dtype != torch.float32):
            policy, value = forward(x)
            loss = F.cross_entropy(policy.float(), moves) + F.cross_entropy(value.float(), outcomes)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        optimizer.step()

    return rate(step, batch, seconds, device)


def matrix_peak(device, dtype, side, seconds):
    """Multiplications and additions a second of one large matrix product: the peak that shares refer to."""
    a, b = (torch.randn(side, side, device=device).to(dtype) for _ in range(2))
    _, products = rate(lambda: a @ b, 1, seconds, device)
    return 2 * side**3 * products
