package viewer_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe/language"
	"parley/runs"
	"parley/train/study"
	"parley/viewer"
	"parley/viewer/show"
)

// TestStudies: a study shows its cells and what is done of them, also where a recipe is gone and while most is still to be run; one that cannot be read
// says why, and its runs are among the runs.
func TestStudies(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	write := func(dir, text string) {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, runs.StudyFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("study-pairs", "name: pairs\nquestion: Which?\nrecipes: {pair: magrpo-tiny, gone: gone.yaml}\nfactors: {rate: {low: [optimizer.lr=0.001], high: [optimizer.lr=0.01]}}\nseeds: [1, 2]\n")
	write("study-broken", "name: broken\nquestion: [\n")
	if err := os.CopyFS(filepath.Join(root, "study-pairs", "pair-low-s2"), os.DirFS(filepath.Join(root, "magrpo-tiny"))); err != nil {
		t.Fatal(err)
	}
	s := serve(t, options(root))
	var list struct {
		Studies []struct{ ID, Problem string }
	}
	get(t, s, "/api/studies", &list)
	if len(list.Studies) != 2 || list.Studies[0].ID != "study-broken" || list.Studies[0].Problem == "" || list.Studies[1].Problem != "" {
		t.Errorf("studies are %+v", list.Studies)
	}
	var one struct {
		Runs       int
		Dimensions []string
		Cells      []struct {
			Name   string
			Levels []string
			Runs   []struct{ ID, State string }
		}
		Results struct {
			Missing int
			Cells   []struct {
				Seeds   []int
				Metrics map[string]struct{ Mean float64 }
			}
		}
	}
	get(t, s, "/api/studies/study-pairs", &one)
	var run struct{ Score float64 }
	get(t, s, "/api/runs/study-pairs%2Fpair-low-s2", &run)
	if one.Runs != 8 || len(one.Cells) != 4 || one.Results.Missing != 7 || len(one.Dimensions) != 2 || one.Dimensions[1] != "rate" {
		t.Fatalf("the study is %+v", one)
	}
	if c := one.Cells[0]; c.Name != "pair-low" || c.Levels[1] != "low" || c.Runs[0].State != "" || c.Runs[1].State != "finished" || c.Runs[1].ID != "study-pairs/pair-low-s2" {
		t.Errorf("the first cell is %+v", c)
	}
	if c := one.Results.Cells[0]; len(c.Seeds) != 1 || c.Seeds[0] != 2 || c.Metrics["score"].Mean != run.Score || run.Score == 0 {
		t.Errorf("its numbers are %+v, and those of the run %+v", c, run)
	}
	var all struct{ Runs []struct{ ID, Parent string } }
	get(t, s, "/api/runs", &all)
	if len(all.Runs) != 2 {
		t.Errorf("the runs are %+v", all.Runs)
	}
	for _, id := range []string{"magrpo-tiny", "none", "..", "study-pairs%2Fpair-low-s2"} {
		if status, _ := ask(t, s, http.MethodGet, "/api/studies/"+id, ""); status == http.StatusOK {
			t.Errorf("%s is no study and is shown as one", id)
		}
	}
}

// TestKeys: keys in which recipes differ are named, and the values of those that are asked for come by run.
func TestKeys(t *testing.T) {
	s := serve(t, options(copied(t, "magrpo-tiny", "magrpo-tiny-cross")))
	var got struct {
		Keys   []string
		Values map[string]map[string]string
	}
	get(t, s, "/api/keys?key=group.joint&key=no.such", &got)
	if got.Values["magrpo-tiny"]["group.joint"] != "aligned" || got.Values["magrpo-tiny-cross"]["group.joint"] != "cross" || len(got.Values["magrpo-tiny"]) != 1 {
		t.Errorf("values are %v", got.Values)
	}
	has := map[string]bool{}
	for _, key := range got.Keys {
		has[key] = true
	}
	if !has["group.joint"] || !has["name"] || has["algorithm"] {
		t.Errorf("keys are %v", got.Keys)
	}
}

// TestExperiments: an experiment has a column for every key that its variants change, and says which seeds lack.
func TestExperiments(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	r, err := language.New().Parse("x.yaml", []byte("name: exp\npreset: magrpo-tiny\nexperiment: {seeds: [1, 2], variants: {plain: [], fast: [optimizer.lr=0.5], few: [group.size=2]}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	run, err := runs.Create(filepath.Join(root, "exp"), runs.Meta{Name: "exp", Recipe: string(r.YAML())})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run.Close(), os.CopyFS(filepath.Join(root, "exp", "fast-s2"), os.DirFS(filepath.Join(root, "magrpo-tiny")))); err != nil {
		t.Fatal(err)
	}
	s := serve(t, options(root))
	var p study.Progress
	get(t, s, "/api/studies/exp", &p)
	table := viewer.SoFar(show.Open(root), "exp", language.New())
	want := `[variant optimizer.lr group.size score gain seeds missing]
[plain 0.001 4 - - 0 of 2 1 (not begun), 2 (not begun)]
[fast 0.5 4 0.`
	text := ""
	for _, row := range table.Table() {
		text += fmt.Sprintln(row...)
	}
	text = "[" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "]\n[") + "]"
	if !p.Experiment || p.Runs != 6 || len(p.Cells) != 3 || !strings.HasPrefix(text, want) || !strings.Contains(text, "1 of 2 1 (not begun)]\n[few 0.001 2 -") {
		t.Errorf("the experiment is %+v\n%s\nexpected\n%s", p, text, want)
	}
	if status, _ := ask(t, s, http.MethodGet, "/api/studies/magrpo-tiny", ""); status != http.StatusNotFound {
		t.Errorf("a single run is a study: %d", status)
	}
}
