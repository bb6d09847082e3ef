{{/* Starts the workers as tasks of Ray: each needs all GPUs of a machine, and the server has those of the first. */ -}}
import subprocess
import sys

import ray


@ray.remote(num_gpus={{.GPUs}}, max_retries=0)
def work(folder, command, rank):
    subprocess.run([*command, "--process-id", str(rank)], cwd=folder, check=True)


ray.init()
ray.get([work.remote(sys.argv[1], sys.argv[2:], rank) for rank in range(1, {{.Nodes}})])
