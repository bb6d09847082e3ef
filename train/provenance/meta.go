package provenance

import (
	"context"
	"runtime"
	"slices"

	"parley/internal/sysmem"
	"parley/recipe"
	"parley/runs"
	"parley/train/cluster"
	"parley/train/lineup"
	"parley/train/plan"
	"parley/train/sampling"
)

// kernelsInUse names what a recipe will run on.
func kernelsInUse(r *recipe.Recipe, backend lineup.Backend) string {
	name, _ := sampling.For(r, cluster.For(r, backend)).Kernels(plan.EngineOptions(r.Engine))
	return name
}

// Of is what a run of a team records about itself, with the hashes of all that decides its numbers.
func Of(ctx context.Context, s lineup.Lineup, version string) (runs.Meta, error) {
	meta := OfRecipe(s.Recipe, s.Backend, version)
	meta.Base = s.Bases[0].Name
	var err error
	for _, b := range s.Bases {
		if meta.Cluster, err = cluster.RecordOf(b.Engine); meta.Cluster != nil || err != nil {
			break
		}
	}
	if err != nil {
		return meta, err
	}
	if meta.Bases, err = s.DescribeBases(); err != nil {
		return meta, err
	}
	if meta.Files, err = Files(ctx, s.Recipe); slices.ContainsFunc(meta.Files, isPython) {
		meta.Python = pythonVersion()
	}
	return meta, err
}

// OfRecipe is the part of it that needs neither bases nor files.
func OfRecipe(r *recipe.Recipe, backend lineup.Backend, version string) runs.Meta {
	threads := r.Engine.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return runs.Meta{
		Name: r.Name, Task: r.Task.Name, Seed: r.Seed, Recipe: string(r.YAML()), Keep: r.Training.Keep, Parley: version,
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPU: sysmem.Processor(), Cores: runtime.GOMAXPROCS(0), Kernels: kernelsInUse(r, backend), Threads: threads,
	}
}
