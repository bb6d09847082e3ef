package plan

import (
	"os"

	"parley/engine"
	"parley/internal/sysmem"
	"parley/recipe/keys"
)

// kernelSet is the kernel set that a recipe asks for; PARLEY_CPU overrides it, empty means the best of this CPU.
func kernelSet(e keys.Engine) string {
	if forced := os.Getenv("PARLEY_CPU"); forced != "" {
		return forced
	}
	if e.Kernels == "auto" {
		return ""
	}
	return e.Kernels
}

// EngineOptions are those of the engine that a recipe asks for. Its texts were validated with the recipe.
func EngineOptions(e keys.Engine) engine.Options {
	format, err := engine.ParseFormat(e.DType)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return engine.Options{Kernels: kernelSet(e), Threads: e.Threads, BatchTokens: e.BatchTokens, Format: format, ScoreAsSampled: true, Available: sysmem.Available}
}
