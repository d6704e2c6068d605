#!/usr/bin/env python3
"""Times PyTorch's attention on dumped workloads and writes a pattn-report/1.

A CASE is DTYPE:WINDOW:DIR: what `pattn workload --dtype DTYPE --window WINDOW --dump DIR` wrote.
All cases of one run have the same sequences. Exit status: 0 when every peer that ran was right, 1
when one was wrong, 2 for a command line or a dump that makes no sense, 77 without PyTorch.
"""
import argparse
import json
import os
import pathlib
import platform
import random
import sys
import time

try:
    import numpy
    import torch
    from torch.nn.functional import scaled_dot_product_attention
except ImportError as missing:
    print(f"skipped: {missing}; install PyTorch 2.5 or later to time it", file=sys.stderr)
    sys.exit(77)

HEAD_DIM = 64
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
# As in oracle/ceilings.def.
CEILINGS = {
    "out": {"f32": 1e-5, "bf16": 2e-2, "f16": 1e-2},
    "gradient": {"f32": 1e-5, "bf16": 3e-2, "f16": 2e-2},
}
# Forward and backward work: 4 * D flops a pair and head, and 2.5 times that.
FLOPS = {"forward": 1, "backward": 2.5, "forward+backward": 3.5}
WARMUP_LAUNCHES, WARMUP_SECONDS = 3, 0.02


class Unsupported(Exception):
    """Why a peer does not do a case at all."""


class Case:
    """One dump on the device: the inputs in their type, and what the oracle made of them."""

    def __init__(self, text, device):
        try:
            self.dtype, window, folder = text.split(":", 2)
            self.window = None if window == "none" else int(window)
            arrays = {
                name: numpy.load(pathlib.Path(folder) / f"{name}.npy")
                for name in ("qkv", "cos", "sin", "cu_seqlens", "dout", "out", "lse", "dqkv")
            }
            self.type = DTYPES[self.dtype]
        except (ValueError, KeyError, OSError) as error:
            sys.exit(usage(f"'{text}' is no DTYPE:WINDOW:DIR of a dump: {error}"))
        self.device = device
        self.cu = [int(token) for token in arrays["cu_seqlens"]]
        self.lens = [end - start for start, end in zip(self.cu, self.cu[1:])]
        self.heads = arrays["lse"].shape[0]
        self.tokens, self.longest = self.cu[-1], max(self.lens)
        if not self.tokens:
            sys.exit(usage(f"'{folder}' has no token"))
        # Empty sequences write nothing, and some peers take none.
        self.spans = [(a, b) for a, b in zip(self.cu, self.cu[1:]) if a < b]
        self.wanted = {"out": arrays["out"], "dqkv": arrays["dqkv"]}
        self.qkv = self.typed(arrays["qkv"], folder).view(-1, 3, self.heads, HEAD_DIM)
        self.qkv.requires_grad_()
        self.dout = self.typed(arrays["dout"], folder)
        position = numpy.concatenate([numpy.arange(b - a) for a, b in self.spans])
        self.tables = [
            torch.from_numpy(arrays[name][position]).to(device)[:, None, None]
            for name in ("cos", "sin")
        ]

    def typed(self, array, folder):
        exact = torch.from_numpy(array)
        tensor = exact.to(self.type)
        if not torch.equal(tensor.float(), exact):
            sys.exit(usage(f"the inputs in '{folder}' are not {self.dtype}; name the dump's type"))
        return tensor.to(self.device)

    def pairs(self):
        """Pairs a head that the window lets through."""
        total = 0
        for n in self.lens:
            beyond = 0 if self.window is None else max(n - 1 - self.window, 0)
            total += n * n - beyond * (beyond + 1)
        return total

    def bytes(self, which):
        """The least traffic of a pass: each input read once, each output written once."""
        forward, backward = (
            rows * self.tokens * self.heads * HEAD_DIM * self.type.itemsize
            + 4 * (self.heads * self.tokens + self.longest * HEAD_DIM)
            for rows in (4, 8)
        )
        return {"forward": forward, "backward": backward}.get(which, forward + backward)

    def offsets(self):
        """First tokens of the sequences that are not empty, for kernels that want them."""
        firsts = [start for start, _ in self.spans] + [self.tokens]
        return torch.tensor(firsts, dtype=torch.int32, device=self.device)

    def band(self, length):
        """Which keys a query of one sequence sees; None: all."""
        if self.window is None or self.window >= length - 1:
            return None
        at = torch.arange(length, device=self.device)
        return (at[:, None] - at[None, :]).abs() <= self.window


