# Linters and gofumpt, as .golangci.yml says. `make format` formats.
"$(golangci)" run --allow-parallel-runners
(cd tools/makebase && "$(golangci)" run --allow-parallel-runners)

# In a pipe, grep -q ends at its first hit: what writes to it may fail then, and with pipefail the hit counts as none.
early="$(git grep -nE '\| *grep -[a-zA-Z]*q' -- '*.sh' .ci/run .ci/step || true)"
[ -z "$early" ] || { echo "write to a file first, and let grep -q read it: $early"; exit 1; }
