package study_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe/language"
	"parley/train/study"
)

const file = `name: small
question: Is two more than one?
recipes: {quick: debate-sums}
factors: {epochs: {one: [], two: [ppo.epochs=3], three: [ppo.epochs=4]}}
without: {quick-three: too long}
seeds: [1, 2, 3, 4]
baselines: [majority-vote]
metrics: [score, memory, play.win]
pairs: {epochs: one}
`

// row is that of a seed whose score and majority vote are given.
func row(cell string, seed int, score, vote float64) study.Row {
	return study.Row{
		Cell: cell, Seed: seed, Tokens: 1000 + seed, Metric: "accuracy", Problems: "abc",
		Metrics: map[string]float64{"score": score, "memory": 100, "play.win": 0.5}, Systems: map[string]float64{"off-the-shelf": 0.4, "majority-vote": vote},
		Curve: [][2]float64{{500, score / 2}, {1000, score}},
	}
}

func rows() []study.Row {
	var list []study.Row
	for i, d := range []float64{0.1, 0.2, 0.3, 0.4} {
		list = append(list, row("quick-one", i+1, 0.5, 0.5), row("quick-two", i+1, 0.5+d, 0.5))
	}
	return append(list, row("quick-four", 1, 1, 1), row("quick-one", 9, 1, 1))
}

