package report_test

import (
	"bytes"
	"image/png"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/runs"
	"parley/train/report"
)

func share(x float64) *float64 { return &x }

// debated is the row of a system of three turns.
func debated(system string, rr, wr, rw float64) runs.Row {
	r := runs.Row{System: system, Score: 0.5, PerTurn: []float64{0.4, 0.5, 0.5}}
	for t := range 3 {
		r.Turns = append(r.Turns, runs.TurnResult{Turn: t + 1, Voted: r.PerTurn[t], CI95: [2]float64{r.PerTurn[t] - 0.1, r.PerTurn[t] + 0.05}})
	}
	for t := range 2 {
		r.Transitions = append(r.Transitions, runs.Transition{
			FromTurn: t + 1, ToTurn: t + 2, Answers: runs.Moves{RR: rr, WR: wr, RW: rw, WW: 1 - rr - wr - rw},
			Own: runs.Conditions{Joint: runs.Conditioned{WRR: share(wr / 2), RWW: share(rw)}},
		})
	}
	return r
}

func sample() runs.Report {
	before, after := debated("off-the-shelf", 0.3, 0.1, 0.12), debated("trained", 0.333, 0.2, 0.02)
	before.Play, after.Play = map[string]float64{"won": 0.1, "lost": 0.7}, map[string]float64{"won": 0.5, "lost": 0.2}
	return runs.Report{Recipe: "debate", Metric: "accuracy", Updates: 3, Rows: []runs.Row{before, after, {System: "single", Score: 0.35, PerTurn: []float64{0.35}}}}
}

func updates(n int) []report.Update {
	var out []report.Update
	for i := range n {
		out = append(out, report.Update{
			Update: i + 1, Accuracy: []float64{0.1 * float64(i), 0.2}, Reward: []float64{1, 2},
			Measures: []report.Measure{{"mean reward", float64(i)}, {"KL", math.NaN()}}, Schemes: map[string]float64{"none": 1 - 0.2*float64(i), "wrapper": 0.2 * float64(i)},
			Shares: []report.Shares{{"the loss", map[string]float64{"planner": 0.6, "coder": 0.4}}},
		})
	}
	return out
}

