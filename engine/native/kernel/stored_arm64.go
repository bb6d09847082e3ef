package kernel

//go:noescape
func roundInPlaceNEON(x *float32, n int)

//go:noescape
func putStoredNEON(dst *uint16, x *float32, stride, panels int)

func putPanelsNEON(to []uint16, stride int, x []float32) {
	if panels := len(x) / panelWidth; panels > 0 {
		_ = to[:(panels-1)*stride+panelWidth]
		putStoredNEON(&to[0], &x[0], stride, panels)
	}
}
