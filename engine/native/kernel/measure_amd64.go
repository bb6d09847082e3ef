package kernel

// The widths of the loops of gen/measure.go, in floating-point operations a step.
func peakLoopAVX2(n int) int {
	peakAVX2(n)
	return n * 12 * 8 * 2
}

func peakLoopAVX512(n int) int {
	peakAVX512(n)
	return n * 24 * 16 * 2
}

func peakLoopPairs(n int) int {
	peakPairsAVX512(n)
	return n * 24 * 32 * 2
}

func readLoopAVX2(mem []byte) { readAVX2(&mem[0], len(mem)/readBlock) }
