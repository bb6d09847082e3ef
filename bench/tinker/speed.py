"""How fast a loop of the official SDK goes with `parley serve --tinker`, beside SkyRL's JAX backend: same model, same loop, in turns on one machine.

usage: python speed.py --parley FILE --skyrl PYTHON [--base FOLDER] [--rounds 5] [--samples 32] [--tokens 32]

This is run with SDK 0.25.0 (bench/tinker/0.25.0.txt), since newer ones do not sample from SkyRL. PYTHON has SkyRL (bench/cluster/requirements.txt); FOLDER
is a base in float32, by default a copy of the one that ships (bench/cluster/float32.py). A round samples completions, trains on them, and takes a step.
The first rounds of each server are not counted: SkyRL compiles its programs then.
"""

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from sdk import KEY, Server, ready

WARM = 2
BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROMPT = list(range(10, 26))


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--parley", required=True)
    args.add_argument("--skyrl", required=True)
    args.add_argument("--base")
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--samples", type=int, default=32, help="completions of a round")
    args.add_argument("--tokens", type=int, default=32, help="of a completion")
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = args.base or float32(args.skyrl, os.path.join(folder, "base"))
        ours = Server(args.parley, folder, base)
        theirs, url = skyrl(args.skyrl, base, folder)
        try:
            size = args.samples, args.tokens
            loops = {"parley": Loop(ours.url, base, *size), "SkyRL": Loop(url, base, *size)}
            times = {name: [] for name in loops}
            for number in range(WARM + args.rounds):
                for name, loop in loops.items():
                    seconds = loop.round(number)
                    if number >= WARM:
                        times[name].append(seconds)
            report(times, *size)
        finally:
            theirs.kill()
            ours.stop()
    os._exit(0)  # heartbeats are of no interest any more


def float32(python, to):
    shipped = os.path.join(BENCH, "..", "model", "shipped", "model")
    subprocess.run([python, os.path.join(BENCH, "cluster", "float32.py"), shipped, to], check=True)
    return to


def skyrl(python, base, folder):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    serve = os.path.join(BENCH, "cluster", "serve.py")
    log = open(os.path.join(folder, "skyrl.log"), "w")
    process = subprocess.Popen([python, serve, base, str(port)], cwd=folder, stdout=log, stderr=log, start_new_session=True)
    process.kill = lambda: os.killpg(process.pid, 9)  # the server and its engine
    url = "http://127.0.0.1:%d" % port
    for _ in range(300):
        try:
            urllib.request.urlopen(url + "/api/v1/healthz", timeout=5).read()
            return process, url
        except OSError:
            time.sleep(1)
        if process.poll() is not None:
            break
    else:
        process.kill()
    with open(log.name) as f:
        sys.exit("SkyRL does not answer: " + f.read()[-2000:])


class Loop:
    """A client's training loop against one server."""

    def __init__(self, url, base, drawn, length):
        import tinker

        self.tinker, self.drawn, self.length = tinker, drawn, length
        self.model = ready(tinker.ServiceClient(base_url=url, api_key=KEY).create_lora_training_client(base_model=base, rank=8, seed=1))

    def round(self, number):
        """Seconds of sampling, of the pass and the step, and of saving what is sampled from."""
        types = self.tinker.types
        begun = time.perf_counter()
        sampler = ready(self.model.save_weights_and_get_sampling_client())
        saved = time.perf_counter()
        params = types.SamplingParams(max_tokens=self.length, temperature=1.0, seed=number, stop=[])
        got = sampler.sample(types.ModelInput.from_ints(PROMPT), self.drawn, params).result(timeout=600)
        drawn = time.perf_counter()
        data = [self.datum(list(s.tokens), list(s.logprobs), 1.0 if i % 2 else -1.0) for i, s in enumerate(got.sequences)]
        first = self.model.forward_backward(data, "importance_sampling")
        second = self.model.optim_step(types.AdamParams(learning_rate=1e-5))
        first.result(timeout=600)
        second.result(timeout=600)
        return drawn - saved, time.perf_counter() - drawn, saved - begun

    def datum(self, tokens, logprobs, advantage):
        whole, before = PROMPT + tokens, [0.0] * (len(PROMPT) - 1)
        inputs = {"target_tokens": whole[1:], "logprobs": before + logprobs, "advantages": before + [advantage / (self.drawn * self.length)] * len(tokens)}
        return self.tinker.types.Datum(model_input=self.tinker.types.ModelInput.from_ints(whole[:-1]), loss_fn_inputs=inputs)


def report(times, drawn, length):
    median = {name: [statistics.median(t[k] for t in all) for k in range(3)] for name, all in times.items()}
    print("| | parley | SkyRL | ratio |\n|---|---|---|---|")
    tokens = drawn * length, drawn * (len(PROMPT) - 1 + length)
    for k, what in enumerate(["tokens sampled per second", "tokens trained per second"]):
        a, b = (tokens[k] / median[name][k] for name in ("parley", "SkyRL"))
        print("| %s | %.0f | %.0f | %.1f |" % (what, a, b, a / b))
    whole = {name: statistics.median(sum(t) for t in all) for name, all in times.items()}
    print("| seconds a round, with the weights handed over | %.2f | %.2f | %.1f |" % (whole["parley"], whole["SkyRL"], whole["SkyRL"] / whole["parley"]))


if __name__ == "__main__":
    main()
