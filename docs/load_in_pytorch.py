#!/usr/bin/env python3
"""Loads a network that `dagzero export network RUN --out FILE.safetensors` wrote, and compares what it says.

    python docs/load_in_pytorch.py FILE.safetensors [--numpy]

With PyTorch installed the network is a `torch.nn.Module`; without it, or with --numpy, the same is computed with
numpy, so that the check can be done anywhere. FILE.json, beside the weights, has positions with the answers that
DagZero gives. Ends with exit code 1 if an answer differs by more than 1e-4.

Letters: B positions of a batch, C channels of the tower, D those within bottlenecks, H rows, W columns, A places of
the policy, G globals.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


def read_safetensors(path):
    """The format by hand: 8 bytes of length, JSON, then the tensors' bytes (the package safetensors does it, too)."""
    data = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    entries = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in entries.items():
        if name == "__metadata__":
            continue
        assert entry["dtype"] == "F32", name
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])
    return tensors


class Shape:
    """What a description's specification says of layers; keys that it leaves out are 0."""

    def __init__(self, spec):
        self.channels = spec["channels"]
        self.bottlenecks = spec.get("bottleneck_blocks", 0)
        self.inner = max(1, self.channels // 2) if self.bottlenecks else self.channels
        self.pooled = max(1, self.inner // 4)
        ratio = spec.get("squeeze_ratio", 0)
        self.squeezed = max(1, self.channels // ratio) if ratio else 0
        self.pooling = spec["global_pooling"]
        self.any_size = spec.get("any_size", False)
        self.planes = spec.get("policy_planes", 0)
        points = spec["height"] * spec["width"]
        if self.any_size:
            self.policy = (spec["policy_channels"], 1 + spec["policy_len"] - points)
            self.value_inputs = spec["value_channels"]
        else:
            by_point = (spec["policy_channels"], self.planes)
            self.policy = by_point if self.planes else (spec["policy_channels"] * points, spec["policy_len"])
            self.value_inputs = spec["value_channels"] * points

    def pools(self, block, residual):
        """Whether a block's residual block of this number, 0 outside of bottlenecks, has global pooling."""
        return self.pooling and block % 2 == 1 and residual == 0


if torch is not None:

    class Residual(nn.Module):
        """Two 3x3 convolutions, with global pooling between them or without; its input is added by its caller."""

        def __init__(self, channels, pooled):
            super().__init__()
            self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
            self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
            self.pooled = pooled
            if pooled:
                self.pool = nn.Linear(2 * pooled, channels - pooled)

        def forward(self, x):
            t = self.conv1(x)
            if self.pooled:
                p = F.relu(t[:, : self.pooled])
                s = torch.cat([p.mean((2, 3)), p.amax((2, 3))], 1)
                bias = self.pool(s)[:, :, None, None]
                t = torch.cat([t[:, : self.pooled], t[:, self.pooled :] + bias], 1)
            return self.conv2(F.relu(t))

    class Block(nn.Module):
        """A block of the tower: a residual block, or several in a bottleneck; squeeze-excitation; its input added."""

        def __init__(self, shape, number):
            super().__init__()
            pooled = [shape.pooled if shape.pools(number, j) else 0 for j in range(max(1, shape.bottlenecks))]
            if shape.bottlenecks:
                self.conv_down = nn.Conv2d(shape.channels, shape.inner, 1)
                self.inner = nn.ModuleList(Residual(shape.inner, p) for p in pooled)
                self.conv_up = nn.Conv2d(shape.inner, shape.channels, 1)
            else:
                self.residual = Residual(shape.channels, pooled[0])
            self.bottlenecks, self.squeezed = shape.bottlenecks, shape.squeezed
            if shape.squeezed:
                self.squeeze = nn.Linear(shape.channels, shape.squeezed)
                self.excite = nn.Linear(shape.squeezed, 2 * shape.channels)

        def forward(self, h):
            if self.bottlenecks:
                u = F.relu(self.conv_down(h))
                for residual in self.inner:
                    u = F.relu(residual(u) + u)
                t = self.conv_up(u)
            else:
                t = self.residual(h)
            if self.squeezed:
                s = F.relu(self.squeeze(t.mean((2, 3))))
                scale, shift = self.excite(s)[:, :, None, None].chunk(2, 1)
                t = torch.sigmoid(scale) * t + shift
            return F.relu(t + h)

    class Network(nn.Module):
        """The network of a description; `forward(x, g)` gives policy logits [B, A] and value logits [B, 3]."""

        def __init__(self, spec):
            super().__init__()
            shape = Shape(spec)
            c, self.any_size, self.planes = shape.channels, shape.any_size, shape.planes
            self.stem_conv = nn.Conv2d(spec["channels_in"], c, 3, padding=1)
            self.stem_globals = nn.Linear(spec["globals"], c, bias=False) if spec["globals"] else None
            self.blocks = nn.ModuleList(Block(shape, i) for i in range(spec["blocks"]))
            self.policy_conv = nn.Conv2d(c, spec["policy_channels"], 1)
            self.policy_linear = nn.Linear(*shape.policy)
            self.value_conv = nn.Conv2d(c, spec["value_channels"], 1)
            self.value_hidden = nn.Linear(shape.value_inputs, spec["value_hidden"])
            self.value_output = nn.Linear(spec["value_hidden"], 3)
            if "ownership" in spec.get("heads", []):
                self.ownership_points = nn.Linear(c, 3)

        def load(self, tensors):
            """Takes the weights by their names in the file."""
            state = {}
            for name, value in tensors.items():
                parts = name.split(".")
                if parts[0] != "blocks":
                    name = f"{parts[0]}_{parts[1]}.{parts[2]}"
                elif parts[2] in ("conv1", "conv2", "pool"):
                    name = ".".join([*parts[:2], "residual", *parts[2:]])
                state[name] = torch.from_numpy(value.copy())
            self.load_state_dict(state)
            return self.eval()

        def forward(self, x, g):
            h = self.stem_conv(x)
            if self.stem_globals is not None:
                h = h + self.stem_globals(g)[:, :, None, None]
            h = F.relu(h)
            for block in self.blocks:
                h = block(h)
            policy, value = F.relu(self.policy_conv(h)), F.relu(self.value_conv(h))
            if self.any_size:
                t = self.policy_linear(policy.permute(0, 2, 3, 1))
                policy = torch.cat([t[..., 0].flatten(1), t[..., 1:].mean((1, 2))], 1)
                value = value.mean((2, 3))
            elif self.planes:
                t = self.policy_linear(policy.permute(0, 2, 3, 1))
                policy, value = t.permute(0, 3, 1, 2).flatten(1), value.flatten(1)
            else:
                policy, value = self.policy_linear(policy.flatten(1)), value.flatten(1)
            return policy, self.value_output(F.relu(self.value_hidden(value)))


def with_torch(spec, tensors, x, g):
    with torch.no_grad():
        policy, value = Network(spec).load(tensors)(torch.from_numpy(x), torch.from_numpy(g))
    return policy.numpy(), value.numpy()


def with_numpy(spec, tensors, x, g):
    """The same in plain numpy."""
    shape = Shape(spec)

    def conv(x, layer):
        weight, bias = tensors[f"{layer}.weight"], tensors[f"{layer}.bias"]
        k = weight.shape[2]
        border = k // 2
        padded = np.pad(x, ((0, 0), (0, 0), (border, border), (border, border)))
        rows, columns = x.shape[2:]
        out = np.zeros((x.shape[0], weight.shape[0], rows, columns), np.float32)
        for dy in range(k):
            for dx in range(k):
                window = padded[:, :, dy : dy + rows, dx : dx + columns]
                out += np.einsum("oc,bchw->bohw", weight[:, :, dy, dx], window)
        return out + bias[None, :, None, None]

    def linear(x, layer):
        return x @ tensors[f"{layer}.weight"].T + tensors[f"{layer}.bias"]

    def relu(x):
        return np.maximum(x, 0)

    def convolved(x, name, pools):
        t = conv(x, f"{name}.conv1")
        if pools:
            p = relu(t[:, : shape.pooled])
            s = np.concatenate([p.mean((2, 3)), p.max((2, 3))], 1)
            t[:, shape.pooled :] += linear(s, f"{name}.pool")[:, :, None, None]
        return conv(relu(t), f"{name}.conv2")

    def branch(i, h):
        if not shape.bottlenecks:
            return convolved(h, f"blocks.{i}", shape.pools(i, 0))
        u = relu(conv(h, f"blocks.{i}.conv_down"))
        for j in range(shape.bottlenecks):
            u = relu(convolved(u, f"blocks.{i}.inner.{j}", shape.pools(i, j)) + u)
        return conv(u, f"blocks.{i}.conv_up")

    def squeezed(i, t):
        s = relu(linear(t.mean((2, 3)), f"blocks.{i}.squeeze"))
        scale, shift = np.split(linear(s, f"blocks.{i}.excite")[:, :, None, None], 2, axis=1)
        return t / (1 + np.exp(-scale)) + shift

    h = conv(x, "stem.conv")
    if spec["globals"]:
        h = h + (g @ tensors["stem.globals.weight"].T)[:, :, None, None]
    h = relu(h)
    for i in range(spec["blocks"]):
        t = branch(i, h)
        h = relu((squeezed(i, t) if shape.squeezed else t) + h)
    flat = lambda x: x.reshape(len(x), -1)
    policy, value = relu(conv(h, "policy.conv")), relu(conv(h, "value.conv"))
    if shape.any_size:
        t = linear(policy.transpose(0, 2, 3, 1), "policy.linear")
        policy = np.concatenate([flat(t[..., 0]), t[..., 1:].mean((1, 2))], 1)
        value = value.mean((2, 3))
    elif shape.planes:
        t = linear(policy.transpose(0, 2, 3, 1), "policy.linear")
        policy, value = flat(t.transpose(0, 3, 1, 2)), flat(value)
    else:
        policy, value = linear(flat(policy), "policy.linear"), flat(value)
    return policy, linear(relu(linear(value, "value.hidden")), "value.output")


def main():
    names = [argument for argument in sys.argv[1:] if argument != "--numpy"]
    if len(names) != 1:
        sys.exit(__doc__)
    path = Path(names[0])
    description = json.loads(path.with_suffix(".json").read_text())
    spec, examples = description["header"]["spec"], description["examples"]
    tensors = read_safetensors(path)
    assert {name: list(t.shape) for name, t in tensors.items()} == description["tensors"]
    shape = (len(examples), spec["channels_in"], spec["height"], spec["width"])
    x = np.array([example["planes"] for example in examples], np.float32).reshape(shape)
    g = np.array([example["globals"] for example in examples], np.float32).reshape(len(examples), spec["globals"])
    by_hand = torch is None or "--numpy" in sys.argv
    name, run = ("numpy", with_numpy) if by_hand else (f"PyTorch {torch.__version__}", with_torch)
    policy, value = run(spec, tensors, x, g)
    worst = 0.0
    for key, ours in (("policy_logits", policy), ("wdl_logits", value)):
        theirs = np.array([example[key] for example in examples], np.float32)
        worst = max(worst, float(np.abs(ours - theirs).max()))
    parameters = sum(t.size for t in tensors.values())
    print(f"{spec['game']}: {parameters} parameters, {len(examples)} positions, by {name}: largest difference {worst:.2e}")
    sys.exit(0 if worst <= 1e-4 else 1)


if __name__ == "__main__":
    main()
