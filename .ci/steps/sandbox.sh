# The sandbox, and all that runs in it.
need bwrap bubblewrap
tags=sandbox,real
have_shared || { tags=sandbox; left_out "the solutions of the code tasks' whole data sets"; }
# Tests of the same packages without the tag are not run again: the step test has them.
files="$(git grep -l '^//go:build sandbox' -- '*_test.go' ':!internal/vectortest' ':(exclude,glob)cmd/parley/*_test.go')"
names="$(sed -n 's/^func \(Test[A-Za-z0-9]*\)(.*/\1/p' $files | sort -u | paste -s -d '|')"
# One package at a time: each already runs a program per core, and programs' limits are in seconds of the clock.
PARLEY_DATA="$shared/data" go test -p 1 -count=1 -timeout 20m -tags "$tags" -run "^($names)\$" $(dirname $files | sort -u | sed 's,^,./,')
go test -count=1 -tags sandbox -run TestVectorsMAGRPO ./internal/vectortest
go test -count=1 -tags sandbox -run Sandbox ./cmd/parley
