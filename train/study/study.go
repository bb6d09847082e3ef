// Package study reads files that ask one question of many runs: recipes, crossed with factors, seeds and budgets.
//
//	name: roles-sharing
//	question: Do agents that share a policy learn more than agents with one of their own?
//	recipes: {chain: chain-tiny, leader: leader-tiny}
//	factors:
//	  sharing: {own: [policies.sharing=per-agent], shared: [policies.sharing=shared]}
//	seeds: [1, 2, 3, 4, 5]
//	tokens: [150000]
//	pairs: {sharing: own}
//
// A cell is one recipe with one level of each factor, and one budget; each cell is run once with every seed. [Study.Plan] lists the runs. Where
// a study names a budget, every run trains until it has generated so many tokens, however many updates that takes.
//
//	study.go     what a file says, key by key; the studies in the binary, shipped/*.yaml
//	trees.go     the keys that map names to something
//	read.go      files and shipped studies; everything that is wrong is told at once
//	plan.go      cells, and the recipe of each run
//
// [parley/cmd/parley/internal/studycmd] does the runs, [parley/train/study] says what came of them.
package study

import (
	"embed"
	"slices"
	"strings"

	"parley/internal/plainfile"
	"parley/recipe"
)

// A Study is a file. Tags are those of recipes (package recipe/schema).
type Study struct {
	Name     string  `yaml:"name"`
	Question string  `yaml:"question"`
	After    string  `yaml:"after"`
	Minutes  float64 `yaml:"minutes" min:"0"`

	Recipes Bases    `yaml:"recipes"`
	Set     []string `yaml:"set"`
	Factors Factors  `yaml:"factors"`
	Without Reasons  `yaml:"without"`

	Seeds     []int    `yaml:"seeds" min:"0"`
	Tokens    []int    `yaml:"tokens" min:"1"`
	Jobs      int      `yaml:"jobs" default:"0" min:"0" max:"1024"`
	Baselines []string `yaml:"baselines" oneof:"single majority-vote concatenation pipeline discussion trained-single"`

	Metrics []string `yaml:"metrics"`
	Curve   string   `yaml:"curve" default:"return"`
	Pairs   Pairs    `yaml:"pairs"`
}

//go:embed study.md
var studyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Study) KeyTexts() (file, text string) { return "train/study/study.md", studyTexts }

// The names of dimensions that are no factor of a file.
const (
	RecipesDimension  = "recipes"  // which of the study's recipes
	VariantsDimension = "variants" // of a recipe that has experiment.variants
	TokensDimension   = "tokens"   // which budget, where there are several
)

// metricWords are the metrics with a name of their own.
var metricWords = []string{"score", "gain", "return", "overpaid", "seconds", "memory", "tokens", "updates"}

// rowParts are what a metric may begin with that is a number of a row, of metrics.jsonl (schemes) or of the report (pass_at, accuracy_at).
var rowParts = []string{"play", "schemes", "pass_at", "accuracy_at", "per_turn", "parts", "turns", "transitions", "tokens_per_problem", "latency_tokens"}

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
	return name == "return" || name == "accuracy" || name == "overpaid" || name == "none" || play && after != ""
}

//go:embed shipped/*.yaml
var files embed.FS

var inBinary = plainfile.Shipped{FS: files, Folder: "shipped"}

// Names lists the shipped studies in alphabetical order.
func Names() []string { return inBinary.Names() }

// A Shipped study comes with parley.
type Shipped struct {
	*Study
	Plan *Plan
}

// All returns the studies in the binary, in the order of [Names].
func All(l *recipe.Language) []Shipped {
	var list []Shipped
	for _, name := range Names() {
		s, plan, err := Load(l, name)
		if err != nil {
			panic("internal error: shipped study: " + err.Error())
		}
		list = append(list, Shipped{s, plan})
	}
	return list
}
