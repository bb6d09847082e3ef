package train

import (
	"os"
	"runtime"
	"strings"

	"parley/engine"
	"parley/internal/sysmem"
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

// engineOptions are those of the engine that a recipe asks for. Its texts were validated with the recipe.
func engineOptions(e recipe.Engine) engine.Options {
	format, err := engine.ParseFormat(e.DType)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return engine.Options{Kernels: kernelSet(e), Threads: e.Threads, BatchTokens: e.BatchTokens, Format: format, ScoreAsSampled: true, Available: sysmem.Available}
}

// kernelsInUse names what a recipe will run on.
func kernelsInUse(r *recipe.Recipe, backend Backend) string {
	name, _ := backend.Kernels(engineOptions(r.Engine))
	return name
}

// newMeta is what a run records about itself.
func newMeta(s *session, version string) (runs.Meta, error) {
	meta := recipeMeta(s.recipe, s.backend, version)
	meta.Base = s.bases[0].name
	var err error
	meta.Bases, err = s.describeBases()
	return meta, err
}

// recipeMeta is the part of it that needs no base.
func recipeMeta(r *recipe.Recipe, backend Backend, version string) runs.Meta {
	threads := r.Engine.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return runs.Meta{Name: r.Name, Task: r.Task.Name, Seed: r.Seed, Recipe: string(r.YAML()), Keep: r.Training.Keep, Parley: version,
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPU: processor(), Cores: runtime.GOMAXPROCS(0), Kernels: kernelsInUse(r, backend), Threads: threads}
}

// processor is the name of the CPU, where the system says it.
func processor() string {
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
