#!/usr/bin/env python3
"""Loads a network that `dagzero export network RUN --out FILE.safetensors` wrote, and compares what it says.

    python docs/load_in_pytorch.py FILE.safetensors

With PyTorch installed the network is a `torch.nn.Module`; without it the same is computed with numpy, so that
the check can be done anywhere. FILE.json, beside the weights, has positions with the answers that DagZero gives.
Ends with exit code 1 if an answer differs by more than 1e-4.
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


if torch is not None:

    class Network(nn.Module):
        """The network of a description; `forward(x, g)` gives policy logits [B, A] and value logits [B, 3]."""

        def __init__(self, spec):
            super().__init__()
            c, points = spec["channels"], spec["height"] * spec["width"]
            self.pooled = max(1, c // 4)
            self.stem_conv = nn.Conv2d(spec["channels_in"], c, 3, padding=1)
            self.stem_globals = nn.Linear(spec["globals"], c, bias=False) if spec["globals"] else None
            self.conv1 = nn.ModuleList(nn.Conv2d(c, c, 3, padding=1) for _ in range(spec["blocks"]))
            self.conv2 = nn.ModuleList(nn.Conv2d(c, c, 3, padding=1) for _ in range(spec["blocks"]))
            pools = {
                str(i): nn.Linear(2 * self.pooled, c - self.pooled)
                for i in range(spec["blocks"])
                if spec["global_pooling"] and i % 2 == 1
            }
            self.pool = nn.ModuleDict(pools)
            self.policy_conv = nn.Conv2d(c, spec["policy_channels"], 1)
            self.policy_linear = nn.Linear(spec["policy_channels"] * points, spec["policy_len"])
            self.value_conv = nn.Conv2d(c, spec["value_channels"], 1)
            self.value_hidden = nn.Linear(spec["value_channels"] * points, spec["value_hidden"])
            self.value_output = nn.Linear(spec["value_hidden"], 3)

        def load(self, tensors):
            """Takes the weights by their names in the file."""
            state = {}
            for name, value in tensors.items():
                parts = name.split(".")
                if parts[0] == "blocks":
                    key = f"{parts[2]}.{parts[1]}.{parts[3]}"
                else:
                    key = f"{parts[0]}_{parts[1]}.{parts[2]}"
                state[key] = torch.from_numpy(value.copy())
            self.load_state_dict(state)
            return self.eval()

        def forward(self, x, g):
            h = self.stem_conv(x)
            if self.stem_globals is not None:
                h = h + self.stem_globals(g)[:, :, None, None]
            h = F.relu(h)
            for i, (conv1, conv2) in enumerate(zip(self.conv1, self.conv2)):
                t = conv1(h)
                if str(i) in self.pool:
                    p = F.relu(t[:, : self.pooled])
                    s = torch.cat([p.mean((2, 3)), p.amax((2, 3))], 1)
                    bias = self.pool[str(i)](s)[:, :, None, None]
                    t = torch.cat([t[:, : self.pooled], t[:, self.pooled :] + bias], 1)
                h = F.relu(conv2(F.relu(t)) + h)
            policy = self.policy_linear(F.relu(self.policy_conv(h)).flatten(1))
            hidden = F.relu(self.value_hidden(F.relu(self.value_conv(h)).flatten(1)))
            return policy, self.value_output(hidden)


def with_torch(spec, tensors, x, g):
    with torch.no_grad():
        policy, value = Network(spec).load(tensors)(torch.from_numpy(x), torch.from_numpy(g))
    return policy.numpy(), value.numpy()


def with_numpy(spec, tensors, x, g):
    """The same in plain numpy."""

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

    h = conv(x, "stem.conv")
    if spec["globals"]:
        h = h + (g @ tensors["stem.globals.weight"].T)[:, :, None, None]
    h = relu(h)
    pooled = max(1, spec["channels"] // 4)
    for i in range(spec["blocks"]):
        t = conv(h, f"blocks.{i}.conv1")
        if spec["global_pooling"] and i % 2 == 1:
            p = relu(t[:, :pooled])
            s = np.concatenate([p.mean((2, 3)), p.max((2, 3))], 1)
            t[:, pooled:] += linear(s, f"blocks.{i}.pool")[:, :, None, None]
        h = relu(conv(relu(t), f"blocks.{i}.conv2") + h)
    flat = lambda x: x.reshape(len(x), -1)
    policy = linear(flat(relu(conv(h, "policy.conv"))), "policy.linear")
    hidden = relu(linear(flat(relu(conv(h, "value.conv"))), "value.hidden"))
    return policy, linear(hidden, "value.output")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = Path(sys.argv[1])
    description = json.loads(path.with_suffix(".json").read_text())
    spec, examples = description["header"]["spec"], description["examples"]
    tensors = read_safetensors(path)
    assert {name: list(t.shape) for name, t in tensors.items()} == description["tensors"]
    shape = (len(examples), spec["channels_in"], spec["height"], spec["width"])
    x = np.array([example["planes"] for example in examples], np.float32).reshape(shape)
    g = np.array([example["globals"] for example in examples], np.float32).reshape(len(examples), spec["globals"])
    name, run = ("numpy", with_numpy) if torch is None else (f"PyTorch {torch.__version__}", with_torch)
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
