package train

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"parley/engine/native/kernel"
	"parley/model"
	"parley/recipe"
	"parley/runs"
)

// kernelSet is the kernel set that a recipe asks for; PARLEY_CPU overrides it, empty means the best of this CPU.
func kernelSet(e recipe.Engine) string {
	if forced := os.Getenv("PARLEY_CPU"); forced != "" {
		return forced
	}
	if e.Kernels == "auto" {
		return ""
	}
	return e.Kernels
}

// kernelsInUse names the kernel set that a recipe will run on.
func kernelsInUse(r *recipe.Recipe) string {
	if set := kernelSet(r.Engine); set != "" {
		return set
	}
	all := kernel.Available()
	return all[len(all)-1]
}

// newMeta is what a run records about itself.
func newMeta(r *recipe.Recipe, version string) runs.Meta {
	threads := r.Engine.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return runs.Meta{Name: r.Name, Task: r.Task.Name, Seed: r.Seed, Recipe: string(r.YAML()), Keep: r.Training.Keep, Parley: version,
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), Kernels: kernelsInUse(r), Threads: threads, Base: r.Model}
}

// checkMemory refuses a run that the machine cannot hold.
func checkMemory(r *recipe.Recipe, m *model.Model) error {
	need := estimateMemory(r, m)
	limit := r.Limits.MemoryGiB * (1 << 30)
	where := "limits.memory_gib"
	if limit == 0 {
		limit, where = availableMemory(), "this machine"
	}
	if limit > 0 && need > limit {
		return &UserError{fmt.Errorf("recipe %s needs about %.1f GiB of memory, more than the %.1f GiB of %s: use a smaller model, engine.batch_tokens or group",
			r.Name, need/(1<<30), limit/(1<<30), where)}
	}
	return nil
}

// estimateMemory is the size of the float32 base, packed once more for the kernels, of the adapters with gradients and two
// moments, and of one packed pass with its activations.
func estimateMemory(r *recipe.Recipe, m *model.Model) float64 {
	params := 0.0
	for _, t := range m.Source.Tensors() {
		n := 1.0
		for _, d := range t.Shape {
			n *= float64(d)
		}
		params += n
	}
	adapters := float64(r.Team.Turns*r.Team.Agents*2) * params * 0.02 * float64(r.Policies.Rank) / 8
	return 4*2*params + 4*4*adapters + 256<<20
}

// availableMemory is what the system says can still be used, in bytes; 0 where it does not say.
func availableMemory() float64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %f kB", &kib); n == 1 {
			return kib * 1024
		}
	}
	return 0
}
