package study

import (
	"slices"
	"strings"
)

// A Study is a file. Tags are those of recipes (package recipe/schema).
type Study struct {
	Name     string  `yaml:"name" doc:"Name of the study and of its folder."`
	Question string  `yaml:"question" doc:"What the study asks, in a sentence or more."`
	After    string  `yaml:"after" doc:"The paper or the page that asked first; empty: none."`
	Minutes  float64 `yaml:"minutes" min:"0" doc:"About how long all runs take on two cores; 0: not known."`

	Recipes Bases    `yaml:"recipes" doc:"What is crossed with the factors: a name with a recipe each, shipped or a file, or with {recipe: …, set: [changes]}."`
	Set     []string `yaml:"set" doc:"Changes of every recipe, such as eval.problems=100; those of a recipe and of levels come behind."`
	Factors Factors  `yaml:"factors" doc:"What is varied: a factor with levels, each a name with a list of changes."`
	Without Reasons  `yaml:"without" doc:"Cells that are not run, each with the reason; * stands for anything."`

	Seeds     []int    `yaml:"seeds" min:"0" doc:"Every cell is run once with each."`
	Tokens    []int    `yaml:"tokens" min:"1" doc:"Budgets: each run trains until it has generated so many tokens. Empty: as long as its recipe says."`
	Jobs      int      `yaml:"jobs" default:"0" min:"0" max:"1024" doc:"Runs at the same time; 0: one for each core. Write 1 where seconds are compared."`
	Baselines []string `yaml:"baselines" oneof:"single majority-vote concatenation pipeline discussion trained-single" doc:"Systems that every run measures beside its team."`

	Metrics []string `yaml:"metrics" doc:"What is compared: score, gain, return, seconds, memory, tokens, updates, or a number of the trained team's row in report.json, such as play.exploitability or per_turn.2."`
	Curve   string   `yaml:"curve" default:"return" doc:"What is drawn over training: return, accuracy, play.NAME or none."`
	Pairs   Pairs    `yaml:"pairs" doc:"What is tested: a factor, recipes or variants, with the level or levels that every other is compared with."`
}

// The names of dimensions that are no factor of a file.
const (
	RecipesDimension  = "recipes"  // which of the study's recipes
	VariantsDimension = "variants" // of a recipe that has experiment.variants
	TokensDimension   = "tokens"   // which budget, where there are several
)

// metricWords are the metrics with a name of their own.
var metricWords = []string{"score", "gain", "return", "seconds", "memory", "tokens", "updates"}

// rowParts are what a metric may begin with that is a number of a row.
var rowParts = []string{"play", "per_turn", "parts", "turns", "transitions", "tokens_per_problem", "latency_tokens"}

// knownMetric says whether a word can be a metric.
func knownMetric(name string) bool {
	first, _, deeper := strings.Cut(name, ".")
	if slices.Contains(metricWords, name) {
		return true
	}
	return slices.Contains(rowParts, first) && (deeper || strings.HasSuffix(first, "s_per_problem") || strings.HasSuffix(first, "_tokens"))
}

// AllMetrics are those of the study, or the usual ones.
func (s *Study) AllMetrics() []string {
	if len(s.Metrics) > 0 {
		return s.Metrics
	}
	return []string{"score", "gain"}
}

// knownCurve says whether a word can be drawn over training.
func knownCurve(name string) bool {
	after, play := strings.CutPrefix(name, "play.")
	return name == "return" || name == "accuracy" || name == "none" || play && after != ""
}
