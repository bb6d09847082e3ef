package vectortest

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"parley/task/bfcl"
)

// TestVectorsBFCL scores answers as the shell does, and compares the calls that were read.
func TestVectorsBFCL(t *testing.T) {
	data, err := contents("bfcl.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Source string
		Items  map[string]map[string]any
		Cases  []struct {
			Row, What string
			Texts     []string
			Calls     [][2]any
			Parts     map[string]float64
			Reward    float64
			Valid     bool
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	scorer, err := bfcl.Type().Items(t.Context(), &bfcl.Settings{Scorer: "published"})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range file.Cases {
		t.Run(strconv.Itoa(i)+" "+c.Row+" "+c.What, func(t *testing.T) {
			item := file.Items[c.Row]
			item["id"] = c.Row
			record, err := json.Marshal(item)
			if err != nil {
				t.Fatal(err)
			}
			p, err := scorer.Read(record, len(c.Texts))
			if err != nil {
				t.Fatal(err)
			}
			score, err := scorer.Score(t.Context(), p, c.Texts)
			if err != nil {
				t.Fatal(err)
			}
			if !Close(score.Reward, c.Reward, 1e-9) || (score.Parts["valid"] == 1) != c.Valid {
				t.Errorf("reward %v and valid %v, want %v and %v", score.Reward, score.Parts["valid"], c.Reward, c.Valid)
			}
			for name, want := range c.Parts {
				if got, ok := score.Parts[name]; !ok || !Close(got, want, 1e-9) {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
			calls, err := bfcl.Merged(p, c.Texts)
			if err != nil {
				t.Fatal(err)
			}
			if got := written(t, calls); !reflect.DeepEqual(got, c.Calls) {
				t.Errorf("calls %v, want %v", got, c.Calls)
			}
		})
	}
}

// written are calls as the vectors have them, as JSON.
func written(t *testing.T, calls []bfcl.Call) (out [][2]any) {
	t.Helper()
	out = [][2]any{}
	for _, c := range calls {
		text, err := json.Marshal(c.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		var arguments any
		if err := json.Unmarshal(text, &arguments); err != nil {
			t.Fatal(err)
		}
		out = append(out, [2]any{c.Name, arguments})
	}
	return out
}
