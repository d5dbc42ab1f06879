#!/usr/bin/env python3
"""Compares the timeline with published times of kernels: the table of op_tests/emulator/README.md.

    op_tests/emulator/bench/published.py [--examples DIR] [--emulator DIR] [ROW...]

runs the examples (build/examples by default) on the emulator and prints, for each row, the
published time, the model's, and their ratio, then statistics of the ratios. ROW is a part of a
row's name; without one all rows run, which takes some minutes. With --range each row has the ends
of the model's range, too. Other variables of the emulator act as always:
OPUS_EMU_TIMELINE_PARAMETERS=FILE compares other parameters.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))

# How the published time was taken: "timer" sees the launch itself, "kernel" does not; "warm" is a
# timer around launches that follow each other.
TIMER, KERNEL, WARM = "timer", "kernel", "warm"

BF16 = " --type bf16 --out-type bf16"

# group, device, example, options, published us (of several measurements), how, only the first round
ROWS = [
    ("gemm", "MI355X", "gemm_pipelined", "-m 4096 -n 4096 -k 4096 --type fp8",
     [45.8], TIMER, False),
    ("gemm", "MI355X", "gemm_fast", "-m 4096 -n 4096 -k 4096 --type bf16", [97.6], TIMER, False),
    ("gemm", "MI350X", "gemm_pipelined", "-m 4096 -n 7168 -k 7168 --type fp8",
     [177.2], KERNEL, True),
    ("gemm", "MI350X", "gemm_pipelined", "-m 8192 -n 8192 -k 8192 --type fp8",
     [459.6], KERNEL, True),
    ("attention", "MI350X", "attention", "--heads 16 --kv-heads 1 -m 10240 -n 2583" + BF16,
     [216.3], TIMER, False),
    ("attention", "MI325X", "attention", "--heads 16 --kv-heads 1 -m 10240 -n 2583" + BF16,
     [378.3], TIMER, False),
    ("attention", "MI308X-PTL", "attention", "--heads 16 --kv-heads 1 -m 10240 -n 2583" + BF16,
     [896.8], TIMER, False),
    ("attention", "MI325X", "attention", "--heads 8 -m 10240 -n 2560" + BF16,
     [232.9], TIMER, False),
    ("attention", "MI308X-PTL", "attention", "--heads 8 -m 10240 -n 2560" + BF16,
     [438.8], TIMER, False),
    ("attention", "MI350X", "attention", "--heads 32 -m 2048" + BF16,
     [82.1], TIMER, False),
    ("attention", "MI355X", "attention", "--heads 16 -m 16384" + BF16,
     [1570, 1650], TIMER, True),
    ("attention", "MI355X", "attention", "--batch 4 --heads 64 --kv-heads 8 -m 8192" + BF16,
     [6416, 6328], TIMER, True),
    ("stream", "MI350X", "vector_add", "-n 33554432", [88.4], KERNEL, False),
    ("stream", "MI350X", "vector_add", "-n 67108864", [152.6], KERNEL, False),
    ("stream", "MI350X", "softmax", "-m 16384 -n 5120 --type bf16", [77.5], KERNEL, False),
    ("stream", "MI350X", "softmax", "-m 16384 -n 2880 --type bf16", [43.8], KERNEL, False),
    ("stream", "MI350X", "softmax", "-m 4096 -n 8192 --type bf16", [30.7], KERNEL, False),
    ("short", "MI350X", "softmax", "-m 1 -n 2048 --type bf16", [2.65], WARM, False),
    ("short", "MI350X", "softmax", "-m 32 -n 512 --type bf16", [2.03], WARM, False),
    ("short", "MI350X", "topk_gate", "-m 16384 -n 256", [8.4], KERNEL, False),
]


def arch_of(device):
    return "gfx950" if device in ("MI350X", "MI355X") else "gfx942"


def name_of(row):
    return f"{row[1]}: {row[2]} {row[3]}" + (", first round" if row[6] else "")


def run(row, args):
    """What the example prints."""
    group, device, example, options, published, how, only = row
    env = dict(os.environ)
    env["OPUS_EMU_ARCH"] = arch_of(device)
    env["OPUS_EMU_TIMELINE"] = "/dev/null"
    env["OPUS_EMU_TIMELINE_DEVICE"] = device
    env["LD_LIBRARY_PATH"] = args.emulator + os.pathsep + env.get("LD_LIBRARY_PATH", "")
    if only:
        env["OPUS_EMU_TIMELINE_ONLY"] = "1"
    if how == WARM:
        env["OPUS_EMU_TIMELINE_WARM"] = "1"
    if args.range:
        env["OPUS_EMU_TIMELINE_RANGE"] = "1"
    command = [os.path.join(args.examples, example), *options.split(), "--verify", "0"]
    with tempfile.TemporaryFile("w+") as out:
        status = subprocess.run(command, env=env, stdout=out, stderr=subprocess.STDOUT).returncode
        out.seek(0)
        text = out.read()
    if status != 0 or "  expected" not in text:
        sys.exit(f"{name_of(row)}: status {status}\n{text}")
    return text


def model_us(row, text):
    # Of the last launch: gemm_pipelined asks the device for facts before.
    found = re.findall(r"expected +([0-9.]+) us at .*; ([0-9.]+) us with the launch", text)
    return float(found[-1][0 if row[5] == KERNEL else 1])


def statistics_of(ratios):
    within = sum(abs(r - 1) <= 0.15 for r in ratios)
    outside = sum(not 0.7 <= r <= 1.3 for r in ratios)
    return (
        f"{len(ratios)} rows: median {statistics.median(ratios):.2f} "
        f"({min(ratios):.2f} to {max(ratios):.2f}), {within} within 15 %, "
        f"{outside} outside 0.7 to 1.3, "
        f"median distance from 1 {statistics.median(abs(r - 1) for r in ratios):.2f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--examples", default=os.path.join(ROOT, "build", "examples"))
    parser.add_argument("--emulator", default=os.path.join(ROOT, "build", "op_tests", "emulator"))
    parser.add_argument("--range", action="store_true", help="the ends of the range as well")
    parser.add_argument("rows", nargs="*", help="parts of names of rows; default: all")
    args = parser.parse_args()
    chosen = [r for r in ROWS if not args.rows or any(part in name_of(r) for part in args.rows)]
    if not chosen:
        sys.exit("no row has such a name")
    print("| row | published us | model us | ratio |" + (" range us |" if args.range else ""))
    print("|---|---|---|---|" + ("---|" if args.range else ""))
    ratios = {}
    for row in chosen:
        text = run(row, args)
        model = model_us(row, text)
        ratio = model / statistics.mean(row[4])
        ratios.setdefault(row[0], []).append(ratio)
        published = ", ".join(f"{us:g}" for us in row[4])
        line = f"| {name_of(row)} | {published} | {model:.2f} | {ratio:.2f} |"
        if args.range:
            ends = re.findall(r"range +([0-9.]+) to ([0-9.]+) us", text)
            line += f" {ends[-1][0]} to {ends[-1][1]} |"
        print(line, flush=True)
    print()
    print("all:", statistics_of([r for of_group in ratios.values() for r in of_group]))
    for group, of_group in ratios.items():
        print(f"{group}:", statistics_of(of_group))


if __name__ == "__main__":
    main()
