# The size of every package, for whoever reads the log.
go run ./tools/report
