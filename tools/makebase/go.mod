module parley/tools/makebase

go 1.26.0

require (
	parley v0.0.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/dlclark/regexp2/v2 v2.12.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	go.starlark.net v0.0.0-20260908191801-89a6a09411d5 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace parley => ../..
