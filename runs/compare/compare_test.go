package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/rl/eval"
	"parley/runs"
	"parley/runs/compare"
)

// A world is a folder of runs.
type world struct {
	*testing.T
	root string
}

// run writes a finished run and returns its folder.
func (w world) run(name, recipe string, seed int, change func(*runs.Report), scores ...float64) string {
	w.Helper()
	dir := filepath.Join(w.root, filepath.FromSlash(name))
	mean := 0.0
	for _, s := range scores {
		mean += s / float64(len(scores))
	}
	r := runs.Report{
		Recipe: recipe, Task: "sums", Metric: "accuracy", Problems: len(scores), Seed: seed, ProblemsSHA256: "p", Ruler: "r",
		Rows: []runs.Row{{System: "off-the-shelf", Score: 0.25}, {System: "trained", Score: mean, TokensPerProblem: 10}},
	}
	if change != nil {
		change(&r)
	}
	w.write(filepath.Join(dir, "run.json"), runs.Meta{Format: runs.Format, Name: recipe, Seed: seed, Recipe: fmt.Sprintf("name: %s\nseed: %d\n", recipe, seed)})
	w.write(filepath.Join(dir, "report.json"), r)
	w.write(filepath.Join(dir, "evaluation", "trained-000007.json"), map[string]any{"scores": [][]float64{make([]float64, len(scores)), scores}})
	return dir
}

