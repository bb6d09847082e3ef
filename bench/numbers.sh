#!/usr/bin/env bash
# Shows that no number changed between two revisions: both train two updates of every recipe over the shipped base, and every
# metrics.jsonl must be equal byte for byte.
#
#   bash bench/numbers.sh OLD [NEW [RECIPE...]]
#
# OLD and NEW are revisions of git; without NEW, or with NEW "-", this checkout is taken as it is, with what is not committed. Prints one
# line a recipe and exits with 1 where a file differs, is missing, or a run fails. Takes about five minutes on two cores.
# Needs Go and Python 3; the recipes of code tasks run programs, so they need bubblewrap too. PARLEY_CPU chooses the kernel set of both.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: bash bench/numbers.sh OLD [NEW [RECIPE...]]" >&2; exit 2; }
here="$(cd "$(dirname "$0")/.." && pwd)"
old="$1" new="${2:--}"
shift $(($# < 2 ? $# : 2))
work="$(mktemp -d)"
leave() {
  rm -rf "$work"
  git -C "$here" worktree prune
}
trap leave EXIT

# build SIDE REVISION builds a revision; its tree is then linked as $work/SIDE.tree, its binary is $work/SIDE.parley.
build() {
  if [ "$2" = - ]; then
    ln -s "$here" "$work/$1.tree"
  else
    git -C "$here" worktree add --quiet --detach "$work/$1.tree" "$2"
  fi
  (cd "$work/$1.tree" && go build -o "$work/$1.parley" ./cmd/parley)
}

# recipes SIDE lists the recipes whose base comes with parley.
recipes() {
  local name
  "$work/$1.parley" recipe list --json | python3 -c 'import json, sys; print("\n".join(r["name"] for r in json.load(sys.stdin)))' | while read -r name; do
    "$work/$1.parley" recipe show "$name" >"$work/recipe.yaml"
    grep '^model: ' "$work/recipe.yaml" | grep -v '^model: parley-' >/dev/null || echo "$name"
  done
}

# record SIDE RECIPE trains two updates and leaves the metrics of all its runs in $work/SIDE/RECIPE.
record() {
  local changes=() run="$work/$1.runs/$2"
  case "$2" in *mixed*) changes=(--set "models=[parley-base, $work/$1.tree/train/testdata/tiny-base]") ;; esac
  mkdir -p "$work/$1/$2"
  "$work/$1.parley" train "$2" --out "$run" --max-updates 2 --set eval.problems=20 --set "experiment.seeds=[]" "${changes[@]}" --json \
    >"$work/report.json" 2>"$work/$1.log" || return 1
  (cd "$run" && find . -name metrics.jsonl -exec cp --parents {} "$work/$1/$2" \;)
  rm -rf "$run"
}

# compare RECIPE prints how the two sides did, and fails unless there are metrics and all are equal.
compare() {
  local side files
  for side in old new; do
    record "$side" "$1" || { echo "FAILED   $1 ($side): $(tail -n 1 "$work/$side.log")"; return 1; }
  done
  files="$(find "$work/old/$1" -type f | wc -l)"
  if [ "$files" -eq 0 ] || ! diff -r "$work/old/$1" "$work/new/$1" >"$work/diff"; then
    echo "DIFFERS  $1"
    sed 's/^/         /' "$work/diff" | cut -c 1-200 | head -n 6
    return 1
  fi
  echo "equal    $1 (metrics.jsonl: $files)"
}

build old "$old"
build new "$new"
[ $# -gt 0 ] || mapfile -t both < <({ recipes old; recipes new; } | sort -u)
[ $# -eq 0 ] || both=("$@")
code=0
for recipe in "${both[@]}"; do compare "$recipe" || code=1; done
exit "$code"
