package record_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/learn"
	"parley/train/record"
)

// TestNames: numbers of agents with names are objects by name, in the order of the agents; a line says the same when it is read.
func TestNames(t *testing.T) {
	m := record.Metrics{Update: 3, Names: []string{"writer", "critic"}, Reward: []float64{0.5, -1e-7}, Stats: learn.Stats{Return: []float64{1, 2}}}
	line, err := json.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"update":3,"problems":0,"reward":{"writer":0.5,"critic":-1e-7},"unparsed"`, `"return":{"writer":1,"critic":2},"clip_share"`} {
		if !strings.Contains(string(line), want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
	m.Names = nil
	if line, err = json.Marshal(m); err != nil || !strings.Contains(string(line), `"reward":[0.5,-1e-7],"unparsed"`) || strings.Contains(string(line), "writer") {
		t.Errorf("without names: %s, %v", line, err)
	}
}

// TestNamesComeBack: what is written is what is read, and is written again byte for byte, with names and without, whatever the numbers.
func TestNamesComeBack(t *testing.T) {
	numbers := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 2)
	rapid.Check(t, func(t *rapid.T) {
		m := record.Metrics{Update: rapid.IntRange(0, 1e6).Draw(t, "update"), Reward: numbers.Draw(t, "reward"), Stats: learn.Stats{Return: numbers.Draw(t, "return")}}
		m.Schemes = rapid.SampledFrom([]map[string]float64{nil, {"reward": 1, "a \"b\"": 0.5}}).Draw(t, "schemes")
		m.GradNorm = map[string]float64{"policy-b": 1}
		if rapid.Bool().Draw(t, "shaped") {
			m.ShapedReturn = numbers.Draw(t, "shaped return")
		}
		if rapid.Bool().Draw(t, "named") {
			m.Names = []string{"b", "a"}
		}
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var got record.Metrics
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !reflect.DeepEqual(got, m) {
			t.Fatalf("%s is read as\n%+v\nwant\n%+v", line, got, m)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != string(line) {
			t.Fatalf("%s is written again as %s: %v", line, again, err)
		}
	})
}

// FuzzMetrics: any line is read or refused, and what was read is written as an object.
func FuzzMetrics(f *testing.F) {
	for _, line := range []string{`{"update":1,"reward":{"a":1,"b":2},"return":[1,2]}`, `{"reward":{"a":{}}}`, `{"reward":{"a":1,"a":2}}`, `[]`, `{`, `{"reward":null}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var m record.Metrics
		if json.Unmarshal(line, &m) != nil {
			return
		}
		if out, err := json.Marshal(m); err != nil || !json.Valid(out) {
			t.Errorf("%q is read as %+v, which is written as %s: %v", line, m, out, err)
		}
	})
}
