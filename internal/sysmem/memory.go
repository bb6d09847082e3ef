// Package sysmem is what the system says of memory: how much of it the program may still take, and how much it has taken.
//
// A program in a container sees all memory of the computer, and is killed where it takes more than the container has. So what is available is
// the least of what the computer has, of what each control group that the program is in has left (versions 1 and 2), and of
// the limits of the process itself.
//
// [FreeDisk] says the same of file systems.
package sysmem

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// Available is how many bytes the program may still take; infinite where the system does not say.
func Available() float64 { return available(os.DirFS("/")) }

func available(root fs.FS) float64 {
	free := kibibytes(root, "proc/meminfo", "MemAvailable:")
	for _, g := range cgroups(root) {
		free = min(free, g.remaining(root))
	}
	return max(0, min(free, limited(root)))
}

// Limited is how many bytes the limits of the process itself leave (ulimit -v and -d); infinite where it has none.
func Limited() float64 { return limited(os.DirFS("/")) }

func limited(root fs.FS) float64 {
	return min(limitRemaining(root, "Max address space", "VmSize:"), limitRemaining(root, "Max data size", "VmData:"))
}

// Total is how many bytes the computer has; infinite where the system does not say.
func Total() float64 { return kibibytes(os.DirFS("/"), "proc/meminfo", "MemTotal:") }

// Peak is the most bytes that were resident since the start or the last [ResetPeak]; 0 where the system does not say.
func Peak() int64 {
	peak := kibibytes(os.DirFS("/"), "proc/self/status", "VmHWM:")
	if math.IsInf(peak, 1) {
		return 0
	}
	return int64(peak)
}

// ResetPeak makes the system forget how much memory the process had at most so far. It reports whether it can do that.
func ResetPeak() bool {
	const peakOfResidentSet = "5" // see proc(5), clear_refs
	return os.WriteFile("/proc/self/clear_refs", []byte(peakOfResidentSet), 0) == nil
}

// Amount is a number of bytes as people read it: 1.5 GiB, 312 MiB.
func Amount(bytes float64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.0f MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", bytes/(1<<30))
}

// kibibytes reads a line of a report of the system's, in bytes; infinite: there is none.
func kibibytes(root fs.FS, file, name string) float64 { return 1024 * number(root, file, name) }

// limitRemaining is what a limit of the process leaves beside what it has; infinite: there is no limit.
func limitRemaining(root fs.FS, limit, taken string) float64 {
	most := number(root, "proc/self/limits", limit)
	if math.IsInf(most, 1) {
		return most
	}
	has := kibibytes(root, "proc/self/status", taken)
	if math.IsInf(has, 1) {
		return has
	}
	return most - has
}

// number reads the number behind a name that begins a line of a file; infinite: there is none.
func number(root fs.FS, file, name string) float64 {
	data, err := fs.ReadFile(root, file)
	if err != nil {
		return math.Inf(1)
	}
	for line := range strings.Lines(string(data)) {
		rest, ok := strings.CutPrefix(line, name)
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			break
		}
		if x, err := strconv.ParseFloat(fields[0], 64); err == nil {
			return x
		}
		break
	}
	return math.Inf(1)
}

// Processor is the name of the CPU, where the system says it.
func Processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
