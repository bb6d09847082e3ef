# The race detector on the concurrent packages.
need gcc gcc libc6-dev
export CGO_ENABLED=1
# Kernels: what is compared bit for bit over many shapes takes the same paths as what remains, and minutes under the detector.
go test -race -skip 'TestAliasedRows|TestLowRank|TestFormats|TestLowSets|TestMulTDepthBlocked|TestMeasures' ./engine/native/kernel
go test -race -timeout 30m ./rl/rollout ./rl/rollout/gather ./engine/batching ./engine/shared ./serve/... ./runs/... ./model/hub ./internal/service/... ./serve/chatsession/... ./engine/openai/... ./task/user ./task/expert ./rl/verifier
go test -race -run 'TestTrace/(magrpo|marlhf)|State|Announce|Watch|Early|Failed|Replay' ./train
go test -race -run 'Scores|Faults|Certain|Program|Cancel' ./train/score
go test -race -run 'Conformance|Concurrent|Stream' ./engine/native ./model/tokenizer
go test -race -timeout 30m ./task/sandbox/...
