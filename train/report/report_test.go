package report_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/runs"
	"parley/train/report"
)

var update = flag.Bool("update", false, "rewrite the texts in testdata")

// A fixture is what a report is made from: of one run, or of an experiment where there are trials.
type fixture struct {
	Report   runs.Report
	Context  report.Context
	Pictures []string

	Recipe string
	Seed   int
	Trials []report.Trial
}

// TestGolden makes the report of every testdata/*.json in all its forms and compares them with the files beside it: .txt, .md, .csv and .tex.
// -update rewrites those; commit them only where every difference is meant.
func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.json")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	for _, input := range inputs {
		t.Run(strings.TrimSuffix(filepath.Base(input), ".json"), func(t *testing.T) {
			var f fixture
			data, err := os.ReadFile(input)
			if err == nil {
				err = json.Unmarshal(data, &f)
			}
			if err != nil {
				t.Fatal(err)
			}
			base := strings.TrimSuffix(input, ".json")
			compare(t, base+".txt", text(t, f))
			markdown, r := f.written(t)
			compare(t, base+".md", markdown)
			compare(t, base+".csv", string(report.CSV(r)))
			compare(t, base+".tex", report.LaTeX(r))
		})
	}
}

// text is what a user reads, and of an experiment also the rows that it is made from.
func text(t *testing.T, f fixture) string {
	t.Helper()
	if len(f.Trials) == 0 {
		return report.Text(f.Report, f.Context)
	}
	means, err := report.Means(f.Recipe, f.Seed, f.Trials)
	if err != nil {
		t.Fatal(err)
	}
	return report.ExperimentText(means, f.Trials, "runs/"+f.Recipe+"-s1") + "\n" + rounded(t, means)
}

// written is report.md, and the report that it is made from.
func (f *fixture) written(t *testing.T) (string, runs.Report) {
	t.Helper()
	drawn := map[string][]byte{}
	for _, name := range f.Pictures {
		drawn[name+".png"], drawn[name+".svg"] = []byte{1}, []byte{1}
	}
	if len(f.Trials) == 0 {
		return report.Markdown(f.Report, f.Context, drawn), f.Report
	}
	means, err := report.Means(f.Recipe, f.Seed, f.Trials)
	if err != nil {
		t.Fatal(err)
	}
	return report.ExperimentMarkdown(means, f.Trials, drawn), means
}

// rounded is a report as JSON, with as many digits as every processor agrees on.
func rounded(t *testing.T, r runs.Report) string {
	t.Helper()
	var tree any
	data, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(data, &tree)
	}
	if err == nil {
		data, err = json.MarshalIndent(round(tree), "", " ")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func round(tree any) any {
	switch x := tree.(type) {
	case float64:
		return math.Round(x*1e6) / 1e6
	case []any:
		for i := range x {
			x[i] = round(x[i])
		}
	case map[string]any:
		for key := range x {
			x[key] = round(x[key])
		}
	}
	return tree
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted, gotten := strings.Split(string(data), "\n"), strings.Split(got, "\n")
	for i := range max(len(wanted), len(gotten)) {
		if i >= len(wanted) || i >= len(gotten) || wanted[i] != gotten[i] {
			t.Fatalf("%s: line %d is %q, want %q; -update rewrites it", file, i+1, at(gotten, i), at(wanted, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "missing"
}

// TestFewProblems: the text says what few problems can show: half of the widest interval of a score or of a difference.
func TestFewProblems(t *testing.T) {
	rows := []runs.Row{{System: "off-the-shelf", CI95: [2]float64{0.3, 0.7}, PerTurn: []float64{0.5}}}
	differences := []runs.Comparison{{System: "trained", Against: "off-the-shelf", CI95: [2]float64{-0.04, 0.5}}}
	for want, r := range map[string]runs.Report{
		"about 0.270 is the least that 22 held-out problems can show": {Problems: 22, Rows: rows, Comparisons: differences},
		"about 0.200 is the least that 1 held-out problem can show":   {Problems: 1, Rows: rows},
		"": {Problems: 50, Rows: rows, Comparisons: differences},
	} {
		if got := report.Text(r, report.Context{}); !strings.Contains(got, want) || strings.Contains(got, "the least that") != (want != "") {
			t.Errorf("%s\nlacks %q", got, want)
		}
	}
}
