package claims

import (
	"strings"
	"testing"
)

// TestCheck has documents with and without faults.
func TestCheck(t *testing.T) {
	pages := map[string]string{
		"go.mod":              "module parley\n\ngo 1.26.0\n",
		"docs/results.md":     "# Results\n\n## A run\n\n```\nsystem  score\nteams   0.594\n```\n\nTraining took\n7 minutes.\n\n### Part\n\n| seeds | losses |\n|---|---|\n| 3 | 0.5 |\n\n## Another\n\nTraining took 8 minutes.\n",
		"docs/performance.md": "# Speed\n",
	}
	for doc, want := range map[string]string{
		"The teams have 0.594 ([run](docs/results.md#a-run)).":                                  "",
		"Training took 7\nminutes with 3 seeds\n([run](docs/results.md#a-run)).":                "",
		"The losses are 0.5 ([run](docs/results.md#a-run)).":                                    "",
		"```\nteams 0.594\nparley train --set x=0.3\n```":                                       "",
		"With Go 1.26, [TRL](https://x.org) 1.16.0 of May 2025, Qwen2.5-0.5B and a 4-bit base.": "",
		"The teams have 0.595 ([run](docs/results.md#a-run)).":                                  "0.595",
		"The agent has 0.594 ([run](docs/results.md#a-run)).":                                   "0.594",
		"Training took 8 minutes ([run](docs/results.md#a-run)).":                               "8",
		"The teams have 0.594.":                                   "0.594",
		"([run](docs/results.md#a-run)) The teams have 0.594.":    "0.594",
		"The teams have 0.594 ([run](docs/results.md#no-run)).":   "no-run",
		"The teams have 0.594 ([speed](docs/performance.md)).":    "0.594",
		"Training took 7–8 minutes ([run](docs/results.md#run)).": "7–8",
		"```\nteams 0.595\n```":                                   "teams 0.595",
		"You need Go 1.25.":                                       "1.25",
		"| a | 0.594 |\n| b | 2 [run](docs/results.md#a-run) |":   "0.594",
	} {
		got := strings.Join(Check(doc, func(page string) string { return pages[page] }), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: faults %q, want %q", doc, got, want)
		}
	}
}
