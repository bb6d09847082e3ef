package kernel

import "slices"

// The tests have two sets more on processors with instructions for pairs of bfloat16: the arrangement that processors of another maker have, and
// products of tiles in plain Go, so that what surrounds them is tested where AMX is not.
func init() {
	have := sets()
	if plain, ok := have["avx512bf16"]; ok {
		have["othermaker"] = setBF16(!madeByIntel)
		plain.low.tiles, plain.low.int8Few, plain.lowMany = genericTiles, nil, nil
		have["plaintiles"] = plain
		setNames = slices.Insert(setNames, 1, "plaintiles", "othermaker")
	}
}
