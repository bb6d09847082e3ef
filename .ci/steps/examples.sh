# The examples run, and the loop learns: the last five rewards are above the first five by a tenth and more.
export GOMAXPROCS=1 # two threads take a fifth more of the processors, and other steps run beside this one
rm -rf "$work/adapters"
go run ./examples/loop -updates 20 -out "$work/adapters" | tee "$work/loop.log"
ls "$work/adapters"/policy-agent1/adapter_model.safetensors "$work/adapters"/policy-agent2/adapter_model.safetensors
awk '{ if (NR <= 5) first += $4; if (NR > 15) last += $4 } END { printf "first five %.3f, last five %.3f\n", first/5, last/5; exit !(NR == 20 && last > first + 0.1) }' "$work/loop.log"
# The projects train as their READMEs say. With the base that ships, the reward rises in all but the pair that writes programs.
need bwrap bubblewrap
parley="$(parley)"
export PARLEY_RUNS="$work/example-runs"
rm -rf "$work/examples" "$PARLEY_RUNS"
cp -r examples "$work/examples"
rm -rf "$work"/examples/{two-bases/second,json-debate/base,textarena,tau2} # the last two are in the step worlds
# makes_base FOLDER RECIPE RUN BASE trains the model that an example's recipe has for a base.
makes_base() {
  quietly "$parley" train "$work/examples/$1/$2.yaml" --json >"$work/report.json"
  "$parley" run export "$3" --merged --out "$work/examples/$1/$4"
}
for recipe in "$work"/examples/*/recipe.yaml; do
  turn || continue
  case "$recipe" in
    */two-bases/*) makes_base two-bases second second-base-s1 second ;;
    */json-debate/*) makes_base json-debate warm-up json-warm-up-s1 base ;;
  esac
  quietly "$parley" train "$recipe" --json >"$work/report.json"
  python3 - "$work/report.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
score = {row["system"]: row["score"] for row in report["rows"]}
print("{}: off-the-shelf {off-the-shelf:.3f}, trained {trained:.3f}".format(report["recipe"], **score))
assert score["trained"] > score["off-the-shelf"] or report["recipe"] == "code-pair", score
PYTHON
done
