package launch

import (
	"fmt"
	"math"
	"strings"

	"parley/internal/usererror"
)

// A GPU is a kind of accelerator.
type GPU struct {
	Name string  // as SkyPilot writes it
	GiB  float64 // of memory that programs see
	Old  bool    // it has no bfloat16
}

// gpus are those that clouds rent out.
var gpus = []GPU{
	{Name: "T4", GiB: 15, Old: true},
	{Name: "V100", GiB: 16, Old: true},
	{Name: "L4", GiB: 22.5},
	{Name: "A10G", GiB: 22.5},
	{Name: "RTX4090", GiB: 24},
	{Name: "A100", GiB: 40},
	{Name: "L40S", GiB: 45},
	{Name: "A6000", GiB: 48},
	{Name: "A100-80GB", GiB: 80},
	{Name: "H100", GiB: 79.6},
	{Name: "H200", GiB: 140},
	{Name: "B200", GiB: 179},
}

// FindGPU returns a kind of GPU by its name. Where gib is above 0 that is its memory, and the name can be any that a cloud has.
func FindGPU(name string, gib float64) (GPU, error) {
	if math.IsNaN(gib) || gib < 0 || gib > mostGiB {
		return GPU{}, fmt.Errorf("a GPU of %g GiB: expected a number above 0, at most %d", gib, mostGiB)
	}
	var names []string
	for _, g := range gpus {
		if strings.EqualFold(g.Name, name) {
			if gib > 0 {
				g.GiB = gib
			}
			return g, nil
		}
		names = append(names, g.Name)
	}
	if gib > 0 && gpuName(name) {
		return GPU{Name: name, GiB: gib}, nil
	}
	hint := "known are " + strings.Join(names, ", ")
	if near := usererror.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return GPU{}, fmt.Errorf("the memory of a GPU of type %q is not known: %s; or say how many GiB it has", name, hint)
}

// mostGiB is more than any GPU has.
const mostGiB = 4096

// gpuName says that a name is one that files can hold as it is.
func gpuName(name string) bool {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.') {
			return false
		}
	}
	return name != ""
}
