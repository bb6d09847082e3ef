# Every entry of changelog/unreleased is written as changelog/README.md says.
go run ./tools/changelog
