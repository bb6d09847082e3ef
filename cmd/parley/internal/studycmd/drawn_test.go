package studycmd

import (
	"fmt"
	"reflect"
	"testing"

	"parley/train/study"
)

// TestDraw: a draw has finished runs of the plan alone, is the same for a seed, begins with those of a smaller one, and every run is drawn by some seed.
func TestDraw(t *testing.T) {
	plan, rows := &study.Plan{}, []study.Row{{Cell: "gone", Seed: 1}, {Cell: "a", Seed: 9, Failed: "no memory"}}
	for seed := range 10 {
		plan.Runs = append(plan.Runs, study.Run{Name: fmt.Sprint("a-s", seed), Cell: "a", Seed: seed})
		if seed < 9 {
			rows = append(rows, study.Row{Cell: "a", Seed: seed, Tokens: seed})
		}
	}
	seen := map[string]bool{}
	for root := range 100 {
		one, of := draw(plan, rows, 1, root)
		all, _ := draw(plan, rows, 99, root)
		if of != 9 || len(all) != 9 || len(one) != 1 || !reflect.DeepEqual(one[0], all[0]) || all[3].run.Seed != all[3].was.Tokens {
			t.Fatalf("seed %d draws %v of %d, then %v", root, one, of, all)
		}
		seen[one[0].run.Name] = true
	}
	if len(seen) != 9 {
		t.Errorf("a hundred seeds draw %v", seen)
	}
}

// TestDifferences: every field of a row counts but those of the machine; of a run that failed there is the reason alone.
func TestDifferences(t *testing.T) {
	was := study.Row{
		Cell: "a", Seed: 1, Tokens: 5, Metric: "accuracy", Metrics: map[string]float64{"score": 0.5, "seconds": 1, "memory": 2, "return": 0.1},
		Systems: map[string]float64{"single": 0.25}, Curve: [][2]float64{{5, 0.5}}, Kernels: "avx2", Processors: 3,
	}
	same := was
	same.Metrics = map[string]float64{"score": 0.5, "seconds": 8, "memory": 9, "return": 0.1}
	same.Kernels, same.Processors = "generic", 30
	other := was
	other.Tokens, other.Metrics, other.Systems, other.Curve = 6, map[string]float64{"score": 0.5000001, "gain": 0}, nil, [][2]float64{{5, 0.25}}
	for _, c := range []struct {
		now  study.Row
		want []difference
	}{
		{same, nil},
		{other, []difference{
			{"curve", "[[5,0.5]]", "[[5,0.25]]"},
			{"metrics.gain", "", "0"},
			{"metrics.return", "0.1", ""},
			{"metrics.score", "0.5", "0.5000001"},
			{"systems.single", "0.25", ""},
			{"tokens", "5", "6"},
		}},
		{study.Row{Cell: "a", Seed: 1, Failed: "no memory"}, []difference{{"failed", "", `"no memory"`}}},
	} {
		if got := differences(was, c.now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("differences %q, want %q", got, c.want)
		}
	}
}
