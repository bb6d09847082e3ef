# The sandbox, and all that runs in it.
need bwrap bubblewrap
tags=sandbox,real
have_shared || { tags=sandbox; left_out "the solutions of the code tasks' whole data sets"; }
# One package at a time: each already runs a program per core, and programs' limits are in seconds of the clock.
PARLEY_DATA="$shared/data" go test -p 1 -count=1 -timeout 20m -tags "$tags" ./task/sandbox ./task/code ./task/classeval ./cmd/parley/internal/datacmd ./task/user ./rl/rollout/tools ./task/world ./systems/lessonl/executor
go test -count=1 -tags sandbox ./internal/vectortest
go test -count=1 -tags sandbox -run Sandbox ./cmd/parley ./train
