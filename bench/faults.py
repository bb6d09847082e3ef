#!/usr/bin/env python3
"""Kills and damages of runs: does a run go on to the same bytes, or say what is wrong and how to go on?

    python3 bench/faults.py --parley ./parley                     # 200 kills and 200 damages
    python3 bench/faults.py --parley ./parley --kills 12 --damages 24 --seed 1

For each of six algorithms a tiny run is trained without a fault. A kill starts the same run and kills it with SIGKILL: after a random time, or at
the n-th fsync, rename, write, unlink or mkdir of a thread, which strace does; now and then the run that goes on is killed too. A damage changes one
file of a stopped run: bytes are flipped, it is cut, emptied or removed, its lines are swapped, doubled or dropped, it becomes a link to a file
outside, or a file that is not parley's is put beside it. Then the run goes on, as a user would let it, and is compared with the one without a
fault: metrics.jsonl, all episodes, all adapters, and the scores in report.json.

    equal bytes          it went on and everything is the same
    refused, then ...    it was refused; with the remedy that the message names it goes on
    SILENT LOSS          it ended with 0 and something is another
    TOUCHED              a file outside the run, or one that is not parley's, was changed
    NO WAY OUT           it was refused, and no remedy works

The exit code is 1 where one of the last three happens.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# A recipe of each algorithm, and what makes it tiny.
ALGORITHMS = {
    "mappo": ("debate-sums", ["ppo.epochs=1", "ppo.minibatches=1"]),
    "magrpo": ("magrpo-tiny", []),
    "iac": ("iac-tiny", []),
    "maac": ("maac-tiny", []),
    "madpo": ("madpo-tiny", ["preference.candidates=4", "preference.iterations=1"]),
    "marlhf": ("marlhf-tiny", ["preference.candidates=4", "preference.iterations=1", "reward.model.problems=8", "sampling.max_tokens=64"]),
}
TINY = ["training.updates=3", "training.problems=2", "task.train=100", "sampling.max_tokens=8", "eval.problems=2", "eval.examples=1", "eval.baselines=[]", "eval.pass_at=[]"]
CALLS = ["fsync", "renameat", "write", "unlinkat", "mkdirat"]
GOOD, REFUSED, SILENT, TOUCHED, STUCK = "equal bytes", "refused, then ", "SILENT LOSS", "TOUCHED", "NO WAY OUT"


class Bench:
    def __init__(self, parley, work):
        self.parley, self.work = parley, work
        self.whole, self.half, self.seconds, self.calls = {}, {}, {}, {}

    def command(self, algorithm, folder):
        recipe, sets = ALGORITHMS[algorithm]
        return [self.parley, "train", recipe, "--out", str(folder)] + [w for s in TINY + sets for w in ("--set", s)]

    def resume(self, folder, *more):
        return [self.parley, "train", "--resume", str(folder), *more]

    def run(self, command, prefix=()):
        done = subprocess.run([*prefix, *command], cwd=self.work, capture_output=True, text=True, errors="replace", timeout=300)
        return done.returncode, done.stdout + done.stderr

    def prepare(self, algorithm):
        """Trains a run without a fault, and one that stops after two of its three updates."""
        whole, half = self.work / (algorithm + "-whole"), self.work / (algorithm + "-half")
        began = time.time()
        code, said = self.run(self.command(algorithm, whole))
        self.seconds[algorithm] = time.time() - began
        if code != 0:
            sys.exit(f"{algorithm}: the run without a fault ends with {code}: {said}")
        code, said = self.run(self.command(algorithm, half) + ["--max-updates", "2"])
        if code != 0:
            sys.exit(f"{algorithm}: the run of two updates ends with {code}: {said}")
        self.whole[algorithm], self.half[algorithm] = content(whole), half
        counted = self.work / (algorithm + "-counted")
        log = self.work / (algorithm + ".calls")
        self.run(self.command(algorithm, counted), ["strace", "-f", "-o", str(log), "-e", "trace=" + ",".join(CALLS)])
        self.calls[algorithm] = most_per_thread(log)
        shutil.rmtree(counted)


def most_per_thread(log):
    """How often the busiest thread makes each call: strace counts the calls of a thread."""
    count = collections.Counter()
    for line in log.read_text(errors="replace").splitlines():
        words = line.split(None, 1)
        if len(words) == 2 and "(" in words[1]:
            count[words[0], words[1].split("(")[0]] += 1
    return {call: max([n for (_, c), n in count.items() if c == call] or [1]) for call in CALLS}


def content(folder):
    """What of a run must be the same: the hash of each file, and the scores."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        counts = name == "metrics.jsonl" or name.startswith("episodes/") and name.endswith(".jsonl.zst") or name.startswith("adapters/")
        if counts and path.is_file() and not name.endswith("theirs.txt") and ".damaged" not in name:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    try:
        report = json.loads((folder / "report.json").read_text())
        found["scores"] = json.dumps([report["rows"], report["updates"], report["gain"]], sort_keys=True)
    except (OSError, ValueError):
        found["scores"] = None
    return found


