package weights

import (
	"fmt"
	"math"
	"math/bits"
	"sort"

	"parley/model/weights/quant"
)

// ggufInfo is one entry of the file's list of tensors.
type ggufInfo struct {
	name   string // as GGUF calls it
	shape  []int  // slowest first: the reverse of the file's order
	format quant.Format
	offset uint64 // from the start of the data
	size   uint64 // bytes
}

// ggmlTypes names ggml's numbers of element types; a number that is missing was never given or was withdrawn.
var ggmlTypes = map[uint32]string{
	0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K",
	13: "Q5_K", 14: "Q6_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S",
	22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 30: "BF16", 34: "TQ1_0",
	35: "TQ2_0", 39: "MXFP4",
}

// maxDims is ggml's greatest number of dimensions.
const maxDims = 4

// tensorInfos reads the list of n tensors.
func (r *ggufReader) tensorInfos(n int) []ggufInfo {
	if r.err != nil {
		return nil
	}
	infos, seen := make([]ggufInfo, 0, n), make(map[string]bool, n)
	for range n {
		info := r.tensorInfo()
		if seen[info.name] {
			r.fail("occurs twice")
		}
		if r.err != nil {
			r.err = fmt.Errorf("tensor %.80q: %w", info.name, r.err)
			return nil
		}
		seen[info.name] = true
		infos = append(infos, info)
	}
	return infos
}

func (r *ggufReader) tensorInfo() ggufInfo {
	info := ggufInfo{name: r.str()}
	n := r.u32()
	if r.err == nil && (n == 0 || n > maxDims) {
		r.fail("%d dimensions; there can be 1 to %d", n, maxDims)
	}
	if r.err != nil {
		return info
	}
	dims := make([]uint64, n)
	for i := range dims {
		dims[i] = r.u64()
	}
	number := r.u32()
	info.offset = r.u64()
	if r.err != nil {
		return info
	}
	name := ggmlTypes[number]
	format, ok := quant.Lookup(name)
	if !ok {
		r.fail("type %d %s is not supported; use a file in F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K (such as Q4_K_M)", number, name)
		return info
	}
	info.format = format
	if err := info.setShape(dims); err != nil {
		r.fail("%w", err)
	}
	return info
}

// setShape computes shape and size from the dimensions in the file's order, fastest first.
func (info *ggufInfo) setShape(dims []uint64) error {
	elements := uint64(1)
	info.shape = make([]int, len(dims))
	for i, d := range dims {
		hi, lo := bits.Mul64(elements, d)
		if d == 0 || hi != 0 || lo > math.MaxInt/8 {
			return fmt.Errorf("dimensions %v are empty or overflow", dims)
		}
		elements = lo
		info.shape[len(dims)-1-i] = int(d)
	}
	if dims[0]%uint64(info.format.Values) != 0 {
		return fmt.Errorf("rows of %d elements are no whole blocks of %s, which have %d", dims[0], info.format.Name, info.format.Values)
	}
	info.size = elements / uint64(info.format.Values) * uint64(info.format.Bytes)
	return nil
}

// checkRanges checks that every tensor lies in the file, aligned, and that no two overlap. start is where the data begin.
func checkRanges(infos []ggufInfo, start, alignment, fileSize uint64) error {
	if start > fileSize && len(infos) > 0 {
		return fmt.Errorf("truncated: the data should begin at byte %d of %d", start, fileSize)
	}
	order := append([]ggufInfo(nil), infos...)
	sort.Slice(order, func(i, j int) bool { return order[i].offset < order[j].offset })
	at := uint64(0)
	for _, info := range order {
		switch {
		case info.offset%alignment != 0:
			return fmt.Errorf("tensor %q: offset %d is not a multiple of the alignment %d", info.name, info.offset, alignment)
		case info.offset > fileSize-start || info.size > fileSize-start-info.offset:
			return fmt.Errorf("tensor %q: %d bytes at offset %d are outside the %d bytes of data (truncated file?)",
				info.name, info.size, info.offset, fileSize-start)
		case info.offset < at:
			return fmt.Errorf("tensor %q: overlaps the tensor before it", info.name)
		}
		at = info.offset + info.size
	}
	return nil
}
