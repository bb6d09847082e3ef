"""Starts SkyRL for two machines as the files of `parley cluster write slurm --nodes 2` say, on one machine and its CPU, and trains on it.

usage: python machines.py --parley FILE --environment FOLDER --base FOLDER

This is run with the Python of an environment that has SkyRL and the SDK that it comes with (bench/cluster/requirements.txt), which --environment names; the base
is in float32. The batch script runs unchanged. Stand-ins on the PATH do what a cluster does: scontrol names the machines, srun starts a task for each, and
uv, which would install SkyRL, links to the environment.
"""
import argparse
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

STAND_INS = {
    "scontrol": "echo 127.0.0.1",
    "srun": 'while [[ "$1" = --* ]]; do shift; done; SLURM_PROCID=1 "$@" >worker.log 2>&1 & SLURM_PROCID=0 "$@" >server.log 2>&1 & wait',
    "uv": 'if [ "$1" = venv ]; then mkdir skyrl; for f in "$ENVIRONMENT"/*; do ln -s "$f" skyrl/; done; fi',
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--parley", required=True)
    parser.add_argument("--environment", required=True)
    parser.add_argument("--base", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, socket.socket() as s:
        folder = pathlib.Path(folder)
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
        command = [args.parley, "cluster", "write", "slurm", "magrpo-tiny", "--base", args.base, "--gpus", "1", "--nodes", "2", "--sequences", "8", "--port", port]
        subprocess.run(command + ["--out", folder / "files"], check=True, stdout=subprocess.DEVNULL)
        s.close()
        batch = start(folder, os.path.abspath(args.environment))
        try:
            train("http://127.0.0.1:" + port, args.base, batch)
        except BaseException:
            for log in sorted(folder.glob("home/*/*.log")):
                print(log.name + ":", log.read_text()[-1500:], sep="\n", file=sys.stderr)
            raise
        finally:
            os.killpg(batch.pid, signal.SIGKILL)
            batch.wait()
    os._exit(0)  # heartbeats are of no interest any more


def start(folder, environment):
    stand_ins = folder / "bin"
    stand_ins.mkdir()
    for name, text in STAND_INS.items():
        (stand_ins / name).write_text("#!/bin/bash\n%s\n" % text)
        (stand_ins / name).chmod(0o755)
    (folder / "home").mkdir()
    env = dict(os.environ, HOME=str(folder / "home"), PATH="%s:%s" % (stand_ins, os.environ["PATH"]), ENVIRONMENT=environment, SLURM_JOB_NODELIST="machine[1-2]")
    env.update(JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1")
    return subprocess.Popen(["bash", folder / "files" / "skyrl.sbatch"], env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def train(url, base, batch):
    """A few steps on one datum, which it learns, and a completion of what was trained."""
    os.environ.update(TINKER_BASE_URL=url, TINKER_API_KEY="tml-none", TINKER_TELEMETRY="0")
    import tinker
    from tinker import types

    for _ in range(300):
        try:
            urllib.request.urlopen(url + "/api/v1/healthz", timeout=5).read()
            break
        except OSError:
            if batch.poll() is not None:
                sys.exit("the batch script ended with %d" % batch.returncode)
            time.sleep(1)
    model = tinker.ServiceClient().create_lora_training_client(base_model=base, rank=8, seed=1)
    tokens = [10, 11, 12, 13, 14, 15]
    datum = types.Datum(model_input=types.ModelInput.from_ints(tokens[:-1]), loss_fn_inputs={"target_tokens": tokens[1:], "weights": [1.0] * 5})
    scores = []
    for _ in range(3):
        passed = model.forward_backward([datum], "cross_entropy")
        stepped = model.optim_step(types.AdamParams(learning_rate=1e-2))
        scores.append(sum(passed.result(timeout=300).loss_fn_outputs[0]["logprobs"].data))
        stepped.result(timeout=300)
    sampler = model.save_weights_and_get_sampling_client()
    params = types.SamplingParams(max_tokens=8, seed=1, stop=[2])
    drawn = sampler.sample(types.ModelInput.from_ints(tokens[:3]), 2, params).result(timeout=300)
    print("two processes: log-probabilities %s, %d completions" % (", ".join("%.2f" % x for x in scores), len(drawn.sequences)))
    if not scores[0] < scores[1] < scores[2] or len(drawn.sequences) != 2:
        sys.exit("it does not learn")


if __name__ == "__main__":
    main()
