#!/usr/bin/env bash
# Shows what the defaults teach: every algorithm, five seeds, on the shipped base, nothing stated but the algorithm and what it cannot do without.
#
#   bash bench/defaults.sh [FOLDER] [UPDATES]
#
# Prints a table in Markdown for docs/defaults.md: the mean reward of the first and of the last three updates, per algorithm, over seeds.
# Takes about half an hour on two cores with 30 updates. Needs Go and Python 3.
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
out="${1:-$(mktemp -d)}" updates="${2:-30}"
mkdir -p "$out"
(cd "$here" && go build -o "$out/parley" ./cmd/parley)
pair='task: {name: duet}
team: {protocol: parallel, turns: 1}
policies: {sharing: per-agent}
reward: {source: joint}'
recipe() {
  echo "name: $1"
  case "$1" in
    mappo) ;;
    sft) echo "algorithm: sft" ;;
    *) printf '%s\nalgorithm: %s\n' "$pair" "$1" ;;
  esac
}
for algorithm in mappo sft magrpo mareinforce marloo maremax iac maac madpo; do
  recipe "$algorithm" > "$out/$algorithm.yaml"
  for seed in 1 2 3 4 5; do
    "$out/parley" train "$out/$algorithm.yaml" --seed "$seed" --out "$out/$algorithm-s$seed" \
      --set training.updates="$updates" --set eval.problems=50 --set eval.examples=0 > /dev/null 2> "$out/$algorithm-s$seed.log" ||
      { tail -3 "$out/$algorithm-s$seed.log" >&2; exit 1; }
  done
done
python3 - "$out" <<'PY'
import glob, json, statistics, sys
print("| algorithm | first three updates | last three | gain on held-out problems, mean (least, greatest) |\n|---|---|---|---|")
for name in "mappo sft magrpo mareinforce marloo maremax iac maac madpo".split():
    first, last, gains = [], [], []
    for run in sorted(glob.glob(f"{sys.argv[1]}/{name}-s*/")):
        lines = [statistics.mean(json.loads(line)["reward"]) for line in open(run + "metrics.jsonl")]
        first.append(statistics.mean(lines[:3]))
        last.append(statistics.mean(lines[-3:]))
        gains.append(json.load(open(run + "report.json"))["gain"])
    print(f"| `{name}` | {statistics.mean(first):.3f} | {statistics.mean(last):.3f} | {statistics.mean(gains):+.3f} ({min(gains):+.3f}, {max(gains):+.3f}) |")
PY
