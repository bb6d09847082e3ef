package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// collectAt is how much garbage may lie on the heap, in percent of what stays there. That is mostly policies and their moments: Go's
// 100 would take as much again, which no estimate of a run's memory has.
const collectAt = 25

// leastGarbage may lie there in any case, in bytes. A command that opens no model keeps a few megabytes, and would be collected at every megabyte.
const leastGarbage = 16 << 20

// collectRarely sets when garbage is collected, unless the environment says so.
func collectRarely() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(percent(0))
	runtime.SetFinalizer(&collection{live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}, (*collection).done)
}

// A collection is garbage from the start: its finalizer runs after each one.
type collection struct{ live []metrics.Sample }

func (c *collection) done() {
	metrics.Read(c.live)
	debug.SetGCPercent(percent(c.live[0].Value.Uint64()))
	runtime.SetFinalizer(c, (*collection).done)
}

// percent is what may be added to a heap of which so many bytes stay. Go takes any for one of 4 MiB at least.
func percent(live uint64) int { return int(max(collectAt, 100*leastGarbage/max(live, 4<<20))) }
