package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/language"
	"parley/runs"
	"parley/train/report"
)

func load(t *testing.T, name string) *recipe.Recipe {
	t.Helper()
	r, err := language.New().Load(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run is the folder of a run without updates.
func run(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "metrics.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTeam: the report of a run has the picture of its team, the one that docs show, where a prompt shows anything that was said. A program's
// walk has prompts of the problem alone, and so has a team of one turn.
func TestTeam(t *testing.T) {
	dir := run(t)
	for name, drawn := range map[string]bool{"chain-tiny": true, "debate-sums": true, "magrpo-tiny": false, "single-tiny": false, "tournament-tiny": false} {
		r := load(t, name)
		files, err := Pictures(r, runs.Report{Recipe: name}, dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if (files["team.svg"] != nil) != drawn || (files["team.png"] != nil) != drawn || (files["team.pdf"] != nil) != drawn {
			t.Errorf("%s: the team is drawn: %v, want %v", name, files["team.svg"] != nil, drawn)
		}
		markdown := report.Markdown(runs.Report{Recipe: name}, report.Context{}, files)
		if strings.Contains(markdown, "(team.png)") != drawn {
			t.Errorf("%s: report.md shows a team: %v, want %v", name, !drawn, drawn)
		}
		if docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "pictures", "team-"+name+".svg")); r.Stepwise() && drawn && (err != nil || !bytes.Equal(docs, files["team.svg"])) {
			t.Errorf("%s: the picture in the report is not that of docs: %v", name, err)
		}
	}
}

// TestExperimentsTeam: an experiment over seeds has one team, one of variants may have several.
func TestExperimentsTeam(t *testing.T) {
	for set, drawn := range map[string]bool{"experiment.seeds=[1, 2]": true, "experiment.variants={plain: [], long: [sampling.max_tokens=64]}": false} {
		r, err := language.New().Load("chain-tiny", []string{set})
		if err != nil {
			t.Fatal(err)
		}
		files, err := ExperimentPictures(r, runs.Report{Recipe: "chain-tiny"}, nil, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if (files["team.svg"] != nil) != drawn {
			t.Errorf("%s: the team is drawn: %v, want %v", set, !drawn, drawn)
		}
	}
}
