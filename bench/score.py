#!/usr/bin/env python3
"""Time to score: seconds of training until the return on held-out posts exceeds a level, parley beside CoMLRL.

    python3 bench/score.py small   --parley ./parley                                   a random base, both sides in minutes
    python3 bench/score.py smollm2 --parley ./parley --posts FOLDER --base FILE.gguf   about an hour

Each seed is trained with parley, then with CoMLRL. Every few updates the adapters are kept, and all of them are measured by one measure:
parley samples answers to the held-out posts, with the same seeds for all, and scores them. See bench/README.md.
"""

import argparse
import gzip
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

from figures import Peer
from run import HERE, Worker, processor, python

ROOT = HERE.parent
# peer_lr is CoMLRL's learning rate; 0: that of the recipe, which is parley's.
SETTINGS = {
    "small": dict(base=ROOT / "train/testdata/tiny-base", posts=ROOT / "task/textstats/data", words=24, every=5, tokens=48, held=24, level=1.0, peer_lr=0.003),
    "smollm2": dict(words=60, every=2, tokens=64, held=24, level=2.0, peer_lr=0),
}
SIDES = {"parley": "parley", "comlrl": "CoMLRL"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("setting", choices=SETTINGS)
    parser.add_argument("--parley", default="./parley", help="the binary")
    parser.add_argument("--base", help="base model: a folder in Hugging Face layout, or a .gguf file, which parley exports for both")
    parser.add_argument("--posts", help="folder with train.jsonl.gz and test.jsonl.gz of SciTLDR")
    parser.add_argument("--level", type=float, help="of the return, of at most 2.98")
    parser.add_argument("--peer-lr", type=float, help="learning rate of CoMLRL; 0: parley's")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change of the recipe")
    parser.add_argument("--alone", action="store_true", help="parley only")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--dtype", default="f32", help="of the frozen base on both sides: f32 or bf16")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="few updates and posts: shows that everything runs, measures nothing")
    parser.add_argument("--out", help="write OUT.json")
    args = parser.parse_args()
    settings = SETTINGS[args.setting] | {k: v for k, v in vars(args).items() if k in ("base", "posts", "level", "peer_lr") and v is not None}
    if missing := {"base", "posts"} - settings.keys():
        parser.error(f"{args.setting} needs --{' and --'.join(sorted(missing))}")
    args.parley = str(pathlib.Path(args.parley).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        race = Race(args, settings, pathlib.Path(scratch))
        result = race.whole()
    if args.out:
        pathlib.Path(args.out).write_text(json.dumps(result, indent=1) + "\n")
    print(table(result))


class Race:
    def __init__(self, args, settings, scratch):
        self.args, self.scratch = args, scratch
        self.level, self.held, self.every, self.tokens, self.peer_lr = (settings[k] for k in ("level", "held", "every", "tokens", "peer_lr"))
        self.changes = ["engine.dtype=" + args.dtype, f"engine.threads={args.threads}", f"sampling.max_tokens={self.tokens}", *args.set]
        if args.quick:
            self.held, self.every = 4, 1
            self.changes += ["training.updates=2", "training.problems=2"]
        self.prepare(pathlib.Path(settings["base"]), pathlib.Path(settings["posts"]), settings["words"])

    def prepare(self, base, posts, words):
        """Shortens the posts, and lets parley render the held-out ones: it trains on them once, too slowly to change anything."""
        train, test = (list(shortened(posts / f"{split}.jsonl.gz", words)) for split in ("train", "test"))
        self.posts = folder(self.scratch / "posts", train=train, test=test)
        probe = self.scratch / "probe"
        still = ["optimizer.lr=1e-30", "training.updates=1", f"training.problems={self.held}", "group.size=2"]
        self.train(base, folder(self.scratch / "held", train=test[:self.held], test=train), probe, still)
        self.problems = episodes(probe)
        self.base = base
        if base.is_file():
            self.base = self.scratch / "base"
            self.parley("run", "export", probe, "--merged", "--policy", "policy-agent1", "--out", self.base, "--dtype", "f32")
            self.base = next(self.base.rglob("config.json")).parent

    def parley(self, *command, **more):
        command = [self.args.parley, *map(str, command)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more).stdout

    def train(self, base, posts, out, changes):
        sets = [f"model={base}", f"task.path={posts}", *self.changes, *changes]
        self.parley("train", HERE / "score" / f"{self.args.setting}.yaml", "--out", out, *(w for s in sets for w in ("--set", s)))

    def whole(self):
        untrained = self.score(None)
        say(f"untrained: {untrained:.2f}")
        runs, versions = [], {}
        for seed in map(int, self.args.seeds.split(",")):
            runs.append(dict(seed=seed, parley=self.own(seed)))
            if not self.args.alone:
                runs[-1]["comlrl"], versions = self.peer(seed)
        return dict(setting=self.args.setting, quick=self.args.quick, processor=processor(), threads=self.args.threads, dtype=self.args.dtype,
                    level=self.level, peer_lr=self.peer_lr, untrained=untrained, held=self.held, versions=versions, runs=runs)

    def run_folder(self, seed):
        return self.scratch / f"parley-{seed}"

    def own(self, seed):
        """Trains with parley to the end, and returns its course up to the level."""
        out = self.run_folder(seed)
        self.train(self.base, self.posts, out, [f"seed={seed}", f"training.checkpoint={self.every}", "training.keep=1000"])
        seconds = [t["seconds"] - t["save_seconds"] for t in map(json.loads, (out / "timing.jsonl").read_text().splitlines())]
        self.updates = len(seconds)
        spans = (sum(seconds[n - self.every:n]) for n in range(self.every, self.updates + 1, self.every))
        return self.course(f"parley, seed {seed}", out / "checkpoints", spans)

    def peer(self, seed):
        """Trains with CoMLRL until it is above the level, or has done as many updates as parley."""
        out = self.scratch / f"comlrl-{seed}"
        peer = Peer("CoMLRL", "comlrl_tldr.py", dict(run=self.run_folder(seed), base=self.base, dtype=self.args.dtype, every=self.every, seed=seed, out=out,
                                                     parley=self.args.parley, lr=self.peer_lr), "train")
        worker = Worker(peer, self.args.threads)
        worker.start()
        try:
            return self.course(f"CoMLRL, seed {seed}", out, self.spans(worker)), worker.versions
        finally:
            worker.process.kill()

    def spans(self, worker):
        for _ in range(self.updates // self.every):
            worker.run(counts=True)
            yield worker.seconds[-1]

    def course(self, name, checkpoints, spans):
        """Seconds and returns after every few updates, up to the first above the level."""
        points, seconds = [], 0.0
        for n, span in enumerate(spans, start=1):
            seconds += span
            points.append(dict(updates=n * self.every, seconds=seconds, score=self.score(checkpoints / f"{n * self.every:06d}")))
            say("{}: {updates} updates, {seconds:.1f} s: {score:.2f}".format(name, **points[-1]))
            if points[-1]["score"] > self.level:
                break
        return points

    def score(self, checkpoint):
        """The mean return on the held-out posts; without a checkpoint, of the untrained team."""
        answers = [self.answers(agent, checkpoint) for agent in (0, 1)]
        lines = [dict(item={"prompt": p["problem"]["question"]}, responses=texts) for p, *texts in zip(self.problems, *answers, strict=True)]
        return statistics.mean(r["reward"] for r in self.lines(["reward", "tldr"], lines))

    def answers(self, agent, checkpoint):
        adapter = ["--adapter", checkpoint / f"policy-agent{agent + 1}"] if checkpoint else []
        seats = [p["nodes"][0]["agents"][agent] for p in self.problems]
        lines = [dict(seat["sampling"], ids=seat["prompt"], max_new_tokens=self.tokens, seed=n) for n, seat in enumerate(seats)]
        return [a["samples"][0]["text"] for a in self.lines(["model", "generate", self.base, "--dtype", self.args.dtype, *adapter], lines)]

    def lines(self, command, lines):
        """Asks one of parley's commands that answer a JSON line with a JSON line."""
        return parsed(self.parley(*command, input="".join(json.dumps(x) + "\n" for x in lines)))


def shortened(file, words):
    """The first words of every abstract, as posts."""
    for line in gzip.open(file, "rt"):
        yield {"prompt": " ".join(" ".join(json.loads(line)["source"]).split()[:words])}


def folder(path, **splits):
    path.mkdir()
    for name, items in splits.items():
        (path / f"{name}.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def episodes(run):
    """What was said in a run. Its files are compressed with zstd, which the peers' environment can read."""
    out = subprocess.run([python("torch"), HERE / "peers" / "episodes.py", run], check=True, stdout=subprocess.PIPE, text=True).stdout
    return parsed(out)


def parsed(lines):
    """JSON lines; sampled text in them may hold what str.splitlines takes for a line end."""
    return [json.loads(line) for line in lines.rstrip("\n").split("\n")]


def say(text):
    print(text, file=sys.stderr, flush=True)


def reached(points, level):
    """Seconds until the level was exceeded; infinite where it was not."""
    return points[-1]["seconds"] if points[-1]["score"] > level else math.inf


def table(result):
    names = [side for side in ("parley", "comlrl") if side in result["runs"][0]]
    lines = [f"{result['setting']}: {result['processor']}, {result['threads']} threads, base in {result['dtype']}; seconds of training until the return on "
             f"{result['held']} held-out posts exceeds {result['level']} (untrained {result['untrained']:.2f})", "",
             "".join(["| seed |", *(f" {SIDES[side]} | updates |" for side in names)]), "|---" * (1 + 2 * len(names)) + "|"]
    times = {side: [] for side in names}
    for run in result["runs"]:
        for side, found in times.items():
            found.append(reached(run[side], result["level"]))
        lines.append(" | ".join([f"| {run['seed']}", *(f"{times[side][-1]:.1f} | {run[side][-1]['updates']}" for side in names)]) + " |")
    medians = {side: statistics.median(found) for side, found in times.items()}
    lines += ["".join(["| median |", *(f" {m:.1f} | |" for m in medians.values())]), "", "inf: not within as many updates as were planned"]
    if not math.isinf(medians["parley"]) and "comlrl" in medians:
        lines[-1] += f"; parley is {medians['comlrl'] / medians['parley']:.1f} times as fast"
    return "\n".join(lines)


if __name__ == "__main__":
    main()
