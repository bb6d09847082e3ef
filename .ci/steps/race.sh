# The race detector on the concurrent packages.
need gcc gcc libc6-dev
export CGO_ENABLED=1
packages=()
for package in $(go list ./engine/native/kernel ./rl/rollout/... ./cmd/parley/internal/servecmd ./serve/... ./runs/... ./model/hub ./internal/service/... ./engine/openai/... ./task/user ./rl/verifier ./task/sandbox/...); do
  if turn; then packages+=("$package"); fi
done
go test -race -timeout 30m "${packages[@]}"
if turn; then go test -race -run 'TestTrace/(magrpo|marlhf)|State|Announce|Watch|Early|Failed|Replay' ./train; fi
if turn; then go test -race -run 'Scores|Faults|Certain|Program|Cancel|Advi|Answer' ./train/score; fi
if turn; then go test -race -run 'Conformance|Concurrent|Stream' ./engine/native ./model/tokenizer; fi
