"""Checks a dumped workload against attention written down in NumPy: DIR HEADS WINDOW."""
import sys
import numpy as np

folder, heads, window = sys.argv[1], int(sys.argv[2]), sys.argv[3]
names = ["qkv", "cos", "sin", "cu_seqlens", "dout", "out", "lse", "dqkv"]
t = {name: np.load(f"{folder}/{name}.npy") for name in names}
for name in names:
    print(name, t[name].dtype, t[name].shape)

D = 64


def rotate(x, sign):
    """Rows of one sequence, [n, D], by their positions."""
    n = len(x)
    c, s = t["cos"][:n].astype(float), sign * t["sin"][:n].astype(float)
    a, b = x[:, : D // 2], x[:, D // 2 :]
    return np.hstack([a * c - b * s, a * s + b * c])


def near(name, got, want):
    error = np.abs(got - want).max() / np.abs(want).max()
    if not error <= 1e-6:
        sys.exit(f"{name} is off by {error}")


out, lse, dqkv = (np.zeros(t[name].shape) for name in ("out", "lse", "dqkv"))
cu = t["cu_seqlens"]
for lo, hi in zip(cu[:-1], cu[1:]):
    n = hi - lo
    seen = np.ones((n, n), bool)
    if window != "none":
        i = np.arange(n)
        seen = np.abs(i[:, None] - i[None, :]) <= int(window)
    for h in range(heads if n else 0):
        col = [slice((part * heads + h) * D, (part * heads + h + 1) * D) for part in range(3)]
        q, k, v = (t["qkv"][lo:hi, c].astype(float) for c in col)
        do = t["dout"][lo:hi, h * D : (h + 1) * D].astype(float)
        q, k = rotate(q, 1) / np.sqrt(D), rotate(k, 1)
        s = np.where(seen, q @ k.T, -np.inf)
        m = s.max(1, keepdims=True)
        p = np.exp(s - m)
        total = p.sum(1, keepdims=True)
        p /= total
        o = p @ v
        out[lo:hi, h * D : (h + 1) * D] = o
        lse[h, lo:hi] = (m + np.log(total))[:, 0]
        ds = p * (do @ v.T - (do * o).sum(1, keepdims=True))
        dqkv[lo:hi, col[0]] = rotate(ds @ k, -1) / np.sqrt(D)
        dqkv[lo:hi, col[1]] = rotate(ds.T @ q, -1)
        dqkv[lo:hi, col[2]] = p.T @ do
near("out", t["out"], out)
near("lse", t["lse"], lse)
near("dqkv", t["dqkv"], dqkv)
print("the oracle agrees")
