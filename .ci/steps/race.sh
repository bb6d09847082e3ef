# The race detector on the concurrent packages.
need gcc gcc libc6-dev
export CGO_ENABLED=1
go test -race -timeout 30m ./engine/native/kernel ./rl/rollout ./rl/rollout/gather ./cmd/parley/internal/servecmd ./serve/... ./runs/... ./model/hub ./internal/service/... ./engine/openai/... ./task/user ./rl/verifier
go test -race -run 'TestTrace/(magrpo|marlhf)|State|Announce|Watch|Early|Failed|Replay' ./train
go test -race -run 'Scores|Faults|Certain|Program|Cancel|Advi|Answer' ./train/score
go test -race -run 'Conformance|Concurrent|Stream' ./engine/native ./model/tokenizer
go test -race -timeout 30m ./task/sandbox/...
