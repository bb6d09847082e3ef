#!/usr/bin/env bash
# Does a team learn on a server as it does on this machine? The pair of magrpo-tiny, 24 updates on each, with the same settings.
# usage: bench/cluster/learn.sh URL OUT    the server has the base that ships in float32 (examples/cluster/README.md)
set -euo pipefail
url="$1" out="$2"
settings=(--set sampling.temperature=1 --set policies.alpha=32 --set optimizer.weight_decay=0 --set training.updates=24 --set training.problems=8
  --set eval.problems=48 --set eval.temperature=1)
parley train magrpo-tiny "${settings[@]}" --set "engine.tinker.url=$url" --out "$out/server"
parley train magrpo-tiny "${settings[@]}" --out "$out/here"
python3 - "$out" <<'PYTHON'
import json, sys
for place in "server", "here":
    rewards = [json.loads(line)["reward"] for line in open(f"{sys.argv[1]}/{place}/metrics.jsonl")]
    means = [sum(r) / len(r) if isinstance(r, list) else r for r in rewards]
    print(place, *(f"{sum(means[i:i + 4]) / 4:.2f}" for i in range(0, len(means), 4)))
PYTHON
