"""Drives `parley serve --tinker` with the installed official SDK, unchanged: trains, trains a loss of its own, saves, is killed, resumes, samples.

usage: python sdk.py --parley FILE [--drive FILE]

--drive is a program that calls every feature of the SDK against a server and prints a line for each, "ok" or "FAIL". The server refuses three of them on
purpose: a loss that only the hosted service has, one that nobody has, and a setting that a loss does not have.
"""

import argparse
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

REFUSED = ["forward_backward gspo null", "forward_backward nonsense null", 'forward_backward ppo {"beta": 1.0}']
KEY = "tml-bench"


class Server:
    """A server over a folder of checkpoints."""

    def __init__(self, parley, folder, base="parley-base", **env):
        self.log = open(os.path.join(folder, "server.log"), "a+")
        self.start = self.log.seek(0, os.SEEK_END)
        command = [parley, "serve", "--tinker", "--model", base, "--addr", "127.0.0.1:0", "--state", os.path.join(folder, "state")]
        self.began = time.time()
        self.process = subprocess.Popen(command, stderr=self.log, env=dict(os.environ, PARLEY_TOKEN=KEY, **env))
        self.url = self.address()
        os.environ["TINKER_BASE_URL"], os.environ["TINKER_API_KEY"] = self.url, KEY

    def address(self):
        for _ in range(600):
            self.log.seek(self.start)
            for line in self.log.read().splitlines():
                if line.startswith("listening on "):
                    return line.split()[-1]
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.log.seek(self.start)
        sys.exit("the server does not listen: " + self.log.read())

    def memory(self):
        """MB that are resident."""
        with open("/proc/%d/status" % self.process.pid) as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) / 1024

    def heaps(self):
        """Of each collection of garbage, where GODEBUG has gctrace=1: the second of the server's life, and the MB that were left."""
        self.log.seek(self.start)
        return [(float(m[1]), float(m[2])) for m in re.finditer(r"(?m)^gc \d+ @([\d.]+)s .*->(\d+) MB, ", self.log.read())]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=60)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--parley", required=True)
    args.add_argument("--drive")
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(args.parley, folder)
        import tinker

        print("tinker", tinker.__version__)
        before = train(tinker)
        server.kill()
        server = Server(args.parley, folder)
        resume(tinker, *before)
        if args.drive:
            drive(args.drive, folder)
        print("memory of the server: %.0f MB" % server.memory())
        if code := server.stop():
            sys.exit("the server ended with %d" % code)


def datum(tinker, tokens, **inputs):
    inputs.setdefault("target_tokens", tokens[1:] + [7])
    return tinker.types.Datum(model_input=tinker.types.ModelInput.from_ints(tokens), loss_fn_inputs=inputs)


def ready(client):
    """Newer releases promise clients, older ones give them."""
    return client.result(timeout=60) if hasattr(client, "result") else client


def data(tinker):
    return [datum(tinker, [10, 11, 12, 13, 14], weights=[0.0, 0.0, 1.0, 1.0, 1.0]), datum(tinker, [20, 21, 22], weights=[1.0] * 3)]


def step(tinker, client):
    """One step; both requests go out before either is waited for, as the SDK's users do."""
    first = client.forward_backward(data(tinker), "cross_entropy")
    second = client.optim_step(tinker.types.AdamParams(learning_rate=1e-2, weight_decay=0.1, grad_clip_norm=1.0))
    return first.result(timeout=60), second.result(timeout=60)


def scores(tinker, client):
    return list(client.forward(data(tinker), "cross_entropy").result(timeout=60).loss_fn_outputs[0]["logprobs"].data)


def train(tinker):
    """Trains, and returns the path of a checkpoint with the log-probabilities of two steps later."""
    service = tinker.ServiceClient()
    client = ready(service.create_lora_training_client(base_model="parley-base", rank=8, seed=3))
    losses = [step(tinker, client)[0].metrics["loss:sum"] for _ in range(4)]
    print("losses", ["%.3f" % x for x in losses])
    if not losses[-1] < losses[0]:
        sys.exit("training does not learn")
    custom(tinker, service)
    path = client.save_state("middle").result(timeout=60).path
    for _ in range(2):
        step(tinker, client)
    sampled = sample(tinker, ready(client.save_weights_and_get_sampling_client()))
    return path, scores(tinker, client), sampled


def sample(tinker, sampler):
    params = tinker.types.SamplingParams(max_tokens=16, temperature=1.0, seed=2**63 + 9, stop=[])
    got = sampler.sample(tinker.types.ModelInput.from_ints([10, 11, 12]), 2, params).result(timeout=60)
    return [(list(s.tokens), list(s.logprobs)) for s in got.sequences]


def custom(tinker, service):
    """A loss of the client's own takes the step that the same loss of the protocol takes."""
    import torch

    own, plain = (ready(service.create_lora_training_client(base_model="parley-base", rank=8, seed=5)) for _ in range(2))

    def loss(data, logprobs):
        total = sum((-p * torch.tensor(d.loss_fn_inputs["weights"].data)).sum() for d, p in zip(data, logprobs))
        return total, {"mine": float(total.detach())}

    adam = tinker.types.AdamParams(learning_rate=1e-2)
    own.forward_backward_custom(data(tinker), loss).result(timeout=60)
    own.optim_step(adam).result(timeout=60)
    plain.forward_backward(data(tinker), "cross_entropy").result(timeout=60)
    plain.optim_step(adam).result(timeout=60)
    gap = max(abs(a - b) for a, b in zip(scores(tinker, own), scores(tinker, plain)))
    print("a loss of the client's own: log-probabilities %.2g apart" % gap)
    if not gap < 1e-5:
        sys.exit("it takes another step")


def resume(tinker, path, wanted, sampled):
    """Goes on from a checkpoint, on a server that was killed, bit for bit."""
    client = ready(tinker.ServiceClient().create_training_client_from_state_with_optimizer(path))
    for _ in range(2):
        step(tinker, client)
    if scores(tinker, client) != wanted:
        sys.exit("the resumed model is another: %s, want %s" % (scores(tinker, client), wanted))
    if sample(tinker, ready(client.save_weights_and_get_sampling_client())) != sampled:
        sys.exit("the resumed model samples something else")
    print("killed and resumed: the same log-probabilities and samples, bit for bit")
    if not all(math.isfinite(x) for x in wanted):
        sys.exit("they are no numbers")


def drive(program, folder):
    out = subprocess.run([sys.executable, program, "parley-base"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    lines = out.splitlines()
    passed = [line for line in lines if line.startswith("ok ")]
    failed = [line[5:] for line in lines if line.startswith("FAIL ")]
    unexpected = [line for line in failed if not any(line.startswith(name + " {") for name in REFUSED)]
    print("%d features pass, %d are refused as they should be" % (len(passed), len(failed) - len(unexpected)))
    if unexpected or len(failed) != len(REFUSED) or len(passed) < 60:
        sys.exit("\n".join(["unexpected:"] + unexpected + lines[-5:]))


if __name__ == "__main__":
    main()