func draw(t *testing.T, r runs.Report, u []report.Update) map[string][]byte {
	t.Helper()
	files, err := report.Figures(r, u)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestNamedAgents: curves of agents with names have these, others numbers.
func TestNamedAgents(t *testing.T) {
	u := updates(3)
	for i := range u {
		u[i].Accuracy = nil
	}
	if curve := string(draw(t, sample(), u)["curve.svg"]); !strings.Contains(curve, ">agent 2<") {
		t.Error("agents without names have no numbers")
	}
	for i := range u {
		u[i].Names = []string{"writer", "critic"}
	}
	if curve := string(draw(t, sample(), u)["curve.svg"]); !strings.Contains(curve, ">writer<") || !strings.Contains(curve, ">critic<") || strings.Contains(curve, ">agent") {
		t.Error("agents with names are not called by them")
	}
}

// TestPictures: every picture is a PNG, an SVG with its words and a PDF, the same bytes each time.
func TestPictures(t *testing.T) {
	files := draw(t, sample(), updates(3))
	if !reflect.DeepEqual(files, draw(t, sample(), updates(3))) {
		t.Error("other bytes the second time")
	}
	for name, words := range map[string][]string{
		"accuracy": {"debate: accuracy after every turn", "off-the-shelf", "single"}, "transitions": {"RR: right, right", "33.3", "trained"},
		"incentives": {"α1 WRR", "β0 RWW", "trained 2 → 3"}, "curve": {"turn 2", "accuracy of training answers"}, "schemes": {"wrapper", "none"}, "training": {"mean reward"},
		"roles": {"planner", "coder", "share of the loss (%)"}, "play": {"won", "lost", "how the team plays"},
	} {
		if img, err := png.Decode(bytes.NewReader(files[name+".png"])); err != nil || img.Bounds().Dx() < 1248 || img.Bounds().Dy() < 768 && name != "training" {
			t.Errorf("%s.png: %v, %v", name, err, img.Bounds())
		}
		if !bytes.HasPrefix(files[name+".pdf"], []byte("%PDF-")) {
			t.Errorf("%s.pdf is none", name)
		}
		for _, word := range words {
			if !strings.Contains(string(files[name+".svg"]), word) {
				t.Errorf("%s.svg does not say %q", name, word)
			}
		}
	}
	if strings.Contains(string(files["transitions.svg"]), ">2.0<") || strings.Contains(string(files["training.svg"]), ">KL<") {
		t.Error("a part too small for a number has one, or a measure that nobody knows a panel")
	}
	for _, p := range report.FigureNames {
		if files[p.Name+".png"] == nil {
			t.Errorf("no picture %s", p.Name)
		}
	}
	if len(files) != 3*len(report.FigureNames) {
		t.Errorf("files %v", slices.Sorted(maps.Keys(files)))
	}
}

// TestNothingToShow: systems of one turn and a single update leave nothing to draw; a joint reward has curves of rewards.
func TestNothingToShow(t *testing.T) {
	single := runs.Report{Rows: []runs.Row{{System: "trained", PerTurn: []float64{0.5}}}}
	if files := draw(t, single, updates(1)); len(files) != 0 {
		t.Errorf("files %v", slices.Sorted(maps.Keys(files)))
	}
	rewarded := updates(2)
	for i := range rewarded {
		rewarded[i].Accuracy = nil
	}
	if files := draw(t, single, rewarded); !strings.Contains(string(files["curve.svg"]), "agent 2") {
		t.Error("no curve of the agents' rewards")
	}
}

// TestExperiment: variants stand beside each other, with the intervals over seeds; a single variant is drawn as a run.
func TestExperiment(t *testing.T) {
	r := sample()
	r.Rows = nil
	for _, variant := range []string{"plain", "bold"} {
		for _, row := range []runs.Row{debated("off-the-shelf", 0.3, 0.1, 0.12), debated("trained", 0.333, 0.2, 0.02)} {
			row.Variant, row.PerTurnCI95 = variant, [][2]float64{{0.3, 0.5}, {0.4, 0.6}, {0.1, 0.9}}
			row.Transitions[0].Answers.CI95 = &runs.MovesCI95{RR: [2]float64{0.3, 0.4}}
			r.Rows = append(r.Rows, row)
		}
	}
	trainings := []report.Training{{"plain", updates(3)}, {"bold", updates(3)}, {"bold", updates(2)}}
	files, err := report.ExperimentFigures(r, trainings)
	if err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string][]string{
		"accuracy":    {">trained<", ">plain<", ">bold<", ">off-the-shelf<"},
		"transitions": {">bold<", "33.3 ± 5.0", "33.3<"}, "incentives": {">plain<", "trained 2 → 3"}, "curve": {">bold<", ">turn 2<"},
	} {
		if _, err := png.Decode(bytes.NewReader(files[name+".png"])); err != nil {
			t.Errorf("%s.png: %v", name, err)
		}
		for _, word := range words {
			if !strings.Contains(string(files[name+".svg"]), word) {
				t.Errorf("%s.svg does not say %q", name, word)
			}
		}
	}
	wide, high := r.Rows[0], files["accuracy.svg"]
	wide.PerTurnCI95[2] = [2]float64{0.5, 0.5}
	if again, err := report.ExperimentFigures(r, trainings); err != nil || bytes.Equal(again["accuracy.svg"], high) {
		t.Errorf("intervals over seeds are not drawn, %v", err)
	}
	r.Rows = r.Rows[:2]
	if files, err := report.ExperimentFigures(r, trainings); err != nil || strings.Contains(string(files["accuracy.svg"]), ">plain<") {
		t.Errorf("a single variant is drawn as several: %v", err)
	}
}

// TestRoles: what is known in two updates or more has a panel, whatever lies between; one agent alone has none.
func TestRoles(t *testing.T) {
	u := updates(4)
	gradients := report.Shares{"the gradient of policy-turn1", map[string]float64{"planner": 0.9, "coder": 0.1}}
	u[0].Shares, u[3].Shares = append(u[0].Shares, gradients), append(u[3].Shares, gradients)
	u[2].Shares = append(u[2].Shares, report.Shares{"once", gradients.ByAgent})
	svg := string(draw(t, sample(), u)["roles.svg"])
	if !strings.Contains(svg, "share of the gradient of policy-turn1 (%)") || !strings.Contains(svg, "share of the loss (%)") || strings.Contains(svg, "once") {
		t.Error("panels are missing, or too many")
	}
	for i := range u {
		u[i].Shares = []report.Shares{{"the loss", map[string]float64{"planner": 1}}}
	}
	if draw(t, sample(), u)["roles.svg"] != nil {
		t.Error("an agent alone is drawn")
	}
}
