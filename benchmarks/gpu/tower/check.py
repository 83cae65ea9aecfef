#!/usr/bin/env python3
"""The whole-tower kernel on a card: its answers beside PyTorch's, then its time at a few batches.

    python3 benchmarks/gpu/tower/check.py --out tower.json [--cubin tower.cubin] [--registers 112]

Needs PyTorch, CuPy and, without --cubin, nvcc. Nothing of the engine calls this kernel yet: the figures
say whether it is worth it. Rows are written as they are known, in the form of bench.py.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

import cupy
import torch
import torch.nn.functional as F

HEIGHT, WIDTH, CHANNELS, BLOCKS, PLANES = 9, 9, 96, 6, 16
AREA, POSITIONS_OF_A_BLOCK, STAGES, GROUPS = 81, 3, 5, 4
POLICY_CHANNELS, VALUE_CHANNELS = 16, 8
BATCHES = [64, 396, 1024, 1188, 4096, 4752]
HERE = Path(__file__).parent


def shared_memory_bytes():
    pitch = CHANNELS * 2 + 16
    ring = STAGES * CHANNELS * CHANNELS * 2
    return ring + 2 * (AREA * POSITIONS_OF_A_BLOCK + 1) * pitch + 16 * STAGES


def as_the_ring_takes_them(weight):
    """Weights [N, K] of one tap as wgmma's descriptor walks them, per 16 inputs: [K/16][2][N/8][8 of N][8 of K]."""
    n, k = weight.shape
    return weight.reshape(n // 8, 8, k // 16, 2, 8).permute(2, 3, 0, 1, 4).reshape(-1)


def random_layers(device):
    generator = torch.Generator().manual_seed(1)

    def layer(outputs, inputs, side):
        scale = (2 / (inputs * side * side)) ** 0.5
        weight = torch.randn(outputs, inputs, side, side, generator=generator) * scale
        bias = torch.randn(outputs, generator=generator) * 0.1
        return weight.half().to(device), bias.to(device)

    stem = layer(CHANNELS, PLANES, 3)
    tower = [layer(CHANNELS, CHANNELS, 3) for _ in range(2 * BLOCKS)]
    heads = layer(POLICY_CHANNELS + VALUE_CHANNELS, CHANNELS, 1)
    return [stem, *tower, heads]


def packed(layers):
    pieces = []
    for weight, _ in layers:
        for row in range(weight.shape[2]):
            for column in range(weight.shape[3]):
                pieces.append(as_the_ring_takes_them(weight[:, :, row, column]))
    weights = torch.cat(pieces).contiguous()
    bias = torch.cat([bias for _, bias in layers]).float().contiguous()
    return weights, bias


def bits_of(planes):
    """Planes [B, C, H, W] of zeros and ones as bytes [B, ceil(C * H * W / 8)], lowest bit first."""
    flat = planes.flatten(1).to(torch.uint8)
    flat = F.pad(flat, (0, -flat.shape[1] % 8)).reshape(len(planes), -1, 8)
    shifts = torch.arange(8, device=planes.device)
    return (flat.int() << shifts).sum(2).to(torch.uint8).contiguous()


def reference(layers, planes, dtype):
    """Policy and value channels [B, points, channels]; `dtype` float16 rounds where the kernel rounds."""
    def convolve(x, layer):
        weight, bias = layer
        # Products of halves are summed in 32 bits by both; the reference sums in 64.
        return F.conv2d(x.double(), weight.double(), bias.double(), padding=weight.shape[2] // 2)

    rounded = lambda x: F.relu(x).to(dtype)
    stem, *tower, heads = layers
    x = rounded(convolve(planes, stem))
    for first, second in zip(tower[::2], tower[1::2]):
        inner = rounded(convolve(x, first))
        x = rounded(convolve(inner, second) + x.double())
    out = rounded(convolve(x, heads)).flatten(2).transpose(1, 2)
    return out[..., :POLICY_CHANNELS], out[..., POLICY_CHANNELS:]


def load(args):
    path = args.cubin
    if not path:
        path = str(Path(tempfile.mkdtemp()) / "tower.cubin")
        target = "-gencode=arch=compute_90a,code=sm_90a"
        command = ["nvcc", target, "-cubin", f"-DREGISTERS={args.registers}", "-o", path]
        subprocess.run([*command, str(HERE / "tower.cu")], check=True, timeout=60)
    kernel = cupy.RawModule(path=path).get_function("tower")
    kernel.max_dynamic_shared_size_bytes = shared_memory_bytes()
    return kernel


def launcher(kernel, weights, bias, bits):
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    batch = len(bits)
    policy = torch.full((batch, AREA, POLICY_CHANNELS), float("nan"), dtype=torch.half, device="cuda")
    value = torch.full((batch, AREA, VALUE_CHANNELS), float("nan"), dtype=torch.half, device="cuda")
    pointers = [cupy.uint64(tensor.data_ptr()) for tensor in (bits, weights, bias, policy, value)]
    arguments = (*pointers, cupy.int32(batch))
    grid = (min(blocks, -(-batch // POSITIONS_OF_A_BLOCK)),)

    def launch():
        stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
        with stream:
            threads = ((GROUPS + 1) * 128,)
            kernel(grid, threads, arguments, shared_mem=shared_memory_bytes())
        return policy, value

    return launch


def random_bits(batch):
    planes = (torch.rand(batch, PLANES, HEIGHT, WIDTH, device="cuda") < 0.25).half()
    return planes, bits_of(planes)


def seconds_of(launch):
    """Median over 30 launches, timed by the card's events."""
    times = []
    for index in range(40):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        launch()
        end.record()
        torch.cuda.synchronize()
        if index >= 10:
            times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--out", default="tower.json")
    parser.add_argument("--cubin")
    parser.add_argument("--registers", type=int, default=112)
    args = parser.parse_args()
    rows = []

    def add(**row):
        rows.append({"who": "dagzero", **row})
        print(rows[-1], flush=True)
        Path(args.out).write_text(json.dumps(rows, indent=1) + "\n")

    kernel, layers = load(args), random_layers("cuda")
    weights, bias = packed(layers)
    for batch in (1, 3, 64, 1000):
        planes, bits = random_bits(batch)
        found = launcher(kernel, weights, bias, bits)()
        torch.cuda.synchronize()
        wanted = reference(layers, planes, torch.float16)
        for name, one, other in zip(("policy", "value"), found, wanted):
            error = ((one.double() - other.double()).norm() / other.double().norm()).item()
            add(what=f"whole tower, batch {batch}, {name}: relative error", value=error, unit="")
    operations = 2 * AREA * sum(weight.numel() for weight, _ in layers)
    for batch in BATCHES:
        _, bits = random_bits(batch)
        seconds = seconds_of(launcher(kernel, weights, bias, bits))
        add(
            what=f"whole tower, batch {batch}",
            value=batch / seconds,
            unit="positions/s",
            tflops=batch * operations / seconds / 1e12,
            microseconds=1e6 * seconds,
        )


if __name__ == "__main__":
    main()
