"""Did runs of three updates on a server train, and does this machine compute what the server computed?

usage: python check.py RUN...
"""
import json
import pathlib
import sys

import safetensors.numpy

for run in map(pathlib.Path, sys.argv[1:]):
    updates = [json.loads(line) for line in (run / "metrics.jsonl").open()]
    assert [u["update"] for u in updates] == [1, 2, 3], f"{run} has the updates {[u['update'] for u in updates]}"
    apart = [json.loads(line)["apart"] for line in (run / "timing.jsonl").open()]
    assert all(x <= 1e-3 for x in apart), f"{run}: log-probabilities are {apart} nats apart"
    adapters = sorted(folder for folder in (run / "adapters").iterdir() if folder.is_dir())
    for adapter in adapters:
        tensors = safetensors.numpy.load_file(adapter / "adapter_model.safetensors")
        assert any(t.any() for name, t in tensors.items() if "lora_B" in name), f"{adapter} is as it was made"
    print(f"{run.name}: {len(updates)} updates, {len(adapters)} adapters, log-probabilities at most {max(apart):.2g} nats apart")