def rotate(qkv, cos, sin):
    """qkv [tokens, 3, heads, D] to rotated q and k, and v."""
    low, high = qkv[:, :2].float().chunk(2, dim=-1)
    turned = torch.cat((low * cos - high * sin, low * sin + high * cos), dim=-1).to(qkv.dtype)
    return turned[:, 0], turned[:, 1], qkv[:, 2]


# A peer is made for a case, outside of its time: masks and offsets serve all layers of a model. It
# takes rotated q, k and v [tokens, heads, D] and returns the output in the same shape.


def sdpa_seq(case):
    bands = {length: case.band(length) for length in set(case.lens)}
    lens = [b - a for a, b in case.spans]

    def attend(q, k, v):
        parts = [part.transpose(0, 1).split(lens, dim=1) for part in (q, k, v)]
        return torch.cat(
            [
                scaled_dot_product_attention(
                    qs[None], ks[None], vs[None], attn_mask=bands[qs.shape[1]]
                )[0]
                for qs, ks, vs in zip(*parts)
            ],
            dim=1,
        ).transpose(0, 1)

    return attend


def sdpa_padded(case):
    count, longest = len(case.spans), case.longest
    scores = count * longest * (1 if case.window is None else longest)
    # q, k, v, out and their gradients; masks may be widened to the type.
    need = count * longest * case.heads * HEAD_DIM * case.type.itemsize * 8
    need += scores * (1 + case.type.itemsize)
    if need > memory_free(case.device) / 2:
        raise Unsupported(f"{need / 2**30:.0f} GiB of padding do not fit")
    slots = torch.cat(
        [torch.arange(b - a) + i * longest for i, (a, b) in enumerate(case.spans)]
    ).to(case.device)
    lens = torch.tensor([b - a for a, b in case.spans], device=case.device)
    at = torch.arange(longest, device=case.device)
    mask = (at < lens[:, None])[:, None, None, :]
    band = case.band(longest)
    if band is not None:
        # A row of padding sees itself, since a row without keys is not a number.
        mask = mask & band | torch.eye(longest, dtype=torch.bool, device=case.device)

    def pad(x):
        padded = x.new_zeros(count * longest, case.heads, HEAD_DIM).index_copy(0, slots, x)
        return padded.view(count, longest, case.heads, HEAD_DIM).transpose(1, 2)

    def attend(q, k, v):
        out = scaled_dot_product_attention(pad(q), pad(k), pad(v), attn_mask=mask)
        return out.transpose(1, 2).flatten(0, 1).index_select(0, slots)

    return attend


def nested_jagged(case):
    if case.window is not None:
        raise Unsupported("nested tensors take no mask")
    offsets = case.offsets().long()
    lens = [b - a for a, b in case.spans]

    def nest(x):
        return torch.nested.nested_tensor_from_jagged(
            x.contiguous(), offsets, min_seqlen=min(lens), max_seqlen=max(lens)
        ).transpose(1, 2)

    return lambda q, k, v: (
        scaled_dot_product_attention(nest(q), nest(k), nest(v)).transpose(1, 2).values()
    )


def flex(case):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    lens = torch.tensor([b - a for a, b in case.spans])
    document = torch.repeat_interleave(torch.arange(len(lens)), lens).to(case.device)
    window = case.longest if case.window is None else case.window

    def visible(_batch, _head, query, key):
        return (document[query] == document[key]) & ((query - key).abs() <= window)

    mask = torch.compile(create_block_mask)(
        visible, None, None, case.tokens, case.tokens, device=case.device
    )
    attention = torch.compile(flex_attention, dynamic=False)

    def attend(q, k, v):
        heads_first = (x.transpose(0, 1)[None] for x in (q, k, v))
        return attention(*heads_first, block_mask=mask)[0].transpose(0, 1)

    return attend


def flash_varlen(case):
    if case.device.type != "cuda":
        raise Unsupported("needs a GPU")
    if case.dtype == "f32":
        raise Unsupported("needs a 16-bit type")
    try:
        from flash_attn import flash_attn_varlen_func
    except ImportError as missing:
        raise Unsupported(f"flash-attn is not installed: {missing}") from missing
    cu, longest = case.offsets(), case.longest
    reach = (-1, -1) if case.window is None else (case.window, case.window)
    return lambda q, k, v: flash_attn_varlen_func(
        q, k, v, cu, cu, longest, longest, window_size=reach
    )


