#!/usr/bin/env python3
"""Measure parley beside its peers and print one table.

    python3 bench/run.py setup                       install the peers, each kind in a virtual environment of its own
    python3 bench/run.py list                        what can be measured
    python3 bench/run.py measure --parley ./parley   everything, or with --only KEY,KEY some of it

parley and the peers of a figure take turns, run by run; the median of the runs counts. See bench/README.md.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

import figures
import table

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("PARLEY_BENCH_CACHE", HERE / ".cache"))
VENVS = {
    "torch": ["torch==2.15.0", "transformers==5.23.0", "peft==0.21.2", "comlrl==1.4.3"],
    "llama": ["llama-cpp-python==0.3.36", "gguf==0.19.0"],
}


def python(venv):
    return CACHE / venv / "bin" / "python"


def setup(args):
    for venv in args.only.split(",") if args.only else VENVS:
        subprocess.run([sys.executable, "-m", "venv", CACHE / venv], check=True)
        subprocess.run([python(venv), "-m", "pip", "install", *VENVS[venv]], check=True)


def flags(args):
    """Write a dict as command-line flags; switches that are off are left out."""
    out = []
    for name, value in args.items():
        if value is not False:
            out += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return out


class Worker:
    """A peer: once started it has loaded its model and waits for the next run."""

    def __init__(self, peer, threads, small=False, warmup=0):
        self.peer, self.threads, self.small, self.warmup = peer, threads, small, warmup
        self.seconds, self.memory, self.process = [], 0, None

    def start(self):
        peer, threads = self.peer, self.threads
        args = dict(figures.quick(peer.args) if self.small else peer.args, threads=threads)
        if peer.venv == "llama":
            args["cache"] = CACHE / "models"
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
        self.process = subprocess.Popen([python(peer.venv), HERE / "peers" / peer.script, *flags(args)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)
        self.versions = self.answer()["versions"]
        for _ in range(self.warmup):
            self.run(counts=False)

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.peer.script} ended with code {self.process.wait()}")
        return json.loads(line)

    def run(self, counts=True):
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        seconds = self.answer()["seconds"][self.peer.timing]
        if counts:
            self.seconds.append(seconds)

    def finish(self):
        self.process.stdin.close()
        self.memory = max(self.memory, self.answer()["peak_memory_bytes"])
        self.process.wait()

    def kill(self):
        if self.process:
            self.process.kill()


def bench(args, what, figure, work):
    work = figures.quick(work) if args.quick else work
    model = "random:tiny" if args.quick else "random:" + figure.model
    command = [args.parley, "model", "bench", what, model, *flags({"threads": args.threads, **work}), "--json", "--runs", "1"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def parley(args, figure):
    """Run parley once; its process warms up by itself."""
    answer = bench(args, figure.what, figure, figure.args)
    if figure.products:
        products = bench(args, "gemm", figure, figure.products)["rows"][-1]
        row = own_rows(figure, [answer])[0]
        row[figure.share] = products["seconds"] / products["passes"] / (row["seconds"] / row["passes"])
    return answer


def own_rows(figure, answers):
    """The row that a figure is about, of every answer: where it is about a share, the one with the worst median."""
    rows = [r for r in answers[0]["rows"] if r["name"].startswith(figure.row)]
    rows = [r for r in rows if figure.share and figure.share in r] or rows[:1]
    of = [[next(r for r in a["rows"] if r["name"] == row["name"]) for a in answers] for row in rows]
    return max(of, key=lambda rows: (median(rows, figure.share) or 0) * (1 if figure.most else -1))


def measure_figure(args, figure):
    peers = [p for p in figure.peers if p.name not in args.without.split(";")]
    workers, answers = [Worker(peer, args.threads, args.quick, args.warmup) for peer in peers], []
    try:
        if not figure.apart:
            for w in workers:
                w.start()
        for _ in range(args.rounds):
            for w in workers:
                if figure.apart:
                    w.start()
                w.run()
                if figure.apart:
                    w.finish()
            answers.append(parley(args, figure))
        if not figure.apart:
            for w in workers:
                w.finish()
    finally:
        for w in workers:
            w.kill()
    return summary(figure, answers, workers)


def summary(figure, answers, workers):
    rows = own_rows(figure, answers)
    own = dict(seconds=statistics.median(r["seconds"] for r in rows), all_seconds=[r["seconds"] for r in rows], row=rows[0]["name"],
               tokens=rows[0].get("tokens", 0), memory=max(a["peak_memory_bytes"] for a in answers), kernels=answers[0]["kernels"],
               limits=answers[-1]["limits"], peak_share=median(rows, "peak_share"), roofline_share=median(rows, "roofline_share"))
    if figure.share:
        own["share"] = median(rows, figure.share)
    peers = [dict(name=w.peer.name, args=w.peer.args, seconds=statistics.median(w.seconds), all_seconds=w.seconds, memory=w.memory,
                  versions=w.versions, speed_goal=w.peer.speed, memory_goal=w.peer.memory) for w in workers]
    return dict(key=figure.key, about=figure.about, share=figure.share, least=figure.sets.get(own["kernels"], figure.least), most=figure.most, parley=own, peers=peers)


def median(rows, name):
    values = [r[name] for r in rows if r.get(name) is not None]
    return statistics.median(values) if values else None


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def measure(args):
    wanted = args.only.split(",") if args.only else [f.key for f in figures.figures()]
    if args.rounds < 1:
        sys.exit("--rounds must be at least 1")
    unknown = set(wanted) - {f.key for f in figures.figures()}
    if unknown:
        sys.exit(f"no such figure: {', '.join(sorted(unknown))}; see `list`")
    nobody = set(args.without.split(";")) - {""} - {p.name for f in figures.figures() for p in f.peers}
    if nobody:
        sys.exit(f"no such peer: {', '.join(sorted(nobody))}; see `list`")
    version = json.loads(subprocess.run([args.parley, "version", "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    result = dict(date=datetime.date.today().isoformat(), processor=processor(), cores=os.cpu_count(), threads=args.threads,
                  rounds=args.rounds, quick=args.quick, parley="parley {version} ({commit}, {go})".format(**version), python=platform.python_version(), figures=[])
    for figure in figures.figures():
        if figure.key not in wanted:
            continue
        print(f"{figure.key}: {figure.about}", file=sys.stderr, flush=True)
        try:
            result["figures"].append(measure_figure(args, figure))
        except (RuntimeError, OSError, ValueError, subprocess.CalledProcessError) as error:
            result["figures"].append(dict(key=figure.key, about=figure.about, error=str(error)))
        if args.out:
            pathlib.Path(args.out + ".json").write_text(json.dumps(result, indent=1) + "\n")
            pathlib.Path(args.out + ".md").write_text(table.markdown(result))
    print(table.markdown(result))
    return any("error" in f for f in result["figures"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    install = verbs.add_parser("setup", help="install the peers")
    install.add_argument("--only", help="torch or llama")
    verbs.add_parser("list", help="list the figures")
    m = verbs.add_parser("measure", help="measure and print the table")
    m.add_argument("--parley", default="./parley", help="the binary")
    m.add_argument("--only", help="keys of figures, separated by commas")
    m.add_argument("--without", default="", help="names of peers to leave out, separated by semicolons")
    m.add_argument("--rounds", type=int, default=5, help="runs that count")
    m.add_argument("--warmup", type=int, default=1, help="runs of each peer that do not count; parley warms up in each of its processes")
    m.add_argument("--threads", type=int, default=2)
    m.add_argument("--quick", action="store_true", help="tiny shapes: shows that everything runs, measures nothing")
    m.add_argument("--out", help="write OUT.json and OUT.md after every figure")
    args = parser.parse_args()
    if args.verb == "setup":
        return setup(args)
    if args.verb == "list":
        for f in figures.figures():
            print(f"{f.key:20} {f.about}" + "".join(f"; {name}" for name in dict.fromkeys(p.name for p in f.peers)))
        return 0
    return measure(args)


if __name__ == "__main__":
    sys.exit(main())
