package kernel

// CopyRows copies n rows of one panel, from row from of o to row at of to, which are stored the same way.
func (k *Kernels) CopyRows(to Stored, at int, o Stored, from, n int) {
	switch {
	case to.BF16 == nil:
		copy(to.F32[at*panelWidth:][:n*panelWidth], o.F32[from*panelWidth:])
	case k.set.pairs == nil:
		copy(to.BF16[at*panelWidth:][:n*panelWidth], o.BF16[from*panelWidth:])
	default:
		copyPairedRows(to.BF16, at, o.BF16, from, n)
	}
}

// copyPairedRows copies rows that may be the second of a pair here and the first there.
func copyPairedRows(to []uint16, at int, o []uint16, from, n int) {
	const pair = 2 * panelWidth
	if at%2 == 0 && from%2 == 0 {
		whole := n / 2 * pair
		copy(to[at/2*pair:][:whole], o[from/2*pair:])
		at, from, n = at+n&^1, from+n&^1, n%2
	}
	for i := range n {
		dst, src := to[(at+i)/2*pair:][:pair], o[(from+i)/2*pair:][:pair]
		for j := 0; j < pair; j += 2 {
			dst[j+1-(at+i)%2] = src[j+1-(from+i)%2]
		}
	}
}

// CopyColumns copies n columns of one panel of so many rows, an even number: from column from of o on to column at of to.
func (k *Kernels) CopyColumns(to Stored, at int, o Stored, from, n, rows int) {
	switch {
	case n == panelWidth && to.BF16 != nil:
		copy(to.BF16[:rows*panelWidth], o.BF16)
	case n == panelWidth:
		copy(to.F32[:rows*panelWidth], o.F32)
	case to.BF16 == nil:
		copyColumns(to.F32[at:], o.F32[from:], panelWidth, n, rows)
	case k.set.pairs == nil:
		copyColumns(to.BF16[at:], o.BF16[from:], panelWidth, n, rows)
	default:
		copyColumns(to.BF16[2*at:], o.BF16[2*from:], 2*panelWidth, 2*n, rows/2)
	}
}

// copyColumns copies the first n words of rows that are so many apart.
func copyColumns[T uint16 | float32](to, o []T, apart, n, rows int) {
	for r := range rows {
		copy(to[r*apart:][:n], o[r*apart:])
	}
}
