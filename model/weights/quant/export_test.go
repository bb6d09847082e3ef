package quant

// What the goldens compare beside the package's own interface.
var (
	NestedCode     = nestedCode[:]
	Mean           = mean
	AbsmaxesAround = quantizeAbsmaxs
)
