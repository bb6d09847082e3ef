# Every shipped recipe: two updates each over the shipped base, or a measurement where nothing is trained. The others are checked, and MAPoRL's
# experiments estimated.
export GOMAXPROCS=1 # two threads take a fifth more of the processors, and other steps run beside this one
parley="$(parley)"
export PARLEY_RUNS="$work/runs"
quietly "$parley" train magrpo-tiny --max-updates 2 --set eval.problems=4 --out "$PARLEY_RUNS/a-team" # to be distilled
for recipe in $("$parley" recipe list --json | python3 -c 'import json,sys; print("\n".join(r["name"] for r in json.load(sys.stdin)))'); do
  echo "-- $recipe"
  changes=()
  case "$recipe" in *mixed*) changes=(--set "models=[parley-base, $PWD/train/testdata/tiny-base]") ;; esac
  "$parley" recipe show "$recipe" --all >"$work/recipe.yaml"
  if ! grep -q '^model: parley-' "$work/recipe.yaml"; then
    "$parley" recipe check "$recipe"
    case "$recipe" in maporl-*) "$parley" train "$recipe" --dry-run >/dev/null ;; esac
    continue # its base does not come with parley: its tiny twin runs, the real checkpoint's recipes in the step real
  fi
  "$parley" recipe check "$recipe" "${changes[@]}" >"$work/check.txt"
  turn || continue # two updates of every recipe are compared with their golden by the step long
  if grep -qE '^algorithm: (none|collab)$' "$work/recipe.yaml"; then
    "$parley" eval "$recipe" --set eval.problems=2 --json >"$work/report.json" # nothing is trained
    continue
  fi
  case "$recipe" in distil-team-tiny) changes=(--set "distil.run=$PARLEY_RUNS/a-team") ;; esac
  "$parley" train "$recipe" --max-updates 2 --set eval.problems=4 --set "experiment.seeds=[]" "${changes[@]}" --json >"$work/report.json"
  python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); assert r["updates"] == 2*len(r.get("runs", [0])) and r["rows"], r' "$work/report.json"
done
