package sysmem

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
)

// A group is a control group of Linux with a bound on memory: its folder, and how its version names what it has.
type group struct {
	folder string
	names
}

type names struct {
	limit, taken string
	files        [2]string // in memory.stat: what it holds of files
}

var (
	version1 = names{"memory.limit_in_bytes", "memory.usage_in_bytes", [2]string{"total_inactive_file", "total_active_file"}}
	version2 = names{"memory.max", "memory.current", [2]string{"inactive_file", "active_file"}}
)

// groups lists those that the program is in, each with all that it lies in. A container sees its own as the root, whatever it is called
// outside.
func groups(root fs.FS) []group {
	data, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var all []group
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		switch controllers := strings.Split(fields[1], ","); {
		case slices.Contains(controllers, "memory"):
			all = append(all, upwards("sys/fs/cgroup/memory", fields[2], version1)...)
		case fields[0] == "0":
			all = append(all, upwards("sys/fs/cgroup", fields[2], version2)...)
		}
	}
	return all
}

// upwards lists a group and all that it lies in.
func upwards(mount, name string, n names) []group {
	var all []group
	for name = path.Clean("/" + name); ; name = path.Dir(name) {
		all = append(all, group{path.Join(mount, name), n})
		if name == "/" {
			return all
		}
	}
}

// left is what the group leaves: up to its limit, and what it holds of files, which goes when memory is wanted, as what the computer has available
// counts it too. Infinite: the group has no limit, or is not to be seen.
func (g group) left(root fs.FS) float64 {
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