func load(t *testing.T, text string) (*study.Study, *study.Plan) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "study.yaml", text)
	s, p, err := study.Load(language.New(), filepath.Join(dir, "study.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

// TestOf: means are over seeds and differences are paired by seed; rows of other cells and seeds count for nothing. By hand: the differences 0.1
// to 0.4 have the mean 0.25, t = 3.87298 and p = 0.030466, twice that under Holm beside a difference of the same p.
func TestOf(t *testing.T) {
	s, p := load(t, file)
	r := study.Of(s, p, rows())
	if c := r.Cells[0]; len(c.Seeds) != 4 || c.Tokens != [2]int{1001, 1004} || c.Metrics["score"].Mean != 0.5 || c.Metrics["score"].CI95 != [2]float64{0.5, 0.5} {
		t.Errorf("cell %+v", c)
	}
	if m := r.Cells[1].Metrics["score"]; math.Abs(m.Mean-0.75) > 1e-12 || math.Abs(m.CI95[1]-0.75-3.1824*0.0645497) > 1e-6 {
		t.Errorf("mean %+v", m)
	}
	var said []string
	for _, d := range r.Differences {
		said = append(said, d.Metric+" "+d.A+" "+d.B)
	}
	if want := "score quick-two quick-one, score quick-one majority-vote, score quick-two majority-vote, memory quick-two quick-one, play.win quick-two quick-one"; strings.Join(said, ", ") != want {
		t.Errorf("differences %s", strings.Join(said, ", "))
	}
	if d := r.Differences[0]; d.Seeds != 4 || math.Abs(d.Difference-0.25) > 1e-12 || math.Abs(*d.P-0.030466) > 1e-5 || math.Abs(*d.PHolm-3*0.030466) > 1e-4 {
		t.Errorf("difference %+v, p %v, %v", d, *d.P, *d.PHolm)
	}
	if r.Missing != 0 || len(r.LeftOut) != 1 || len(r.Failed) != 0 {
		t.Errorf("missing %d, left out %v", r.Missing, r.LeftOut)
	}
}

// TestUnequal: scores of other problems are not compared, seconds are; a failed run is told, a missing one counted; one seed has no interval.
func TestUnequal(t *testing.T) {
	s, p := load(t, file)
	other := row("quick-two", 1, 0.7, 0.5)
	other.Problems = "def"
	r := study.Of(s, p, []study.Row{row("quick-one", 1, 0.5, 0.5), other, {Cell: "quick-two", Seed: 2, Failed: "no disk"}})
	for _, d := range r.Differences {
		if d.Metric == "score" && d.B == "quick-one" || d.P != nil || d.CI95 != nil {
			t.Errorf("compared %+v", d)
		}
	}
	if len(r.Failed) != 1 || r.Missing != 5 || !strings.Contains(r.Text(), "no disk") || !strings.Contains(r.Text(), "5 runs are missing") {
		t.Errorf("%d failed, %d missing\n%s", len(r.Failed), r.Missing, r.Text())
	}
	if none := study.Of(s, p, nil); none.Missing != 8 || len(none.Differences) != 0 || none.Text() == "" {
		t.Errorf("of no rows: %+v", none)
	}
}

// TestForms: every form has the numbers, and rows that were kept give the same ones.
func TestForms(t *testing.T) {
	s, p := load(t, file)
	data, err := study.Encode(rows())
	if err != nil {
		t.Fatal(err)
	}
	kept, err := study.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	r, again := study.Of(s, p, rows()), study.Of(s, p, kept)
	if r.Text() != again.Text() || r.Markdown() != again.Markdown() || r.LaTeX() != again.LaTeX() || !bytes.Equal(r.CSV(), again.CSV()) {
		t.Error("kept rows give other tables")
	}
	for form, c := range map[string]struct{ text, want string }{
		"text":     {r.Text(), "quick-two   4      1001 to 1004   0.750 ± 0.205   100"},
		"markdown": {r.Markdown(), "+0.250 | +0.045 to +0.455 | 0.0305 |   0.0914"},
		"latex":    {r.LaTeX(), `quick-two & 4 & 1001 to 1004 & 0.750 $\pm$ 0.205`},
		"csv":      {string(r.CSV()), "small,quick-two,4,1004,0,metric,score,0.9\n"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%s has no %q:\n%s", form, c.want, c.text)
		}
	}
	for _, name := range []string{"x.png", "x.svg", "x.pdf"} {
		for _, draw := range []func(string) ([]byte, error){r.Picture, r.Curves} {
			if data, err := draw(name); err != nil || len(data) < 1000 {
				t.Errorf("%s: %d bytes, %v", name, len(data), err)
			}
		}
	}
	if _, err := study.Of(s, p, nil).Picture("x.png"); err == nil {
		t.Error("a picture of nothing")
	}
}

// FuzzDecode: what is read as rows is written as the same rows.
func FuzzDecode(f *testing.F) {
	data, err := study.Encode(rows())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("{\"cell\":\"a\",\"seed\":1}\n\n{}"))
	f.Add([]byte("{\"x\":1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := study.Decode(data)
		if err != nil {
			return
		}
		written, err := study.Encode(list)
		if err != nil {
			t.Fatal(err)
		}
		again, err := study.Decode(written)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := study.Encode(again); err != nil || !bytes.Equal(written, twice) {
			t.Fatalf("%s is read as %s, %v", written, twice, err)
		}
	})
}

// TestRead: numbers come from the report and from metrics.jsonl; a return is the mean over agents of the last fifth of the updates, what a verifier overpays that over turns.
func TestRead(t *testing.T) {
	s, p := load(t, "name: a\nquestion: q\nrecipes: {a: debate-sums}\nseeds: [1]\nmetrics: [score, gain, return, overpaid, schemes.none, pass_at.4, pass_at.8, memory, tokens, updates, per_turn.2, play.win]\ncurve: play.win\n")
	dir := t.TempDir()
	var lines strings.Builder
	for _, line := range []string{
		`{"update":1,"tokens":10,"return":{"a":1,"b":2},"overpaid":[0,9]}`, `{"update":2,"tokens":10,"return":[1,1],"play":{"win":0.25}}`, `{"update":3,"tokens":10,"reward":[9]}`,
		`{"update":4,"tokens":10,"return":[5]}`, `{"update":5,"tokens":10,"return":[2],"overpaid":[0.125,0.375],"schemes":{"none":0.5}}`, `{"update":6,"tokens":11,"return":{"a":3,"b":5},"overpaid":[0.5,1],"schemes":{"wrapper":1},"play":{"win":0.5}}`,
	} {
		lines.WriteString(line + "\n")
	}
	write(t, dir, "metrics.jsonl", lines.String())
	write(t, dir, "report.json", `{"metric":"return","problems_sha256":"0123456789abcdef","rows":[{"system":"off-the-shelf","score":0.25},{"system":"trained","score":0.5,"per_turn":[0.1,0.2],"play":{"win":0.75}}],"gain":0.25,"pass_at":[{"system":"off-the-shelf","k":4,"value":0.1},{"system":"trained","k":4,"value":0.6}],"updates":6,"peak_memory_bytes":1048576,"generated_tokens":61}`)
	got, err := study.Read(dir, s, p.Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	data, err := study.Encode([]study.Row{got})
	want := `{"cell":"a","seed":1,"tokens":61,"updates":6,"metric":"return","problems":"0123456789ab","metrics":{"gain":0.25,"memory":1,"overpaid":0.5,"pass_at.4":0.6,"per_turn.2":0.2,"play.win":0.75,"return":3,"schemes.none":0.25,"score":0.5,"tokens":61,"updates":6},"systems":{"off-the-shelf":0.25},"curve":[[20,0.25],[61,0.5]]}` + "\n"
	if err != nil || string(data) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, data, want)
	}
	write(t, dir, "report.json", `{"rows":[{"system":"trained","score":0.5,"per_turn":[0.1]}]}`)
	got, err = study.Read(dir, s, p.Runs[0])
	if _, has := got.Metrics["per_turn.2"]; err != nil || has || got.Metrics["score"] != 0.5 {
		t.Errorf("a number that is not there: %+v, %v", got.Metrics, err)
	}
	write(t, dir, "report.json", `{"rows":[{"system":"off-the-shelf","score":0.5}]}`)
	if _, err := study.Read(dir, s, p.Runs[0]); err == nil || !strings.Contains(err.Error(), "no row of the trained team") {
		t.Errorf("a report without the trained team: %v", err)
	}
}

