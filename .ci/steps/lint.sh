# Linters and gofumpt, as .golangci.yml says. `make format` formats.
"$(golangci)" run --allow-parallel-runners
(cd tools/makebase && "$(golangci)" run --allow-parallel-runners)
