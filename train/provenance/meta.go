// Package provenance knows what decides the numbers of a run, and whether it is still the same.
//
// A run records the hash of everything that it reads: its bases, and the files that its recipe names ([Of]). Before a run goes on or is
// measured again, what is there now is compared with that ([Changes]); a change is refused, or recorded by the run ([Accept]).
//
//	meta.go     what a run records; whether a recipe is still the one that was recorded
//	files.go    hashes of what a recipe names
//	moved.go    where the files of a run are that was moved, or they were
//	changes.go  what became another, and what follows
//	length.go   a run that is trained further than it was to be
//	verify.go   whether a run is still what it was
//	rerun.go    an update, learned again from what the run stored of it
//	replay.go   whether that gives what the run recorded
package provenance

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"parley/internal/sysmem"
	"parley/recipe"
	"parley/rl/learn"
	"parley/runs"
	"parley/train/cluster"
	"parley/train/lineup"
	"parley/train/plan"
)

// kernelsInUse names what a recipe will run on.
func kernelsInUse(r *recipe.Recipe, backend lineup.Backend) string {
	name, _ := cluster.ForSampler(r, cluster.For(r, backend)).Kernels(plan.EngineOptions(r.Engine))
	return name
}

// Of is what a run of a team records about itself, with the hashes of all that decides its numbers.
func Of(ctx context.Context, s lineup.Lineup, version string) (runs.Meta, error) {
	meta := OfRecipe(s.Recipe, s.Backend, version)
	meta.Base = s.Bases[0].Name
	for _, b := range s.Bases {
		if meta.Kernels, meta.Worker = cluster.Exactly(meta.Kernels, b.Engine); meta.Worker != "" {
			break
		}
	}
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

// asRecorded is r with the date and the learning rate of the run that it is compared with, where it leaves them open.
func asRecorded(r, run *recipe.Recipe) *recipe.Recipe {
	out := *r
	out.Date = cmp.Or(r.Date, run.Date)
	if r.Optimizer.LR == learn.AutoRate {
		out.Optimizer.LR = run.Optimizer.LR
	}
	return &out
}

// RecipeChanged describes the first line in which a recipe is another than the one that a run recorded; empty: none.
func RecipeChanged(run, r *recipe.Recipe) string {
	return firstDifference(string(run.YAML()), string(asRecorded(r, run).YAML()))
}

// firstDifference describes the first line in which two texts differ; empty: none.
func firstDifference(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("it had %q, now %q", strings.TrimSpace(a[i]), strings.TrimSpace(b[i]))
		}
	}
	if len(a) != len(b) {
		return "it has another length"
	}
	return ""
}
