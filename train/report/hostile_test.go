package report

import (
	"encoding/json"
	"testing"

	"parley/runs"
)

// FuzzReport: a report that was read from a file, whatever is in it, is printed in every form; one that passes is put together with others.
func FuzzReport(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"rows":[{"system":"trained","score":0.5,"per_turn":[0.1,0.5],"ci95":[0.4,0.6],"turns":[{"turn":1},{"turn":2}]}],"gain":0.2}`,
		`{"rows":[{"system":"off-the-shelf","per_turn":[1],"parts":{"a":1}},{"system":"trained","per_turn":[0.1,0.5],"transitions":[{"from_turn":1,"to_turn":2}]}]}`,
		`{"rows":[{"variant":"a","system":"trained","per_turn_ci95":[[0,1]]},{"variant":"b","system":"single"}],"seeds":[1,2],"runs":["a-s1"]}`,
		`{"rows":[{"system":"trained","per_turn":[1]}],"measure":{"name":"x","of":"y"},"also":{"metric":"accuracy","measure":{"name":"accuracy"},"rows":[{"system":"trained","per_turn":[1]}],"also":{}}}`,
		`{"rows":null,"comparisons":[{"a":"x","b":"y"}],"pass_at":[{"k":-1}],"without_history":[{}],"diagnostics":[{"evidence":[{}]}],"changes":[{}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r runs.Report
		if json.Unmarshal(data, &r) != nil || len(r.Rows) > 100 {
			return
		}
		LaTeX(r)
		CSV(r)
		Text(r, Context{})
		Markdown(r, Context{}, nil)
		_, _ = Figures(r, nil)
		if Check(r) != nil {
			return
		}
		trials := []Trial{{Name: "s1", Seed: 1, Report: r}, {Name: "s2", Seed: 2, Report: r}}
		mean, err := Means("x", 1, trials)
		if err != nil {
			return
		}
		ExperimentText(mean, trials, "runs/x")
		ExperimentMarkdown(mean, trials, nil)
	})
}