PEERS = {
    "torch-sdpa-seq": sdpa_seq,
    "torch-sdpa-padded": sdpa_padded,
    "torch-nested-jagged": nested_jagged,
    "torch-flex": flex,
    "flash-attn-varlen": flash_varlen,
}


class Candidate:
    """A peer on a case: its passes, as (what is done before, what is timed)."""

    def __init__(self, name, case, turn):
        self.case, self.turn, self.attend = case, turn, PEERS[name](case)

    def forward(self):
        case = self.case
        return self.attend(*self.turn(case.qkv, *case.tables)).reshape(case.tokens, -1)

    def before(self, which):
        return self.forward() if which == "backward" else None

    def run(self, which, before):
        """What the pass writes, by name."""
        if which == "forward":
            with torch.no_grad():
                return {"out": self.forward()}
        out = self.forward() if before is None else before
        written = {"dqkv": torch.autograd.grad(out, self.case.qkv, self.case.dout)[0]}
        return written if which == "backward" else {"out": out.detach(), **written}

    def sample(self, which, cold=None):
        """Seconds of one pass."""
        before = self.before(which)
        if cold is not None:
            cold.add_(1)
        if self.case.device.type == "cpu":
            begin = time.perf_counter()
            self.run(which, before)
            return time.perf_counter() - begin
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        begin.record()
        self.run(which, before)
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) / 1e3


def memory_free(device):
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def parts_of(name, got, wanted, heads):
    """The judged tensors within one the pass writes, each [tokens, heads, D]."""
    if name == "out":
        return {"out": (got.reshape(-1, heads, HEAD_DIM), wanted.reshape(-1, heads, HEAD_DIM))}
    got, wanted = (x.reshape(-1, 3, heads, HEAD_DIM) for x in (got, wanted))
    return {f"d{part}": (got[:, i], wanted[:, i]) for i, part in enumerate("qkv")}


def finite_or_none(x):
    return float(x) if numpy.isfinite(x) else None


def scale_of(name, own, gradient):
    """What errors are relative to, given the largest value and that of the whole gradient."""
    # What vanishes beside the rest of the gradient is rounding noise around zero.
    vanished = name in ("dq", "dk") and own < 2.0**-40 * gradient
    return max(gradient if vanished else own, 1e-6)


def judge_tensor(case, name, got, want, gradients):
    """One tensor [tokens, heads, D]; `gradients`: a sequence's largest value of any."""
    error, spans = abs(got.astype("float64") - want), case.spans
    own = [float(abs(want[a:b]).max()) for a, b in spans]
    rels = [
        error[a:b].max() / scale_of(name, largest, gradient)
        for (a, b), largest, gradient in zip(spans, own, gradients)
    ]
    scale = scale_of(name, max(own), max(gradients))
    wants = (want.astype("float64") ** 2).sum() if scale == max(own) else scale**2 * want.size
    # Where a value is not a number, argmax and max are that value.
    worst = int(numpy.argmax(rels))
    start, end = spans[worst]
    token, head, dimension = numpy.unravel_index(
        numpy.argmax(error[start:end]), error[start:end].shape
    )
    token += start
    ceiling = CEILINGS["out" if name == "out" else "gradient"][case.dtype]
    rel, sequence_rel = error.max() / scale, rels[worst]
    return {
        "name": name,
        "right": bool(rel <= ceiling and sequence_rel <= ceiling),
        "rel": finite_or_none(rel),
        "sequence_rel": finite_or_none(sequence_rel),
        "nmse": finite_or_none((error**2).sum() / wants),
        "ceiling": ceiling,
        "worst": {
            "token": int(token),
            "sequence": case.cu.index(end) - 1,
            "head": int(head),
            "dimension": int(dimension),
            "got": finite_or_none(got[token, head, dimension]),
            "want": finite_or_none(want[token, head, dimension]),
        },
    }


def judge(case, written):
    """A verdict as oracle/verdict.c passes it, without lse, which peers keep to themselves."""
    pairs = {}
    for name, tensor in written.items():
        got = tensor.float().cpu().numpy()
        pairs |= parts_of(name, got, case.wanted[name], case.heads)
    wanted = [want for name, (_, want) in pairs.items() if name != "out"]
    gradients = [
        max((float(abs(want[a:b]).max()) for want in wanted), default=0) for a, b in case.spans
    ]
    tensors = [judge_tensor(case, name, *pair, gradients) for name, pair in pairs.items()]
    right = all(tensor["right"] for tensor in tensors)
    return {"right": right, "judged_on": "problem", "tensors": tensors}


