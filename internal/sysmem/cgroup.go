package sysmem

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
)

// A cgroup is a control group of Linux with a bound on memory: its folder, and how its version names what it has.
type cgroup struct {
	folder string
	cgroupFiles
}

type cgroupFiles struct {
	limit, taken string
	files        [2]string // in memory.stat: what it holds of files
}

var (
	version1 = cgroupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", [2]string{"total_inactive_file", "total_active_file"}}
	version2 = cgroupFiles{"memory.max", "memory.current", [2]string{"inactive_file", "active_file"}}
)

// cgroups lists those that the program is in, each with all that it lies in. A container sees its own as the root, whatever it is called
// outside.
func cgroups(root fs.FS) []cgroup {
	data, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var all []cgroup
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		switch controllers := strings.Split(fields[1], ","); {
		case slices.Contains(controllers, "memory"):
			all = append(all, ancestors("sys/fs/cgroup/memory", fields[2], version1)...)
		case fields[0] == "0":
			all = append(all, ancestors("sys/fs/cgroup", fields[2], version2)...)
		}
	}
	return all
}

// ancestors lists a group and all that it lies in.
func ancestors(mount, name string, n cgroupFiles) []cgroup {
	var all []cgroup
	for name = path.Clean("/" + name); ; name = path.Dir(name) {
		all = append(all, cgroup{path.Join(mount, name), n})
		if name == "/" {
			return all
		}
	}
}

// remaining is what the group leaves: up to its limit, and what it holds of files, which goes when memory is wanted, as what the computer has available
// counts it too. Infinite: the group has no limit, or is not to be seen.
func (g cgroup) remaining(root fs.FS) float64 {
	limit := number(root, path.Join(g.folder, g.limit), "")
	taken := number(root, path.Join(g.folder, g.taken), "")
	if math.IsInf(limit, 1) || math.IsInf(taken, 1) {
		return math.Inf(1)
	}
	left := limit - taken
	for _, name := range g.files {
		if held := number(root, path.Join(g.folder, "memory.stat"), name+" "); !math.IsInf(held, 1) {
			left += held
		}
	}
	return left
}
