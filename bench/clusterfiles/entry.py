"""Runs what the files of `parley cluster write` run on each machine, with programs in the place of those that install, meet and train.

usage: python entry.py FOLDER...

A folder is called by its kind: skypilot, slurm or kuberay. Every machine has to end as the one that it is: the first as the server, with settings that are
JSON and a launcher that is Python, and each other one as the worker of its number, with the address of the first. Nothing is installed and nothing is asked.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

FIRST, OTHER = "10.0.0.1", "10.0.0.2"

# What a machine has in place of its programs. A note is a line of JSON: the address where machines meet, and the words of a command.
NOTE = '''#!%s
import json, os, sys
with open(os.environ["NOTES"], "a") as f:
    f.write(json.dumps([os.environ.get("COORDINATOR"), sys.argv[1:]]) + "\\n")
''' % sys.executable
PROGRAMS = {
    "uv": '''#!/bin/bash
case "$1 ${!#}" in
  "venv skyrl") mkdir -p skyrl/bin && cp "$STAND_INS/note" skyrl/bin/python ;;
  "venv vllm") mkdir -p vllm/bin && cp "$STAND_INS/note" vllm/bin/vllm ;;
  run\\ *) exec "$STAND_INS/note" uv "$@" ;;
esac
''',
    "git": '#!/bin/bash\ncase "$1" in clone) mkdir -p "${!#}" ;; esac\n',
    "scontrol": "#!/bin/bash\nprintf '%s\\n' " + FIRST + " " + OTHER + "\n",
    "srun": '''#!/bin/bash
while [[ "$1" = --* ]]; do shift; done
for ((i = SLURM_NTASKS - 1; i >= 0; i--)); do SLURM_PROCID=$i "$@"; done
''',
    "hostname": "#!/bin/bash\necho " + FIRST + "\n",
    "python": '#!/bin/bash\nPYTHONPATH="$STAND_INS" exec ' + sys.executable + ' "$@"\n',
    "note": NOTE,
}
# Ray, on one machine: a task is a call.
RAY = '''
class Task:
    def __init__(self, f): self.remote = f
def remote(**options): return Task
def init(): pass
def get(values): return values
'''


class Machines:
    """A folder in the place of the machines' disks."""

    def __init__(self, folder):
        self.folder, self.notes = folder, folder / "notes"
        stand_ins = folder / "stand-ins"
        stand_ins.mkdir()
        for name, text in PROGRAMS.items():
            (stand_ins / name).write_text(text)
            (stand_ins / name).chmod(0o755)
        (stand_ins / "ray.py").write_text(RAY)
        self.env = {"PATH": f"{stand_ins}:/usr/bin:/bin", "HOME": str(folder / "home"), "NOTES": str(self.notes), "STAND_INS": str(stand_ins)}
        (folder / "home").mkdir()

    def run(self, script, **env):
        done = subprocess.run(["bash", "-c", script], env={**self.env, **env}, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"it ended with {done.returncode}: {done.stderr[-500:]}")

    def noted(self):
        """What was become since it was last asked."""
        notes = [json.loads(line) for line in self.notes.read_text().splitlines()] if self.notes.exists() else []
        self.notes.unlink(missing_ok=True)
        return notes


def skypilot(machines, path):
    task = yaml.safe_load(path.read_text())
    machines.run(task["setup"])
    ips = "\n".join([FIRST, OTHER][: task["num_nodes"]])
    for rank in range(task["num_nodes"]):
        machines.run(task["run"], SKYPILOT_NODE_RANK=str(rank), SKYPILOT_NODE_IPS=ips)
    return task["num_nodes"]


def slurm(machines, path):
    text = path.read_text()
    nodes = int(text.partition("#SBATCH --nodes=")[2].split()[0])
    machines.run(text, SLURM_NTASKS=str(nodes), SLURM_JOB_NODELIST="machine[1-2]")
    return nodes


def kuberay(machines, path):
    parts = {part["kind"]: part["spec"] for part in yaml.safe_load_all(path.read_text())}
    disk = str(machines.folder / "files")
    groups = [parts["RayCluster"]["headGroupSpec"], *parts["RayCluster"].get("workerGroupSpecs", [])]
    for group in groups:  # Kubernetes reads $$ as $
        for container in group["template"]["spec"]["initContainers"]:
            machines.run(container["command"][2].replace("$$", "$").replace("/files", disk))
    machines.run(parts["RayJob"]["entrypoint"].replace("/files", disk))
    return len(groups)


def judge(machines, nodes):
    """Whether so many machines have become a server and its workers."""
    notes = machines.noted()
    meeting = FIRST + ":7777" if nodes > 1 else None
    worker = ["-m", "skyrl.backends.jax", "--coordinator-address", meeting, "--num-processes", str(nodes), "--process-id"]
    workers = [note for note in notes if note[1][:1] == ["-m"]]
    if sorted(workers) != [[meeting, worker + [str(rank)]] for rank in range(1, nodes)]:
        raise ValueError(f"the workers are {workers}")
    servers = [note for note in notes if note not in workers]
    if len(servers) != 1 or servers[0][0] != meeting:
        raise ValueError(f"the servers are {servers}")
    words = servers[0][1]
    if words[0] == "serve.py":
        config = json.loads(words[1])["backend_config"]
        if config.get("num_processes", 1) != nodes or words[2:] not in (["127.0.0.1", "8000"], ["0.0.0.0", "8000"]):
            raise ValueError(f"the server is told {words[1:]}")
        (launcher,) = machines.folder.glob("**/serve.py")
        compile(launcher.read_text(), str(launcher), "exec")
    elif words[:2] == ["uv", "run"]:
        json.loads(words[words.index("--backend-config") + 1])
    elif words[0] != "serve":  # vLLM
        raise ValueError(f"it becomes {words}")


KINDS = {"skypilot": skypilot, "slurm": slurm, "kuberay": kuberay}


def main():
    failed = 0
    for folder in map(pathlib.Path, sys.argv[1:]):
        for path in sorted(folder.iterdir()):
            with tempfile.TemporaryDirectory() as own:
                machines = Machines(pathlib.Path(own))
                try:
                    nodes = KINDS[folder.name](machines, path)
                    judge(machines, nodes)
                    print("run on %d: %s of %s" % (nodes, path.name, folder))
                except Exception as error:  # each file is run, whatever is wrong with another
                    failed += 1
                    print(f"{path}: {error}", file=sys.stderr)
    if failed or len(sys.argv) < 2:
        sys.exit(f"{failed} files are wrong")


if __name__ == "__main__":
    main()
