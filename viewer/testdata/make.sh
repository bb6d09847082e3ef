#!/bin/sh
# Makes the small runs that the tests of the page look at: a run of every algorithm and kind of workflow, of two updates and few problems,
# without what the page does not read (checkpoints, adapters, pictures in other forms, what the recipe's file says about each key).
#
#	go build -o parley ./cmd/parley && sh viewer/testdata/make.sh ./parley [NAME…]
#
# With names it makes these runs only.
set -eu
parley=$(realpath "$1")
shift
only=" $* "
to=$(dirname "$(realpath "$0")")/runs
sources=$(realpath "$to/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$to"
heldout='vote-panel' # runs whose answers to held-out problems are kept too; the others are as runs of earlier releases
small='--max-updates 2 --set eval.problems=8 --set training.problems=3'

# run NAME RECIPE FLAGS… trains a run; where the recipe has no room for so few problems, with as many as it says.
run() {
	name=$1
	recipe=$2
	shift 2
	"$parley" train "$recipe" --out "$work/$name" $small "$@" >"$work/log" 2>&1 || {
		rm -rf "$work/$name"
		"$parley" train "$recipe" --out "$work/$name" --max-updates 2 "$@" >"$work/log" 2>&1 || { tail -3 "$work/log"; return 1; }
	}
}

# keep NAME DIR keeps what the page reads of a run, without the paths of this machine.
keep() {
	rm -rf "${to:?}/$1"
	mkdir -p "$to/$1/episodes"
	for file in run.json metrics.jsonl timing.jsonl trace.json checksums.jsonl diagnostics.json report.json report.md team.svg decoding.jsonl contribution.json; do
		[ -f "$2/$file" ] && cp "$2/$file" "$to/$1/"
	done
	case " $heldout " in *" $1 "*) mkdir -p "$to/$1/evaluation" && cp "$2"/evaluation/*.jsonl.zst "$to/$1/evaluation/" ;; esac
	cp "$2"/episodes/00000[12].jsonl.zst "$to/$1/episodes/" 2>/dev/null || true
	# What was changed has no checksum: it is read as a file of an earlier release is.
	sed -i -E -z "s,$2,runs/$1,g; s,$work,runs,g; s,$sources/,,g; s/,\n *\"checksum\": \"[0-9a-f]*\"\n\}/\n}/; s/\\\\n *#([^\\\\\"]|\\\\[^n])*//g" "$to/$1/run.json"
	sed -i "s,$2,runs/$1,g; s,$work,runs,g" "$to/$1/report.md"
}

wanted() { [ "$only" = "  " ] || [ "${only#* "$1" }" != "$only" ]; }

# make NAME RECIPE FLAGS… makes a run and keeps it.
make() {
	wanted "$1" || return 0
	run "$@"
	[ "$1" != review-tiny ] || "$parley" run contribution "$work/$1" >"$work/log" 2>&1
	keep "$1" "$work/$1"
}

for recipe in magrpo-tiny magrpo-tiny-cross chain-tiny c3-tiny atgrpo-tiny debate-sums maac-tiny iac-tiny madpo-tiny malt-tiny sweet-tiny ccpo-tiny \
	drmas-tiny kuhn-selfplay-tiny leader-tiny review-tiny fuse-tiny collab-tiny marloo-tiny mareinforce-tiny maremax-tiny tool-sums-tiny path-tiny \
	tictactoe-selfplay-tiny read-s-tiny; do
	make "$recipe" "$recipe"
done
make vote-panel vote-tiny --set eval.every=1 --set eval.panel=6 --set eval.baselines=[single,majority-vote]
make leader-warm-up "$to/../../../examples/leader-warm-up/warm-up.yaml" # algorithm sft
make own-harness "$to/../../../examples/own-harness/recipe.yaml" # a team in a program
if wanted distil-team-tiny; then # of a team that is trained already
	[ -d "$work/magrpo-tiny" ] || run magrpo-tiny magrpo-tiny
	make distil-team-tiny distil-team-tiny --set distil.run="$work/magrpo-tiny" --set task.train=16
fi
if wanted mutual-tiny; then # an experiment: one of its runs
	run mutual-tiny mutual-tiny
	keep mutual-tiny "$work/mutual-tiny/two-way-s1"
fi
# Teams that are measured only leave no run. Here they are trained, so that there are dialogues of their workflows.
for recipe in lessonl-tiny corex-discuss-tiny corex-review-tiny corex-retrieve-tiny; do
	make "$recipe" "$recipe" --set algorithm=magrpo --set group.rollout=episodes --set group.size=4 --set group.discount=1 --set policies.sharing=per-agent --set eval.baselines=[]
done
du -sk "$to"
