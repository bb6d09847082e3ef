"""Read what parley writes for TensorBoard and sends to MLflow with the real ones, and compare it with metrics.jsonl.

    python3 bench/tracking/check.py --parley ./parley

A training is killed in its middle and goes on. TensorBoard has to read every number of every update once, with its step and a wall time of the
training; an MLflow server has to hold the same numbers in one run. Both again by `parley run export`.
"""

import argparse
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

UPDATES = 8

RECIPE = f"""
name: tracked
task: {{train: 50}}
team: {{prompts: {{first: 'Question: {{{{.Question}}}}', later: 'Once again: {{{{.Question}}}}'}}}}
training: {{problems: 2, updates: {UPDATES}, tensorboard: events, mlflow: {{url: 'URL', experiment: teams}}}}
ppo: {{minibatches: 1, epochs: 1}}
sampling: {{max_tokens: 8}}
reward: {{penalties: {{min_tokens: 0}}}}
eval: {{problems: 2, examples: 0, baselines: []}}
"""


def flat(value, name=""):
    """The numbers of a JSON value by their paths, lists from 1."""
    if isinstance(value, bool):
        return {}
    if isinstance(value, (int, float)):
        return {name: float(value)}
    items = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
    found = {}
    for key, inner in items:
        found.update(flat(inner, f"{name}/{key}" if name else str(key)))
    return found


def expected(run):
    """What metrics.jsonl says: name -> {step: value}."""
    found = {}
    for line in (run / "metrics.jsonl").read_text().splitlines():
        record = json.loads(line)
        step = record.pop("update")
        for name, value in flat(record).items():
            found.setdefault(name, {})[step] = value
    return found


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(b))  # TensorBoard's numbers are float32


def compare(where, want, got):
    """got is name -> list of (step, value)."""
    for name, steps in want.items():
        pairs = got(name)
        if [s for s, _ in pairs] != sorted(steps) or not all(close(v, steps[s]) for s, v in pairs):
            sys.exit(f"{where}: {name} is {pairs}, want {steps}")
    print(f"{where}: {len(want)} names over {UPDATES} updates agree")


def tensorboard(folder, run, began, ended):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    report = json.loads((run / "report.json").read_text())
    want = expected(run)
    compare(f"TensorBoard reads {folder.name}", want, lambda name: [(e.step, e.value) for e in events.Scalars(name)])
    result = events.Scalars("results/trained/score")
    score = next(r["score"] for r in report["rows"] if r["system"] == "trained")
    if [(e.step, close(e.value, score)) for e in result] != [(UPDATES, True)]:
        sys.exit(f"TensorBoard: results are {result}")
    walls = [e.wall_time for e in events.Scalars("reward/1")]
    if walls != sorted(walls) or walls[0] < began - 2 or walls[-1] > ended + 2:
        sys.exit(f"TensorBoard: wall times {walls}, the training was from {began} to {ended}")
    if len(events.Scalars("timing/seconds")) < UPDATES - 1:  # the update that was killed may have none
        sys.exit("TensorBoard: timing is missing")


def mlflow(url, run):
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=url)
    experiment = client.get_experiment_by_name("teams")
    found = client.search_runs([experiment.experiment_id])
    if len(found) != 1:
        sys.exit(f"MLflow: {len(found)} runs, want 1")
    info, data = found[0].info, found[0].data
    if info.status != "FINISHED" or info.run_name != run.name or data.params["training.updates"] != str(UPDATES):
        sys.exit(f"MLflow: status {info.status}, name {info.run_name}, parameters {data.params}")
    compare("MLflow holds the run", expected(run), lambda name: sorted((m.step, m.value) for m in client.get_metric_history(info.run_id, name)))
    if "results/trained/score" not in data.metrics:
        sys.exit(f"MLflow: no results among {sorted(data.metrics)}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def await_server(url, server):
    for _ in range(240):
        if server.poll() is not None:
            sys.exit(f"mlflow server ended with {server.returncode}")
        try:
            urllib.request.urlopen(f"{url}/health", timeout=2)
            return
        except OSError:
            time.sleep(0.5)
    sys.exit("mlflow server does not answer")


def train(parley, work, url):
    """Train with a kill in the middle; the run's folder."""
    (work / "tracked.yaml").write_text(RECIPE.replace("URL", url))
    run = work / "runs" / "tracked-s1"
    first = subprocess.Popen([parley, "train", "tracked.yaml", "--out", str(run)], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = run / "metrics.jsonl"
    while first.poll() is None and not (lines.exists() and lines.read_text().count("\n") >= 3):
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    first.wait()
    done = subprocess.run([parley, "train", "--resume", str(run)], cwd=work, capture_output=True, text=True)
    if done.returncode != 0 or "MLflow" in done.stderr or "TensorBoard" in done.stderr:
        sys.exit(f"train --resume: {done.returncode}\n{done.stderr}")
    return run


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--parley", default="parley")
    parley = os.path.abspath(arguments.parse_args().parley)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        url = f"http://127.0.0.1:{free_port()}"
        server = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", url.rsplit(":", 1)[1], "--workers", "1",
             "--backend-store-uri", f"sqlite:///{work}/mlflow.db", "--artifacts-destination", str(work / "artifacts")],
            cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            await_server(url, server)
            began = time.time()
            run = train(parley, work, url)
            ended = time.time()
            tensorboard(work / "events" / run.name, run, began, ended)
            mlflow(url, run)
            subprocess.run([parley, "run", "export", str(run), "--tensorboard", "--out", "exported"], cwd=work, check=True, stdout=subprocess.DEVNULL)
            tensorboard(work / "exported" / run.name, run, began, ended)
            subprocess.run([parley, "run", "export", str(run), "--mlflow", url, "--experiment", "teams"], cwd=work, check=True, stdout=subprocess.DEVNULL)
            mlflow(url, run)
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait()


if __name__ == "__main__":
    main()
