#!/usr/bin/env python3
"""What a small test costs in the sandbox: a warm worker against a fresh python3 without isolation. Run it on a quiet machine.

    python3 bench/sandbox.py [RUNS]
"""

import re
import statistics
import subprocess
import sys
import time


def medians(runs):
    """The median milliseconds of every benchmark of the sandbox, one a run."""
    command = ["go", "test", "-tags", "sandbox", "-run", "^$", "-bench", ".", "-benchtime", "300x", "-count", str(runs), "./sandbox"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for name, value in re.findall(r"^Benchmark(\w+)\S*\s.*?([\d.]+) median-ms", out, re.M):
        found.setdefault(name, []).append(float(value))
    return found


def bombs():
    """Seconds and most memory of 500 hostile programs at once on four workers."""
    start = time.time()
    command = ["go", "test", "-count=1", "-tags", "sandbox", "-run", "TestBombs", "-v", "./sandbox"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return time.time() - start, int(re.search(r"at most (\d+) MiB in use", out)[1])


def main():
    found = medians(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    for name, values in found.items():
        print(f"{name}: median {statistics.median(values):.2f} ms, of {', '.join(f'{v:.2f}' for v in values)}")
    seconds, memory = bombs()
    print(f"500 hostile programs at once: {seconds:.0f} s, at most {memory} MiB in use")


if __name__ == "__main__":
    main()
