#!/usr/bin/env bash
# What parley does where another program takes memory in mid-run: both are in a control group that has too little for both.
#
#   bash bench/shortage.sh PARLEY [LIMIT_MIB [OTHER_MIB [SECONDS]]]
#
# Needs root, Python 3, and control groups of version 1 or 2 with the memory controller. Prints what the run notes and how it ends; 137 means killed.
set -euo pipefail
parley="$(realpath "$1")" limit="${2:-760}" other="${3:-300}" after="${4:-4}"

group=/sys/fs/cgroup/parley-shortage bound=memory.max swap=memory.swap.max none=0
if [ -d /sys/fs/cgroup/memory ]; then
  group=/sys/fs/cgroup/memory/parley-shortage bound=memory.limit_in_bytes swap=memory.memsw.limit_in_bytes none="${limit}M"
fi
work="$(mktemp -d)"
mkdir -p "$group"
hog=
leave() {
  if [ -n "$hog" ]; then kill "$hog" 2>/dev/null || true; wait "$hog" 2>/dev/null || true; fi
  rm -rf "$work"
  rmdir "$group"
}
trap leave EXIT
echo "${limit}M" >"$group/$bound"
if [ -e "$group/$swap" ]; then echo "$none" >"$group/$swap"; fi

# Called in a subshell, which becomes the program.
inside() { echo "$BASHPID" >"$group/cgroup.procs" && exec "$@"; }
inside python3 -c 'import sys, time; time.sleep(float(sys.argv[2])); held = b"x" * (int(sys.argv[1]) << 20); time.sleep(600)' "$other" "$after" &
hog=$!
code=0
(inside "$parley" train debate-sums --max-updates 6 --out "$work/run") >"$work/log" 2>&1 || code=$?
grep -E '^note|update 6/6|^parley:' "$work/log" || true
echo "exit code $code"
