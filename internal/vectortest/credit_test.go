package vectortest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

// creditSections runs one case of each section of credit.json.
var creditSections = map[string]func(*testing.T, Case){
	"episode_returns":     episodeReturnsCase,
	"baseline_problem":    baselineCase("problem"),
	"baseline_agent":      baselineCase("agent"),
	"baseline_agent_turn": baselineCase("agent_turn"),
	"baseline_global":     baselineCase("global"),
	"atgrpo":              atgrpoCase,
	"c3":                  branchCase,
	"ccpo":                counterfactualCase,
	"rae":                 roleBaselineCase,
	"mgrpo_align":         alignCase,
	"mgrpo_reward":        subagentCase,
	"drmamr":              influenceCase,
	"role_mass":           massCase,
	"workflow_loss":       workflowLossCase,
}

func TestVectorsCredit(t *testing.T) { runSections(t, "credit.json", creditSections, nil) }

// An ordered object of JSON keeps the order of its keys.
type ordered[T any] struct {
	keys   []string
	values map[string]T
}

func (o *ordered[T]) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &o.values); err != nil || o.values == nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		o.keys = append(o.keys, key.(string))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			return err
		}
	}
	return nil
}

// same compares two values of JSON, numbers by the tolerance. NaN stands for null.
func same(t *testing.T, c Case, what string, got any, want json.RawMessage) {
	t.Helper()
	var w any
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(nullNaN(got))
	if err != nil {
		t.Fatal(err)
	}
	var g any
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if at := differs(g, w, what); at != "" {
		t.Errorf("%s\n got %s\nwant %s", at, data, want)
	}
}

// nullNaN copies nested slices and maps of numbers with null for NaN.
func nullNaN(x any) any {
	switch x := x.(type) {
	case float64:
		if math.IsNaN(x) {
			return nil
		}
	case []float64:
		return nulls(x)
	case [][]float64:
		return nulls(x)
	case [][][]float64:
		return nulls(x)
	case []any:
		return nulls(x)
	case map[string]any:
		out := map[string]any{}
		for k, v := range x {
			out[k] = nullNaN(v)
		}
		return out
	}
	return x
}

func nulls[T any](x []T) any {
	if x == nil {
		return nil
	}
	out := make([]any, len(x))
	for i, v := range x {
		out[i] = nullNaN(v)
	}
	return out
}

// differs says where two decoded values differ; empty: nowhere.
func differs(got, want any, at string) string {
	switch w := want.(type) {
	case float64:
		if g, ok := got.(float64); ok && Close(g, w, tolerance) {
			return ""
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if d := differs(g[i], w[i], fmt.Sprintf("%s[%d]", at, i)); d != "" {
				return d
			}
		}
		return ""
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			break
		}
		for k := range w {
			if d := differs(g[k], w[k], at+"."+k); d != "" {
				return d
			}
		}
		return ""
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s: %v, want %v", at, got, want)
}

// where is x, or NaN for null.
func where(ok bool, x float64) float64 {
	if !ok {
		return math.NaN()
	}
	return x
}
