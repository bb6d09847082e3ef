package kernel

import (
	"sync"

	"golang.org/x/sys/cpu"
)

// sets returns the sets that this processor can run.
var sets = sync.OnceValue(func() map[string]set {
	have := map[string]set{"generic": generic}
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return have
	}
	have["avx2"] = setAVX2
	// x/sys means AVX-512F alone by HasAVX512; the assembly uses DQ and, on short vectors, VL.
	if !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL || !x.HasAVX512BW {
		return have
	}
	have["avx512"] = setAVX512()
	if !x.HasAVX512BF16 || !x.HasAVX512VBMI {
		return have
	}
	have["avx512bf16"] = setBF16(madeByIntel)
	if !x.HasAMXTile || !x.HasAMXBF16 {
		return have
	}
	if amxRefusal = refusalOfTiles(requestTiles()); amxRefusal == "" {
		amxRefusal = faultOfTiles(multiplyTilesBlock)
	}
	if amxRefusal == "" {
		amx := setAVX512() // where there are tiles, VDPBF16PS does half as much as float32
		attends := amx.low
		amx.low, amx.attends = lowTiles(), &attends
		have["amx"] = amx
	}
	return have
})

// refusalOfTiles says what an error of the request for tiles means.
func refusalOfTiles(err error) string {
	if err == nil {
		return ""
	}
	return "the system does not let this process use the tiles of AMX: " + err.Error()
}

// setBF16 is avx512 with pairs of bfloat16. On Intel's processors VDPBF16PS does half as much as float32: it pays where reading the weights takes
// longer.
func setBF16(intel bool) set {
	s := setAVX512()
	floats := s.low
	s.low, s.paced = lowBF16, intel
	if intel {
		s.lowMany, s.attends = &floats, &floats
	} else {
		s.pairs = &storedPairsAVX512
	}
	return s
}

// setAVX512 is avx2 with larger tiles, and longer vectors where those of a row are worth it.
func setAVX512() set {
	s := setAVX2
	s.multiply, s.outer, s.transpose = multiplyBlockAVX512, outerBlockAVX512, transposeBlocksAVX512
	s.multiplyBF16 = multiplyStoredBlockAVX512
	s.paced, s.prefetch = madeByIntel, nil
	s.low, s.peak = lowAVX512(), peakLoopAVX512
	s.setRowsAVX512()
	return s
}