def first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


def row_of(case, which, peer):
    """A result that has not come to anything yet."""
    return {
        "dtype": case.dtype,
        "window": case.window,
        "pass": which,
        "schedule": peer,
        "outcome": "untried",
        "why": "",
        "quarantined": False,
        "verdict": None,
        "samples": [],
        "contended": [],
        "throttled": [],
        "statistics": None,
        "rates": None,
        "batch": 0,
        "scratch": 0,
        "stop": "",
        "floor_seconds": None,
        "warnings": [],
        "workload": None,
        "stored": None,
    }


def gate(row, case, turn):
    """A candidate that is right, warmed up; None and the row's reason otherwise."""
    which = row["pass"]
    try:
        candidate = Candidate(row["schedule"], case, turn)
        row["verdict"] = judge(case, candidate.run(which, candidate.before(which)))
        if not row["verdict"]["right"]:
            row["outcome"], row["why"] = "wrong", "an error is above its ceiling"
            return None
        begin, launches = time.perf_counter(), 0
        while launches < WARMUP_LAUNCHES or time.perf_counter() - begin < WARMUP_SECONDS:
            candidate.sample(which)
            launches += 1
    except (Unsupported, NotImplementedError) as error:
        row["outcome"] = "unsupported"
        row["why"] = str(error) if isinstance(error, Unsupported) else first_line(error)
        return None
    except Exception as error:  # whatever a library throws is an outcome of its row
        row["outcome"], row["why"] = "run-failed", first_line(error)
        return None
    row["outcome"], row["batch"] = "ok", 1
    return candidate


def fill(row, case):
    samples = numpy.array(row["samples"])
    low, middle, high = (float(x) for x in numpy.quantile(samples, (0.25, 0.5, 0.75)))
    row["statistics"] = {
        "count": len(samples),
        "median": middle,
        "first_quartile": low,
        "third_quartile": high,
        "min": float(samples.min()),
        "max": float(samples.max()),
        "contended": 0,
        "throttled": 0,
    }
    flops = 4 * HEAD_DIM * case.heads * case.pairs() * FLOPS[row["pass"]]
    row["rates"] = {
        "flops": flops / middle,
        "bytes": case.bytes(row["pass"]) / middle,
        "floor_fraction": None,
        "peak_fraction": None,
    }


def contest(case, which, turn, warnings, options, cold):
    """One pass of one case: every peer gated, then timed round by round in shuffled order."""
    rows = [row_of(case, which, peer) for peer in PEERS]
    gated = [(row, gate(row, case, turn)) for row in rows]
    running = [(row, candidate) for row, candidate in gated if candidate]
    # A peer that is slow uses up its own share of the time, not the others'.
    share = options.limit / max(len(running), 1)
    for _ in range(options.rounds):
        for row, candidate in random.sample(running, len(running)):
            if sum(row["samples"]) < share:
                row["samples"].append(candidate.sample(which, cold))
    for row, _ in running:
        row["warnings"] = list(warnings)
        row["stop"] = f"done after {len(row['samples'])} rounds"
        fill(row, case)
    return rows


def show(row):
    window = "none" if row["window"] is None else row["window"]
    line = f"{row['dtype']:4} {window!s:>5} {row['pass']:16} {row['schedule']:20}"
    if row["verdict"]:
        errors = [tensor["rel"] for tensor in row["verdict"]["tensors"]]
        line += " error " + ("nan" if None in errors else f"{max(errors):.1e}")
    if row["statistics"]:
        line += f" {1e3 * row['statistics']['median']:10.3f} ms"
    if row["outcome"] != "ok":
        line += f" {row['outcome']}: {row['why']}"
    print(line, flush=True)


