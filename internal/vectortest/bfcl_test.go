package vectortest

import (
	"encoding/json"
	"math/big"
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
			if got := written(calls); !reflect.DeepEqual(got, c.Calls) {
				t.Errorf("calls %v, want %v", got, c.Calls)
			}
		})
	}
}

// written are calls as the vectors have them.
func written(calls []bfcl.Call) (out [][2]any) {
	out = [][2]any{}
	for _, c := range calls {
		out = append(out, [2]any{c.Name, simple(c.Arguments)})
	}
	return out
}

// simple makes floats of whole numbers.
func simple(v any) any {
	switch v := v.(type) {
	case *big.Int:
		x, _ := v.Float64()
		return x
	case []any:
		out := []any{}
		for _, x := range v {
			out = append(out, simple(x))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = simple(x)
		}
		return out
	}
	return v
}
