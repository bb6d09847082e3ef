# What takes longer than a test may: trainings of every algorithm over three seeds, runs of all systems that are interrupted and go on, all draws of a property.
# The step test has a small one of each kind. Tests of the same packages without the tag are not run again.
need bwrap bubblewrap
files="$(git grep -l '^//go:build long$' -- '*_test.go')"
names="$(sed -n 's/^func \(Test[A-Za-z0-9]*\)(.*/\1/p' $files | paste -s -d '|')"
go test -vet=off -timeout 30m -tags long -run "^($names)\$" $(dirname $files | sort -u | sed 's,^,./,')
