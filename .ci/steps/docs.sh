# The commands of README.md and docs: those that can be run here are run; .ci/commands.txt says what becomes of the others.
need bwrap bubblewrap
go run ./tools/doccommands --parley "$(parley)"
