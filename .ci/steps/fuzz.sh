# Every fuzz target for a few seconds. Each package is built once for all its targets, and new inputs are kept where `go test -fuzz` keeps them.
# An input that is new is made smaller ten times at most: Go's fuzzer would do so for a minute, and try nothing else meanwhile.
corpus="$(go env GOCACHE)/fuzz"

# Go's fuzzer fails at times when its time is up while its workers are at something. That is no finding, and is tried again.
fuzz() {
  local folder="$1" target="$2"
  for attempt in 1 2 3; do
    (cd "$folder" && "$work/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime 2s -test.fuzzminimizetime 10x -test.parallel 2 -test.fuzzcachedir "$corpus/$(go list)") \
      >"$work/fuzz.log" 2>&1 && { grep '^fuzz:' "$work/fuzz.log" | tail -n 1; return; }
    grep -q 'context deadline exceeded' "$work/fuzz.log" && ! grep -q 'Failing input' "$work/fuzz.log" || break
  done
  cat "$work/fuzz.log"
  return 1
}

for folder in $(folders_with '^func Fuzz'); do
  built=
  for target in $(cd "$folder" && sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' $(go list -f '{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}')); do
    turn || continue
    [ "$built" ] || go test -c -fuzz . -o "$work/fuzz.test" "./$folder"
    built=1
    echo "$folder $target"
    fuzz "$folder" "$target"
  done
done
