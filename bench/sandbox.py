#!/usr/bin/env python3
"""What a small test costs in the sandbox, against a fresh python3 without isolation. They take turns, so that what else the machine does
disturbs both alike.

    python3 bench/sandbox.py [RUNS]
"""

import re
import statistics
import subprocess
import sys
import time


def medians(runs):
    """Of every way to isolate, the median milliseconds of every run: a fresh python3, a worker that is ready, one just used, ten in a row."""
    command = ["go", "test", "-tags", "sandbox", "-run", "^$", "-bench", "Program", "-benchtime", "200x", "-count", str(runs), "./task/sandbox"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for way, line in re.findall(r"^BenchmarkProgram/(\w+)(.*)$", out, re.M):
        for value, name in re.findall(r"([\d.]+) (\w+)-ms", line):
            found.setdefault(way, {}).setdefault(name, []).append(float(value))
    return found


def show(way, found):
    print(f"{way}:")
    python = statistics.median(found["python"])
    for name, said in (("python", "a fresh python3"), ("ready", "in the sandbox"), ("behind", "at once behind another"), ("row", "one of ten in a row")):
        median = statistics.median(found[name])
        runs = ", ".join(f"{v:.2f}" for v in found[name])
        print(f"  {said}: median {median:.2f} ms ({median - python:+.2f} ms, {median / python:.2f} times), of {runs}")


def bombs():
    """Seconds and most memory of 500 hostile programs at once on four workers."""
    start = time.time()
    command = ["go", "test", "-count=1", "-tags", "sandbox", "-run", "TestBombs", "-v", "./task/sandbox"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return time.time() - start, int(re.search(r"at most (\d+) MiB in use", out)[1])


def main():
    for way, found in sorted(medians(int(sys.argv[1]) if len(sys.argv) > 1 else 5).items()):
        show(way, found)
    seconds, memory = bombs()
    print(f"500 hostile programs at once: {seconds:.0f} s, at most {memory} MiB in use")


if __name__ == "__main__":
    main()