def differs(a, b):
    return sorted(name for name in set(a) | set(b) if a.get(name) != b.get(name))


def kill(bench, algorithm, n, rng):
    """One kill: what was done, and the outcome."""
    folder = bench.work / f"kill-{n}"
    how = rng.choice(["time", "time"] + CALLS)
    killed = []
    command = bench.command(algorithm, folder)
    for _ in range(2 if rng.random() < 0.3 else 1):
        killed.append(end(bench, algorithm, command, how, rng))
        if not (folder / "run.json").exists():
            break
        command = bench.resume(folder)
    outcome = go_on(bench, algorithm, folder)
    shutil.rmtree(folder, ignore_errors=True)
    return "kill at " + ("a random time" if how == "time" else how), f"{algorithm}, {', '.join(killed)}", outcome


def end(bench, algorithm, command, how, rng):
    if how == "time":
        after = rng.random() * bench.seconds[algorithm]
        process = subprocess.Popen(command, cwd=bench.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        return f"after {after:.2f} s"
    nth = rng.randint(1, bench.calls[algorithm][how])
    bench.run(command, ["strace", "-f", "-o", "/dev/null", "-e", "trace=" + how, "-e", f"inject={how}:signal=KILL:when={nth}"])
    return f"{how} {nth}"


def go_on(bench, algorithm, folder):
    """Goes on with a run that was killed, and compares it."""
    code, said = bench.run(bench.resume(folder))
    if code != 0 and not (folder / "run.json").exists():
        if "parley train RECIPE --out" not in said and "there is no run" not in said:
            return STUCK, said
        code, said = bench.run(bench.command(algorithm, folder))
    if code != 0:
        return STUCK, said
    other = differs(content(folder), bench.whole[algorithm])
    return (SILENT, f"{other}\n{said}") if other else (GOOD, said)


def damages(rng):
    """Ways to change a file."""

    def lines(path, change):
        rows = path.read_bytes().splitlines(keepends=True)
        if len(rows) < 2:
            return False
        change(rows)
        path.write_bytes(b"".join(rows))
        return True

    def flip(path):
        data = bytearray(path.read_bytes())
        if not data:
            return False
        for _ in range(rng.choice([1, 1, 3])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        return True

    def cut(path):
        data = path.read_bytes()
        path.write_bytes(data[: rng.randrange(len(data))] if data else b"")
        return bool(data)

    def swap(rows):
        i, j = rng.sample(range(len(rows)), 2)
        rows[i], rows[j] = rows[j], rows[i]

    return {
        "flip": flip,
        "cut": cut,
        "empty": lambda path: path.write_bytes(b"") is not None,
        "remove": lambda path: path.unlink() is None,
        "swap lines": lambda path: lines(path, swap),
        "double a line": lambda path: lines(path, lambda rows: rows.insert(rng.randrange(len(rows)), rng.choice(rows))),
        "drop a line": lambda path: lines(path, lambda rows: rows.pop(rng.randrange(len(rows)))),
    }


def target(folder, rng):
    """A file of the run; the few that decide most come more often."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    few = [p for p in files if p.parent == folder and p.suffix in (".jsonl", ".json")]
    return rng.choice(few if rng.random() < 0.5 else files)


def damage(bench, algorithm, n, rng):
    """One damage: what was done, and the outcome."""
    folder, outside = bench.work / f"damage-{n}", bench.work / f"outside-{n}"
    shutil.copytree(bench.half[algorithm], folder, symlinks=True)
    outside.mkdir()
    kind = rng.choice(["flip"] * 3 + ["cut", "empty", "remove", "swap lines", "double a line", "drop a line", "link", "link a folder", "theirs"])
    where, undo = change(folder, outside, kind, rng)
    theirs = {p: p.read_bytes() for p in [*outside.rglob("*"), *folder.rglob("theirs.txt")] if p.is_file()}
    outcome = recover(bench, algorithm, folder, undo)
    if any(not p.is_file() or p.read_bytes() != data for p, data in theirs.items()):
        outcome = TOUCHED, outcome[1]
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(outside, ignore_errors=True)
    return kind, f"{algorithm}, {where}", outcome


def change(folder, outside, kind, rng):
    """Does the damage; returns where, and what takes it back."""
    if kind == "theirs":
        parent = rng.choice(["checkpoints/mine", "checkpoints", "checkpoints/000002", "adapters", "episodes", "evaluation", "."])
        path = folder / parent / "theirs.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine\n")
        return path.relative_to(folder), lambda: None
    if kind == "link a folder":
        path = folder / rng.choice(["checkpoints", "episodes", "adapters", "evaluation"])
    else:
        path = target(folder, rng)
    saved = outside / "saved"
    if kind.startswith("link"):
        shutil.move(path, saved)
        path.symlink_to(saved)

        def undo():
            if path.is_symlink():
                path.unlink()
            if saved.is_dir():
                shutil.copytree(saved, path)
            elif not path.exists():
                shutil.copy(saved, path)

        return path.relative_to(folder), undo
    shutil.copy(path, saved)
    way = damages(rng)[kind]
    if not way(path):
        damages(rng)["flip"](path)
    return path.relative_to(folder), lambda: shutil.copy(saved, path)


def recover(bench, algorithm, folder, undo):
    """Goes on with a damaged run as its messages say, and compares it."""
    code, said = bench.run(bench.resume(folder))
    if code == 0:
        other = differs(content(folder), bench.whole[algorithm])
        return (SILENT, f"{other}\n{said}") if other else (GOOD, said)
    if "--accept-loss" in said:
        remedy, command = "--accept-loss", bench.resume(folder, "--accept-loss")
    elif "is a link" in said or "put it back" in said or "move it away" in said:
        undo()
        remedy, command = "put back", bench.resume(folder)
    else:
        return STUCK, said
    first = said
    code, said = bench.run(command)
    if code != 0:
        return STUCK, first + said
    other = differs(content(folder), bench.whole[algorithm])
    if remedy == "put back" and other or remedy == "--accept-loss" and "accepted" not in said and other:
        return SILENT, f"{other}\n{first}{said}"
    return REFUSED + remedy, first


def table(results):
    """The outcomes of each kind, as a table in Markdown."""
    columns = sorted({outcome for _, _, (outcome, _) in results}, key=lambda c: (c.isupper(), c))
    for must in (SILENT, TOUCHED, STUCK):
        if must not in columns:
            columns.append(must)
    rows = collections.defaultdict(collections.Counter)
    for kind, _, (outcome, _) in results:
        rows[kind][outcome] += 1
        rows["**all**"][outcome] += 1
    text = "| fault | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns) + "\n"
    for kind in sorted(rows, key=lambda k: (k == "**all**", not k.startswith("kill"), k)):
        text += f"| {kind} | " + " | ".join(str(rows[kind][c]) for c in columns) + " |\n"
    return text


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--parley", default="./parley")
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--damages", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--algorithms", default=",".join(ALGORITHMS))
    options.add_argument("--verbose", action="store_true", help="print what was said in every case")
    o = options.parse_args()
    algorithms = o.algorithms.split(",")
    with tempfile.TemporaryDirectory(prefix="parley-faults-") as work, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        bench = Bench(str(pathlib.Path(o.parley).resolve()), pathlib.Path(work))
        list(pool.map(bench.prepare, algorithms))
        cases = [(kill, i) for i in range(o.kills)] + [(damage, i) for i in range(o.damages)]
        jobs = [pool.submit(do, bench, algorithms[i % len(algorithms)], i, random.Random(f"{o.seed} {do.__name__} {i}")) for do, i in cases]
        results = []
        for (do, i), job in zip(cases, jobs):
            kind, where, (outcome, said) = job.result()
            results.append((kind, where, (outcome, said)))
            if o.verbose or outcome.isupper():
                print(f"{do.__name__} {i}: {kind}: {where}: {outcome}\n{said}", flush=True)
    print(table(results), end="")
    sys.exit(any(outcome.isupper() for _, _, (outcome, _) in results))


if __name__ == "__main__":
    main()
