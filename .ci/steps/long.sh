# What takes longer than a test may: trainings of every algorithm over three seeds, runs of all systems that are interrupted and go on, all draws of a property.
# The step test has a small one of each kind. Tests of the same packages without the tag are not run again.
need bwrap bubblewrap
files="$(git grep -l '^//go:build long$' -- '*_test.go')"
names="$(sed -n 's/^func \(Test[A-Za-z0-9]*\)(.*/\1/p' $files | paste -s -d '|')"
# Of long lists the step test has a sixth, and this one all; see internal/turn.
sampled="$(git grep -l 'turn\.Share(' -- '*_test.go' ':!internal/turn')"
names="$names|$(awk '/^func /{name = $2; sub(/\(.*/, "", name)} /turn\.Share\(/{print name}' $sampled | sort -u | paste -s -d '|')"
export PARLEY_CI_WHOLE=1
go test -timeout 30m -tags long -run "^($names)\$" $(dirname $files $sampled | sort -u | sed 's,^,./,')
