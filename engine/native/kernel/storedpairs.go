package kernel

// storedPairs are the functions of a set for keys and values in words of pairs, see [Stored].
type storedPairs struct {
	// multiply computes a block whose depth is counted in words.
	multiply func(b block)
	// roundLHS makes x words, the first of each pair in the upper half; odd: x begins with the second of a pair, beside a zero.
	roundLHS func(dst, x []float32, odd bool)
	// transpose writes n rows of width values into columns of a panel.
	transpose func(panel []uint16, column int, rows []float32, stride, n, width int)
	// put stores one row of a pair, the first or the second, in words of panels, stride values apart.
	put func(to []uint16, stride int, x []float32, second bool)
}