func (w world) write(file string, v any) {
	w.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// TestKnownAnswer: eight wins of eight, one run each; the exact p is 2/2⁸.
func TestKnownAnswer(t *testing.T) {
	w := world{t, t.TempDir()}
	a, b := w.run("a-s1", "a", 1, nil, 1, 1, 1, 1, 1, 1, 1, 1), w.run("b-s1", "b", 1, nil, 0, 0, 0, 0, 0, 0, 0, 0)
	c, err := compare.Of([]string{a, b}, "")
	if err != nil {
		t.Fatal(err)
	}
	d := c.Differences[0]
	if len(c.Rows) != 2 || d.A != "a-s1" || d.B != "b-s1" || d.Difference != 1 || d.CI95 != [2]float64{1, 1} || math.Abs(d.P-2./256) > 0.003 || d.PHolm != d.P {
		t.Errorf("%+v", c)
	}
	if r := c.Rows[0]; r.Score != 1 || r.System != "trained" || *r.Before != 0.25 || *r.Gain != 0.75 || r.Tokens != 10 || r.Problems != 8 {
		t.Errorf("row %+v", r)
	}
}

// TestSeedsArePutTogether: runs of one recipe are one row whatever their order, and an experiment is a row for each variant. Of two runs and two
// problems each the numbers are those that package eval's test has by hand.
func TestSeedsArePutTogether(t *testing.T) {
	w := world{t, t.TempDir()}
	dirs := []string{
		w.run("a-s1", "a", 1, nil, 0.4, 0.6), w.run("b-s2", "b", 2, nil, 0.3, 0.5), w.run("b-s1", "b", 1, nil, 0.1, 0.3), w.run("a-s9", "a", 9, nil, 0.6, 0.8),
	}
	c, err := compare.Of(dirs, "trained")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 2 || c.Rows[0].Run != "a" || !reflect.DeepEqual(c.Rows[0].Seeds, []int{1, 9}) || !reflect.DeepEqual(c.Rows[1].PerSeed, []float64{0.4, 0.2}) {
		t.Fatalf("rows %+v", c.Rows)
	}
	if d := c.Differences[0]; math.Abs(d.Difference-0.3) > 1e-12 || math.Abs(d.P-0.16794) > 1e-4 || math.Abs(d.CI95[0]+0.30849) > 1e-4 {
		t.Errorf("%+v", d)
	}
	w.run("x-s1/plain-s1", "x-plain", 1, nil, 0, 1)
	w.run("x-s1/plain-s2", "x-plain", 2, nil, 1, 1)
	w.run("x-s1/bold-s1", "x-bold", 1, nil, 0, 0)
	w.write(filepath.Join(w.root, "x-s1", "report.json"), runs.Report{Runs: []string{"plain-s1", "plain-s2", "bold-s1"}})
	for _, c := range []struct {
		dirs []string
		want string
	}{
		{[]string{filepath.Join(w.root, "x-s1")}, "plain bold-s1"},
		{[]string{filepath.Join(w.root, "x-s1"), dirs[0], dirs[3]}, "x/plain bold-s1 a"},
	} {
		got, err := compare.Of(c.dirs, "")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range got.Rows {
			names = append(names, r.Run)
		}
		if n := len(names); strings.Join(names, " ") != c.want || len(got.Differences) != n*(n-1)/2 {
			t.Errorf("%v with %d differences, want %s", names, len(got.Differences), c.want)
		}
	}
}

// TestRefused: what is not comparable is refused with the reason.
func TestRefused(t *testing.T) {
	w := world{t, t.TempDir()}
	a := w.run("a-s1", "a", 1, nil, 0, 1)
	for name, c := range map[string]struct {
		change func(*runs.Report)
		reason string
	}{
		"task":     {func(r *runs.Report) { r.Task = "tldr" }, "the task of"},
		"measure":  {func(r *runs.Report) { by := eval.Earned("reward", 0, 1); r.Metric, r.Measure = by.Name, &by }, "the measure of"},
		"old":      {func(r *runs.Report) { r.Metric = "return" }, "was measured by an earlier release"},
		"problems": {func(r *runs.Report) { r.ProblemsSHA256 = "q" }, "the held-out problems of"},
		"ruler":    {func(r *runs.Report) { r.Ruler = "task.scorer compat" }, "what decides a score of"},
		"unknown":  {func(r *runs.Report) { r.ProblemsSHA256 = "" }, "did not record its held-out problems"},
		"system":   {func(r *runs.Report) { r.Rows = r.Rows[:1] }, "has no scores of off-the-shelf"},
	} {
		_, err := compare.Of([]string{a, w.run(name, name, 1, c.change, 0, 1)}, "")
		if refused := new(compare.RefusedError); err == nil || !strings.Contains(err.Error(), c.reason) || errors.As(err, &refused) != (name != "system") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, dirs := range map[string][]string{
		"number of held-out problems": {a, w.run("more", "more", 1, nil, 0, 1, 1)},
		"same seed":                   {a, w.run("again", "a", 1, nil, 0, 1)},
		"no report yet":               {a, w.root},
	} {
		if name == "no report yet" {
			w.write(filepath.Join(w.root, "run.json"), runs.Meta{Format: runs.Format})
		}
		if _, err := compare.Of(dirs, ""); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := compare.Of([]string{a}, "single"); err == nil || !strings.Contains(err.Error(), "has not measured single; it has off-the-shelf, trained") {
		t.Errorf("a system that was not measured: %v", err)
	}
	damaged := w.run("damaged", "damaged", 1, func(r *runs.Report) { r.Rows[1].Score = 0.9 }, 0, 1)
	if _, err := compare.Of([]string{damaged}, ""); err == nil || !strings.Contains(err.Error(), "one of both was changed") {
		t.Errorf("scores that are not the report's: %v", err)
	}
}

// TestOtherMeasures: beside the scores stand accuracy and pass@k, each in rows of its own, where all runs have them. The reward is 0.5 for everybody.
func TestOtherMeasures(t *testing.T) {
	w := world{t, t.TempDir()}
	paid := func(r *runs.Report) {
		by := eval.Earned("reward", 0, 1)
		r.Metric, r.Measure = by.Name, &by
		r.PassAt = []runs.AtK{{System: "trained", K: 1}, {System: "trained", K: 2}, {System: "single", K: 3}}
	}
	run := func(name string, right []float64, shares [][]float64) string {
		dir := w.run(name, name, 1, paid, 0.5, 0.5, 0.5, 0.5)
		w.write(filepath.Join(dir, "evaluation", "trained-000007.json"), map[string]any{
			"measure": eval.Earned("reward", 0, 1), "scores": [][]float64{{0.5, 0.5, 0.5, 0.5}}, "accuracy": [][]float64{right},
		})
		w.write(filepath.Join(dir, "evaluation", "samples-trained-000007.json"), map[string]any{"shares": shares})
		return dir
	}
	a := run("a", []float64{1, 1, 1, 0}, [][]float64{{1, 0}, {1, 1}, {0.5, 0}, {0, 1}})
	b := run("b", []float64{0, 0, 1, 0}, [][]float64{{0, 0}, {1, 0}, {0, 0}, {0, 0}})
	c, err := compare.Of([]string{a, b}, "")
	if err != nil {
		t.Fatal(err)
	}
	if d := c.Differences[0]; d.Difference != 0 || d.P != 1 || c.Metric != "reward" {
		t.Errorf("rewards %+v", d)
	}
	if c.Also == nil || c.Also.Metric != "accuracy" || c.Also.Rows[0].Value != 0.75 || c.Also.Differences[0].Difference != 0.5 {
		t.Errorf("accuracy %+v", c.Also)
	}
	if len(c.PassAt) != 2 || c.PassAt[0].Rows[0].Value != 0.5 || c.PassAt[1].Rows[0].Value != 0.75 || c.PassAt[1].Differences[0].Difference != 0.5 {
		t.Errorf("pass@k %+v", c.PassAt)
	}
	for _, want := range []string{"reward on the same 4 held-out problems", "The same systems by accuracy", "pass@2 by joint samples"} {
		if !strings.Contains(c.Text(), want) || !strings.Contains(string(c.CSV()), "\npass@2 difference,a,b,") {
			t.Errorf("no %q in\n%s", want, c.Text())
		}
	}
	// An earlier release did not write how right the answers are: then nothing is said of it.
	w.write(filepath.Join(b, "evaluation", "trained-000007.json"), map[string]any{"scores": [][]float64{{0.5, 0.5, 0.5, 0.5}}})
	if c, err := compare.Of([]string{a, b}, ""); err != nil || c.Also != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestForms: text, LaTeX, CSV and pictures of one comparison.
func TestForms(t *testing.T) {
	w := world{t, t.TempDir()}
	c, err := compare.Of([]string{w.run("a_1", "a", 1, nil, 1, 0, 1, 1), w.run("b", "b", 1, nil, 0, 0, 1, 1), w.run("c", "c", 1, nil, 0, 0, 0, 1)}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ form, text, want string }{
		{"text", c.Text(), "accuracy on the same 4 held-out problems of task sums"},
		{"text", c.Text(), "\na_1 - b   +0.250 "},
		{"text", c.Text(), "one run each, so other seeds may give other results.\np (Holm) is adjusted for all 3 differences"},
		{"LaTeX", c.LaTeX(), "    a\\_1 & trained & 1 & 0.750 &"},
		{"LaTeX", c.LaTeX(), "    a\\_1 - b & +0.250 &"},
		{"CSV", string(c.CSV()), "\nscore,c,,trained,1,4,0.25,"},
		{"CSV", string(c.CSV()), "\ndifference,a_1,c,,,4,0.5,"},
	} {
		if !strings.Contains(x.text, x.want) {
			t.Errorf("%s does not say %q:\n%s", x.form, x.want, x.text)
		}
	}
	for file, start := range map[string]string{"x.png": "\x89PNG", "x.PDF": "%PDF", "x.svg": "<?xml"} {
		if data, err := c.Picture(file); err != nil || !bytes.HasPrefix(data, []byte(start)) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := c.Picture("x.gif"); err == nil {
		t.Error("a picture that nobody can write")
	}
}
