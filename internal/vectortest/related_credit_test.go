package vectortest

import (
	"encoding/json"
	"math"
	"testing"

	"parley/rl/credit"
	"parley/systems/read"
)

func prefixAdvantagesCase(t *testing.T, c Case) {
	v := decode[struct {
		PrefixQ    []float64 `json:"prefix_q"`
		QWait      float64   `json:"q_wait"`
		Gamma, V   float64
		Advantages []float64
		Joint      float64
	}](t, c)
	a, err := read.AdvantagesOf(v.PrefixQ, v.QWait, v.Gamma)
	if err != nil {
		t.Fatal(err)
	}
	near(t, c, "v", a.V, v.V)
	nearSlice(t, c, "advantages", a.Each, v.Advantages)
	near(t, c, "joint", a.Joint, v.Joint)
}

func prefixTableCase(t *testing.T, c Case) {
	v := decode[struct {
		Sizes        []int
		Q            []float64
		Policy       [][]float64
		Action, Wait []int
		Gamma        float64
		PrefixQ      []float64 `json:"prefix_q"`
		QWait        float64   `json:"q_wait"`
		V            float64
		Advantages   []float64
		Joint        float64
	}](t, c)
	table := read.Policies{Sizes: v.Sizes, Q: v.Q, Policy: v.Policy}
	q, err := table.Prefix(v.Action)
	if err != nil {
		t.Fatal(err)
	}
	wait, err := table.Value(v.Wait)
	if err != nil {
		t.Fatal(err)
	}
	a, err := read.AdvantagesOf(q, wait, v.Gamma)
	if err != nil {
		t.Fatal(err)
	}
	nearSlice(t, c, "prefix_q", q, v.PrefixQ)
	near(t, c, "q_wait", wait, v.QWait)
	near(t, c, "v", a.V, v.V)
	nearSlice(t, c, "advantages", a.Each, v.Advantages)
	near(t, c, "joint", a.Joint, v.Joint)
}

// thresholdCase has a planner whose scores pass after as many comparisons as the case says.
func thresholdCase(t *testing.T, c Case) {
	v := decode[struct {
		Schedule    read.Schedule
		Start       float64
		Comparisons [][]int
		Thresholds  json.RawMessage
	}](t, c)
	loop := read.Loop{Tries: 1 << 10, Threshold: read.NewThreshold(v.Schedule, v.Start)}
	var thresholds [][][]float64
	for _, robots := range v.Comparisons {
		decisions, _ := loop.Step(len(robots), func(a read.Ask) (read.Try, bool) {
			if len(a.Refused)+1 < robots[a.Robot] {
				return read.Try{Score: math.Inf(-1)}, true
			}
			return read.Try{Score: 1e9}, true
		})
		var step [][]float64
		for _, d := range decisions {
			step = append(step, d.Thresholds)
		}
		thresholds = append(thresholds, step)
	}
	same(t, c, "thresholds", thresholds, v.Thresholds)
}

func refineCase(t *testing.T, c Case) {
	v := decode[struct {
		Mode     string
		Schedule read.Schedule
		Start    float64
		MaxTries int `json:"max_tries"`
		Steps    [][]struct {
			Actions []string
			Scores  []nullable
		}
		Executed, Tries, Accepted, Thresholds, Refused, Prefixes json.RawMessage

		Queries int
	}](t, c)
	loop := read.Loop{Tries: v.MaxTries, Threshold: read.NewThreshold(v.Schedule, v.Start)}
	executed, tries, accepted, thresholds, refused, prefixes := [][]string{}, [][]int{}, [][]bool{}, [][][]float64{}, [][][]string{}, [][][]string{}
	queries := 0
	for _, robots := range v.Steps {
		seen := make([][]string, len(robots))
		decisions, _ := loop.Step(len(robots), func(a read.Ask) (read.Try, bool) {
			seen[a.Robot] = append([]string{}, a.Before...)
			r, m := robots[a.Robot], len(a.Refused)
			return read.Try{Action: r.Actions[m], Score: minusInf(r.Scores[m])}, true
		})
		var did []string
		var asked []int
		var passed []bool
		var bounds [][]float64
		var refusals [][]string
		for _, d := range decisions {
			log := []string{}
			for _, r := range d.Refused() {
				log = append(log, r.Action)
			}
			queries += len(d.Tries)
			did, asked, passed = append(did, d.Executed), append(asked, len(d.Tries)), append(passed, d.Accepted)
			bounds, refusals = append(bounds, d.Thresholds), append(refusals, log)
		}
		executed, tries, accepted = append(executed, did), append(tries, asked), append(accepted, passed)
		thresholds, refused, prefixes = append(thresholds, bounds), append(refused, refusals), append(prefixes, seen)
	}
	same(t, c, "executed", executed, v.Executed)
	same(t, c, "tries", tries, v.Tries)
	same(t, c, "accepted", accepted, v.Accepted)
	same(t, c, "thresholds", thresholds, v.Thresholds)
	same(t, c, "refused", refused, v.Refused)
	same(t, c, "prefixes", prefixes, v.Prefixes)
	if queries != v.Queries {
		t.Errorf("%d queries, want %d", queries, v.Queries)
	}
}

func differenceCase(t *testing.T, c Case) {
	v := decode[struct {
		R, Gamma  float64
		Done      bool
		V         float64
		VNext     float64 `json:"v_next"`
		Q         []float64
		QNext     []float64 `json:"q_next"`
		Delta     float64
		Advantage float64
	}](t, c)
	near(t, c, "delta", credit.TemporalDifference(v.R, v.Gamma, v.V, v.VNext, v.Done), v.Delta)
	a, err := credit.InstructionAdvantage(v.R, v.Gamma, v.Q, v.QNext, v.Done)
	if err != nil {
		t.Fatal(err)
	}
	near(t, c, "advantage", a, v.Advantage)
}

func shapingCase(t *testing.T, c Case) {
	v := decode[struct {
		Rewards, Phi  []float64
		Gamma, Lambda float64
		Terminal      bool
		Shaped        []float64
		PlainReturn   float64 `json:"plain_return"`
		ShapedReturn  float64 `json:"shaped_return"`
	}](t, c)
	shaped, err := credit.ShapeRewards(v.Rewards, v.Phi, v.Gamma, v.Lambda, v.Terminal)
	if err != nil {
		t.Fatal(err)
	}
	nearSlice(t, c, "shaped", shaped, v.Shaped)
	near(t, c, "plain_return", credit.TDTarget(v.Rewards, 0, v.Gamma), v.PlainReturn)
	near(t, c, "shaped_return", credit.TDTarget(shaped, 0, v.Gamma), v.ShapedReturn)
}

func clockCase(t *testing.T, c Case) {
	v := decode[struct {
		Every        int
		OnlyFollowed bool `json:"only_followed"`
		Steps        []credit.StudentStep
		Updates      json.RawMessage
	}](t, c)
	updates, err := credit.TeacherClock{Every: v.Every, OnlyFollowed: v.OnlyFollowed}.Updates(v.Steps)
	if err != nil {
		t.Fatal(err)
	}
	got := []any{}
	for _, u := range updates {
		got = append(got, map[string]any{"after": u.After, "used": append([]int{}, u.Used...), "weights": append([]float64{}, u.Weights...)})
	}
	same(t, c, "updates", got, v.Updates)
}

// minusInf is a score, of which null is −∞.
func minusInf(x nullable) float64 {
	if x.null {
		return math.Inf(-1)
	}
	return x.value
}
