package kernel

// mulAdd is a·b + c with the product rounded first. The conversion keeps compilers from fusing the two, which would make the
// result depend on the platform.
func mulAdd(a, b, c float32) float32 { return float32(a*b) + c }

// genericMultiply goes over four columns at a time: their four chains hide each other's latency.
func genericMultiply(b block) {
	for p := range b.panels {
		panel := b.b[p*b.ldb:]
		for r := range b.rows {
			a := b.a[r*b.lda:][:b.depth]
			c := b.c[r*b.ldc+p*panelWidth:][:panelWidth]
			if !b.accumulate {
				clear(c)
			}
			for j := 0; j < panelWidth; j += 4 {
				genericChains(c[j:j+4], a, panel[min(j, len(panel)):])
			}
		}
	}
}

// genericChains continues four chains: c[j] += Σ_k a[k]·b[16k+j].
func genericChains(c, a, b []float32) {
	c = c[:4]
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	for k, v := range a {
		w := b[k*panelWidth:][:4]
		c0 = mulAdd(v, w[0], c0)
		c1 = mulAdd(v, w[1], c1)
		c2 = mulAdd(v, w[2], c2)
		c3 = mulAdd(v, w[3], c3)
	}
	c[0], c[1], c[2], c[3] = c0, c1, c2, c3
}

func genericOuter(b outerBlock) {
	for d := range b.depth {
		x := b.b[d*b.ldb:][:b.panels*panelWidth]
		for r, v := range b.a[d*b.lda:][:b.rows] {
			c := b.c[r*b.ldc:][:len(x)]
			for j := range c {
				c[j] = mulAdd(v, x[j], c[j])
			}
		}
	}
}

func genericPack(panel, w []float32, in, rows int) {
	for o := range panelWidth {
		if o >= rows {
			for i := range in {
				panel[i*panelWidth+o] = 0
			}
			continue
		}
		for i, v := range w[o*in:][:in] {
			panel[i*panelWidth+o] = v
		}
	}
}

func genericTranspose(dst, src []float32, ldd, blocks int) {
	for j := range blocks {
		block := src[j*panelWidth*panelWidth:]
		for i := range panelWidth {
			for o, v := range block[i*panelWidth:][:panelWidth] {
				dst[j*ldd+o*panelWidth+i] = v
			}
		}
	}
}
