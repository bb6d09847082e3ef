# What is done in this repository, by name. `make` lists it.
#
# CI is `make ci`. Each of its steps is a target too, `make ci-sandbox` for instance, and installs what it needs.

SHELL = bash
GOLANGCI = $$(. .ci/lib.sh && golangci)
STEPS = $(basename $(notdir $(wildcard .ci/steps/*.sh)))

.PHONY: help
help: ## lists the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14
	@echo 'ci-STEP       one step of CI: $(STEPS)'

.PHONY: build
build: ## builds ./parley
	CGO_ENABLED=0 go build -o parley ./cmd/parley

.PHONY: release
release: ## writes a release to dist: wheels, archives, checksums. The tag of the commit is its version
	go run ./tools/wheel --release --archives

.PHONY: test
test: ## runs the tests that need nothing but Go
	go test ./...

.PHONY: format
format: ## formats all Go files with gofumpt
	"$(GOLANGCI)" fmt

.PHONY: lint
lint: ## runs the linters of .golangci.yml
	"$(GOLANGCI)" run --allow-parallel-runners

.PHONY: report
report: ## prints the size of every room
	go run ./tools/report

.PHONY: changelog
changelog: ## prints the entries of changelog/unreleased
	go run ./tools/changelog

.PHONY: rehome
rehome: ## gives the module another path: make rehome MODULE=github.com/you/parley
	go run ./tools/rehome "$(MODULE)"

.PHONY: ci
ci: ## runs what must hold before a change lands: of the longest lists a sixth, whose turn it is
	bash .ci/run

.PHONY: full
full: ## runs all of CI, with the whole of every list, as before a release
	bash .ci/run --full

.PHONY: $(STEPS:%=ci-%)
$(STEPS:%=ci-%): ci-%:
	@bash .ci/step $*
