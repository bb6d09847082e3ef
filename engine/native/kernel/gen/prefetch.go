package main

// Offsets of the words that a tile which prefetches at an even pace is handed: the Go type pacedPrefetch. Each of its walks has these of walkBytes.
const (
	walkAt, walkEnd, walkGap, walkStride, walkRate, walkSum = 0, 8, 16, 24, 32, 40

	walkBytes     = 48
	pacedResults  = 2 * walkBytes
	pacedDistance = pacedResults + 8
	pacedNext     = pacedResults + 16
)

// multiplyPaced begins the function of a product that prefetches what its argument paced says, and for nothing else.
func (a *asm) multiplyPaced(name, doc string, t tile) {
	a.function(name, doc, t.plan(), false, append(tileArgs[:len(tileArgs):len(tileArgs)], "accumulate", "flush", "paced")...)
	a.tileArguments()
	a.ifFlush(func() { a.op("LDMXCSR floatModes<>+4(SB)") })
}

// prefetchPlan is the part of a register plan that belongs to the loop between beginPrefetch and endPrefetch.
const prefetchPlan = "While it prefetches, SI the pacedPrefetch, R8 and R11 where the first walk is and where its row ends, DX and R12 the same of the second, DI scratch. "

// beginPrefetch takes over the walks. What the tile prefetches of the results are the rows below it, or those of the tile after all rows.
func (t tile) beginPrefetch() {
	if t.bulk {
		t.op("IMUL3Q $%d, R8, DX", t.rows)
		t.op("ADDQ DI, DX")
		t.load("paced", "SI")
	} else {
		t.load("paced", "SI")
		t.op("MOVQ %d(SI), DX", pacedNext)
	}
	t.op("MOVQ DX, %d(SI)", pacedResults)
	t.eachWalk(func(walk int, at, end string) {
		t.op("MOVQ %d(SI), %s", walk+walkAt, at)
		t.op("MOVQ %d(SI), %s", walk+walkEnd, end)
	})
}

// endPrefetch keeps where the walks are, and gives all registers back.
func (t tile) endPrefetch() {
	t.eachWalk(func(walk int, at, end string) {
		t.op("MOVQ %s, %d(SI)", at, walk+walkAt)
		t.op("MOVQ %s, %d(SI)", end, walk+walkEnd)
	})
	t.load("c", "DI", "a", "SI", "ldc", "R8", "depth", "R11")
	t.op("SHLQ $2, R8")
}

func (t tile) eachWalk(f func(walk int, at, end string)) {
	f(0, "R8", "R11")
	f(walkBytes, "DX", "R12")
}

// prefetchPaced prefetches at most one line of each walk in a turn of the loop: whenever the sum of its rates passes 2³². Every eighth turn prefetches
// a row of results.
func (t tile) prefetchPaced() {
	t.eachWalk(func(walk int, at, end string) {
		stay := t.label("stay")
		t.op("MOVL %d(SI), DI", walk+walkRate)
		t.op("ADDL DI, %d(SI)", walk+walkSum)
		t.op("JCC %s", stay)
		t.op("PREFETCHT1 (%s)", at)
		t.op("ADDQ $%d, %s", panelBytes, at)
		t.op("CMPQ %s, %s", at, end)
		t.op("JCS %s", stay)
		t.op("ADDQ %d(SI), %s", walk+walkGap, at)
		t.op("ADDQ %d(SI), %s", walk+walkStride, end)
		t.place(stay)
	})
	later := t.label("later")
	t.op("TESTQ $7, R14")
	t.op("JNZ %s", later)
	t.op("MOVQ %d(SI), DI", pacedResults)
	for panel := range t.panels {
		t.op("PREFETCHT1 %d(DI)", panel*panelBytes)
	}
	t.op("ADDQ %d(SI), DI", pacedDistance)
	t.op("MOVQ DI, %d(SI)", pacedResults)
	t.place(later)
}