// TestMeasures: cells whose scores are of two measures say so, and are not subtracted from each other.
func TestMeasures(t *testing.T) {
	s, p := load(t, file)
	list := rows()
	if text := study.Of(s, p, list).Markdown(); strings.Contains(text, "measure of the score") {
		t.Errorf("one measure is told of each cell:\n%s", text)
	}
	for i := range list {
		if list[i].Cell == "quick-two" {
			list[i].Metric = "share of the range (reward from 0 to 3)"
		}
	}
	r := study.Of(s, p, list)
	if text := r.Markdown(); !strings.Contains(text, "measure of the score") || !strings.Contains(text, "(reward from 0 to 3)") {
		t.Errorf("two measures are not told:\n%s", text)
	}
	for _, d := range r.Differences {
		if d.Metric == "score" && d.A == "quick-two" && d.B == "quick-one" {
			t.Errorf("two measures are compared: %+v", d)
		}
	}
}

// TestLacking: a number that a run has not counts as none and not as 0; one that no run has is told, and the picture is of another.
func TestLacking(t *testing.T) {
	s, p := load(t, strings.Replace(file, "metrics: [score, memory, play.win]", "metrics: [play.loss, score, play.win]\ncurve: play.win", 1))
	list := rows()
	for i := range list {
		list[i].Curve = nil
		if list[i].Cell == "quick-two" || list[i].Seed == 1 {
			delete(list[i].Metrics, "play.win")
		}
	}
	r := study.Of(s, p, list)
	if got := r.Lacking(); len(got) != 1 || got[0] != "play.loss" || !r.NoCurve() {
		t.Errorf("lacking %v, no curve: %v", got, r.NoCurve())
	}
	if m := r.Cells[0].Metrics["play.win"]; m.Mean != 0.5 || m.CI95 != [2]float64{0.5, 0.5} {
		t.Errorf("a mean over runs without the number: %+v", m)
	}
	for _, d := range r.Differences {
		if d.Metric != "score" {
			t.Errorf("compared what is not there: %+v", d)
		}
	}
	if text := r.Text(); !strings.Contains(text, "quick-two   4      1001 to 1004   -           0.750 ± 0.205   -") || strings.Contains(string(r.CSV()), "play.loss") {
		t.Errorf("%s\n%s", text, r.CSV())
	}
	if data, err := r.Picture("x.svg"); err != nil || !bytes.Contains(data, []byte("score")) {
		t.Errorf("a picture without the first metric: %v", err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
