# Every Go file is as gofmt leaves it; the step lint asks gofumpt.
unformatted="$(gofmt -l .)"
[ -z "$unformatted" ] || { echo "gofmt would change: $unformatted"; exit 1; }
