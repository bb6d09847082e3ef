package kernel

import (
	"sync"

	"golang.org/x/sys/cpu"
)

// sets returns the sets that this processor can run.
var sets = sync.OnceValue(func() map[string]set {
	have := map[string]set{"generic": generic}
	if cpu.ARM64.HasASIMD {
		have["neon"] = setNEON
	}
	return have
})
