package passrate

import (
	"encoding/json"
	"testing"

	"parley/task"
)

// FuzzRates: pass rates from a file that fit a run's problems are shares.
func FuzzRates(f *testing.F) {
	for _, text := range []string{`[]`, `null`, `[{"id":"a","right":1,"samples":2},{"id":"b","right":0,"samples":0}]`, `[{"id":"a","right":3,"samples":2}]`, `[{"id":"a","right":-1}]`, `[{"id":"b"}]`} {
		f.Add([]byte(text))
	}
	problems := []task.Problem{{ID: "a"}, {ID: "b"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		var rates []task.PassRate
		if json.Unmarshal(data, &rates) != nil || !fit(rates, problems) {
			return
		}
		if mean := task.MeanShare(rates); !(mean >= 0 && mean <= 1) {
			t.Errorf("mean %v of %v", mean, rates)
		}
		if len(rates) > len(problems) {
			t.Errorf("%d rates", len(rates))
		}
		kept, _ := task.Between(problems[:len(rates)], rates, 0, 1)
		if len(kept) != len(rates) {
			t.Errorf("%d of %d have a share", len(kept), len(rates))
		}
	})
}