def read_text(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def host():
    governor = read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip()
    return {
        "sysname": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "online": os.cpu_count(),
        "load": os.getloadavg()[0],
        "governor": governor,
        "steal": None,
    }


def describe(device):
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        model, memory = properties.name, properties.total_memory
        units = properties.multi_processor_count
        architecture = f"sm_{properties.major}{properties.minor}"
        name, compiler = f"cuda:{device.index or 0}", f"CUDA {torch.version.cuda}"
    else:
        models = [l for l in read_text("/proc/cpuinfo").splitlines() if l.startswith("model name")]
        model = models[0].split(":", 1)[1].strip() if models else platform.processor()
        architecture = torch.backends.cpu.get_cpu_capability().lower()
        units = torch.get_num_threads()
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        name, compiler = "cpu", ""
    return {
        "name": name,
        "model": model,
        "architecture": architecture,
        "units": units,
        "memory": memory,
        "code": "",
        "compiler": compiler,
        "driver": "",
        "peak_flops": None,
        "peak_exponentials": None,
        "exponentials_apart": False,
        "peak_bytes": None,
    }


def report_of(case, device, options):
    return {
        "schema": "pattn-report/1",
        "tool": {
            "name": "torch",
            "version": torch.__version__,
            "commit": torch.version.git_version,
        },
        "host": host(),
        "device": describe(device),
        "problem": {
            "spec": options.spec or ",".join(map(str, case.lens)),
            "lens": case.lens,
            "heads": case.heads,
            "dim": HEAD_DIM,
            "tokens": case.tokens,
            "longest": case.longest,
            "seed": options.seed,
        },
        "protocol": {
            "timed": True,
            "mode": "cold" if options.cold else "hot",
            "rounds": options.rounds,
            "limit": options.limit,
            "warmup": 0,
            "candidate_launches": WARMUP_LAUNCHES,
            "candidate_warmup": WARMUP_SECONDS,
            "batch_under": 0,
            "seed": options.seed,
            "schedules": None,
        },
        "results": [],
        "winners": [],
    }


def write(report, path):
    """Whole or not at all: a run that is cut short leaves what it had measured."""
    beside = pathlib.Path(f"{path}.part")
    beside.write_text(json.dumps(report, indent="\t") + "\n", encoding="utf-8")
    beside.replace(path)


def flush_buffer(device):
    """Twice the last-level cache, to be written before each cold sample."""
    if device.type == "cuda":
        cache = torch.cuda.get_device_properties(device).L2_cache_size
    else:
        cache = max(os.sysconf("SC_LEVEL3_CACHE_SIZE"), 32 << 20)
    return torch.zeros(2 * cache, dtype=torch.uint8, device=device)


def compiled_rotation(case):
    """The rotation as one kernel where this host can compile, and what to warn of otherwise."""
    # What was compiled for the case before counts against the most versions of a function.
    torch.compiler.reset()
    turn = torch.compile(rotate, dynamic=False)
    try:
        sum(x.float().sum() for x in turn(case.qkv, *case.tables)).backward()
        case.qkv.grad = None
        return turn, []
    except Exception as error:  # no compiler, or none that inductor likes
        return rotate, [f"the rotation is not compiled: {first_line(error)}"]


def usage(message):
    print(f"torch_attention.py: {message}", file=sys.stderr)
    return 2


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="+", metavar="CASE", help="DTYPE:WINDOW:DIR")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N [cpu]")
    parser.add_argument("--json", metavar="FILE", help="where the report goes")
    parser.add_argument("--rounds", type=int, default=10, help="samples of each peer [10]")
    parser.add_argument(
        "--limit", type=float, default=10, help="seconds of samples a pass, for all peers [10]"
    )
    parser.add_argument("--threads", type=int, help="threads on the CPU")
    parser.add_argument("--cold", action="store_true", help="empty the cache before each sample")
    parser.add_argument("--seed", type=int, default=7, help="the dumps' --seed [7]")
    parser.add_argument("--spec", help="the dumps' --lens, for the report")
    return parser.parse_args()


def main():
    options = parse()
    device = torch.device(options.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        return usage("this PyTorch finds no CUDA device; use --device cpu")
    if options.threads:
        torch.set_num_threads(options.threads)
    random.seed(options.seed)
    cold = flush_buffer(device) if options.cold else None
    report = None
    for text in options.cases:
        case = Case(text, device)
        report = report or report_of(case, device, options)
        if (case.lens, case.heads) != (report["problem"]["lens"], report["problem"]["heads"]):
            return usage(f"'{text}' has other sequences or heads than the case before")
        turn, warnings = compiled_rotation(case)
        for which in FLOPS:
            rows = contest(case, which, turn, warnings, options, cold)
            for row in rows:
                show(row)
            report["results"] += rows
            if options.json:
                write(report, options.json)
    return int(any(row["outcome"] == "wrong" for row in report["results"]))


if __name__ == "__main__":
    sys.exit(main())
