"""A team of a trained local writer and a critic on llama.cpp's server: it trains, and again without the server, to the same bytes.

    python bench/endpoints/llamacpp.py --parley ./parley --model SmolLM2-135M-Instruct.Q4_1.gguf

The Python has the packages of ../serving/llama.txt: xllamacpp is llama.cpp's own server, ready built.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--parley", required=True, help="the program")
options.add_argument("--model", required=True, help="a GGUF file that llama.cpp serves")
options.add_argument("--updates", type=int, default=3)
options = options.parse_args()

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
url = f"http://127.0.0.1:{port}/v1"
work = pathlib.Path(tempfile.mkdtemp(prefix="parley-endpoints-"))
example = pathlib.Path(__file__).resolve().parents[2] / "examples" / "endpoint" / "team.yaml"


def train(out, *sets):
    """Trains the example's team with its critic at the server, and returns what it measured."""
    text = example.read_text().replace("http://127.0.0.1:8139/v1", url).replace("model: parley-base,", "model: small, stream: true,")
    (work / "team.yaml").write_text(text)
    command = [options.parley, "train", str(work / "team.yaml"), "--out", str(work / out)]
    sets += (f"training.updates={options.updates}", "training.problems=4", "group.size=2", "eval.problems=4", "training.failed_share=0", "servers.concurrent=4")
    for s in sets:
        command += ["--set", s]
    done = subprocess.run(command, env={**os.environ, "PARLEY_TOKEN": "secret"}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return (work / out / "metrics.jsonl").read_bytes()


server = subprocess.Popen(
    [sys.executable, str(pathlib.Path(__file__).resolve().parents[1] / "serving" / "llama_server.py"), "--model", options.model, "--alias", "small", "--port", str(port), "--key", "secret", "--slots", "4", "--context", "1024", "--threads", str(len(os.sched_getaffinity(0)))],
    stdout=(work / "server.log").open("w"), stderr=subprocess.STDOUT,
)
try:
    for _ in range(600):
        try:
            urllib.request.urlopen(urllib.request.Request(url + "/models", headers={"Authorization": "Bearer secret"}), timeout=5)
            break
        except OSError:
            if server.poll() is not None:
                sys.exit((work / "server.log").read_text()[-4000:])
            time.sleep(0.2)
    first = train("first")
finally:
    server.terminate()
    server.wait()
again = train("again", "servers.replay=true")
last = json.loads(first.splitlines()[-1])
print(f"{options.updates} updates against llama.cpp: {last['servers']['requests']} requests, {last['servers']['drawn_tokens']} tokens drawn, reward {last['reward']}")
if first != again:
    sys.exit(f"the run without its server differs: {work}")
shutil.rmtree(work)
print("without the server: the same metrics, byte for byte")
