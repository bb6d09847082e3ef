# The size of every package, which fails where one breaks a rule of the house.
go run ./tools/report --check
