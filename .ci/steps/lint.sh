# Linters and gofumpt, as .golangci.yml says. `make format` formats.
golangci="$(golangci)"
"$golangci" fmt --diff | head -n 200
"$golangci" run
