package kernel

import "encoding/binary"

// cpuid returns what the processor says of itself under a number.
func cpuid(leaf uint32) (a, b, c, d uint32)

// madeByIntel says whether the maker is Intel, whose processors answer to prefetches in another way: what is prefetched does not go over to
// the next page of 4 KiB, and what is prefetched past the second-level cache (PREFETCHNTA) comes at half of the rate of a loop that only reads.
var madeByIntel = func() bool {
	var name []byte
	_, b, c, d := cpuid(0)
	for _, word := range []uint32{b, d, c} {
		name = binary.LittleEndian.AppendUint32(name, word)
	}
	return string(name) == "GenuineIntel"
}()

// secondLevelCache is the size of that of a core, in bytes.
func secondLevelCache() int {
	const most, caches = 0x80000000, 0x80000006
	if last, _, _, _ := cpuid(most); last < caches {
		return 0
	}
	_, _, c, _ := cpuid(caches)
	return int(c>>16) << 10
}
