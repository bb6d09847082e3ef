package kernel

// The widths of the loops of gen/neonmeasure.go, in floating-point operations a step.
func peakLoopNEON(n int) int {
	peakNEON(n)
	return n * 24 * 4 * 2
}

func readLoopNEON(mem []byte) { readNEON(&mem[0], len(mem)/readBlock) }
