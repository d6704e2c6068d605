#!/usr/bin/env python3
"""Checks the oracle against PyTorch's own differentiation, in f64.

usage: oracle_torch.py DIR none|WINDOW

DIR is what `pattn workload --dump DIR` wrote: qkv, cos, sin, cu_seqlens, dout, out, lse and dqkv.
Exit status: 0 when all agree, 1 when not, 77 (skipped) without PyTorch.
"""
import pathlib
import sys

try:
    import numpy
    import torch
except ImportError as missing:
    print(f"skipped: {missing}; install python3-torch to run this")
    sys.exit(77)

HEAD_DIM = 64
# Of the largest value of a tensor; results are stored in f32 or in f64.
TOLERANCES = {"float32": 2.0**-23, "float64": 1e-12}


def rotate(x, cos, sin):
    """Turns the pairs (j, j + D/2) of x [heads, len, D] by the angles of its positions."""
    low, high = x.chunk(2, dim=-1)
    return torch.cat((low * cos - high * sin, low * sin + high * cos), dim=-1)


def attend(qkv, cos, sin, window):
    """One sequence: qkv [len, 3 * heads * D] to out [len, heads * D] and lse [heads, len]."""
    length = qkv.shape[0]
    q, k, v = qkv.view(length, 3, -1, HEAD_DIM).permute(1, 2, 0, 3)
    q = rotate(q, cos[:length], sin[:length]) * HEAD_DIM**-0.5
    k = rotate(k, cos[:length], sin[:length])
    scores = q @ k.transpose(1, 2)
    if window is not None:
        position = torch.arange(length)
        far = (position[:, None] - position[None, :]).abs() > window
        scores = scores.masked_fill(far, float("-inf"))
    out = torch.softmax(scores, dim=-1) @ v
    return out.transpose(0, 1).reshape(length, -1), torch.logsumexp(scores, dim=-1)


def main(folder, window):
    arrays = {
        name: numpy.load(pathlib.Path(folder) / f"{name}.npy")
        for name in ("qkv", "cos", "sin", "cu_seqlens", "dout", "out", "lse", "dqkv")
    }
    inputs = {
        name: torch.from_numpy(arrays[name].astype("float64"))
        for name in ("qkv", "cos", "sin", "dout")
    }
    qkv = inputs["qkv"].requires_grad_()
    cu = arrays["cu_seqlens"]
    parts = [
        attend(qkv[start:end], inputs["cos"], inputs["sin"], window)
        for start, end in zip(cu[:-1], cu[1:])
        if end > start
    ]
    out = torch.cat([part[0] for part in parts])
    lse = torch.cat([part[1] for part in parts], dim=1)
    out.backward(inputs["dout"])

    status = 0
    wanted = {"out": out.detach(), "lse": lse.detach(), "dqkv": qkv.grad}
    for name, want in wanted.items():
        got = torch.from_numpy(arrays[name].astype("float64"))
        if got.shape != want.shape:
            print(f"{name}: shape {tuple(got.shape)}, want {tuple(want.shape)}")
            return 1
        error = float((got - want).abs().max() / want.abs().max())
        right = error <= TOLERANCES[arrays[name].dtype.name]
        print(f"{name}: {error:.2e} {'ok' if right else 'WRONG'}")
        status |= not right
    return status


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1], None if sys.argv[2] == "none" else int(sys.argv[2])))
