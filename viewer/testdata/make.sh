#!/bin/sh
# Makes the small runs that the tests of the page look at: a run of every kind of algorithm and workflow, of two updates and few problems,
# without what the page does not read (checkpoints, adapters, pictures in other forms).
#
#	go build -o parley ./cmd/parley && sh viewer/testdata/make.sh ./parley
set -eu
parley=$(realpath "$1")
to=$(dirname "$(realpath "$0")")/runs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$to"
for recipe in magrpo-tiny magrpo-tiny-cross chain-tiny c3-tiny atgrpo-tiny debate-sums maac-tiny iac-tiny madpo-tiny malt-tiny sweet-tiny ccpo-tiny \
	drmas-tiny kuhn-selfplay-tiny leader-tiny review-tiny fuse-tiny collab-tiny corex-discuss-tiny lessonl-tiny; do
	"$parley" recipe show "$recipe" >/dev/null 2>&1 || continue
	"$parley" train "$recipe" --out "$work/$recipe" --max-updates 2 --set eval.problems=8 --set training.problems=3 >"$work/log" 2>&1 || {
		"$parley" train "$recipe" --out "$work/$recipe-b" --max-updates 2 >"$work/log" 2>&1 || { tail -3 "$work/log"; continue; }
		rm -rf "$work/$recipe" && mv "$work/$recipe-b" "$work/$recipe"
	}
	rm -rf "${to:?}/$recipe"
	mkdir -p "$to/$recipe/episodes"
	cd "$work/$recipe"
	for name in run.json metrics.jsonl timing.jsonl trace.json checksums.jsonl diagnostics.json report.json report.md team.svg decoding.jsonl; do
		[ -f "$name" ] && cp "$name" "$to/$recipe/"
	done
	[ -d episodes ] && cp episodes/00000[12].jsonl.zst "$to/$recipe/episodes/" 2>/dev/null || true
	cd - >/dev/null
	sed -i "s,$work/$recipe,runs/$recipe,g; s,$work,runs,g" "$to/$recipe/report.md"
done
du -sk "$to"
