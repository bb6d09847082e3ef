//go:build sandbox

package code

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"parley/task"
	"parley/task/sandbox/hostile"
)

// TestHostileNeighbors scores every hostile program as a submission, in an order that a seed gives, on warm workers between honest
// ones: what these earn is to the bit what they earn among themselves, and no hostile one earns as much.
func TestHostileNeighbors(t *testing.T) {
	const tests = "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(3) == 9\n"
	honest := []Submission{
		{Entry: "f", Prompt: gamedPrompt, Tests: tests, Aux: square, Main: "def f(x):\n    y = aux(x)\n    return y + 0"},
		{Entry: "f", Prompt: gamedPrompt, Tests: tests, Aux: square, Main: "def f(x):\n    import pathlib\n    pathlib.Path('/tmp/n').write_text(str(aux(x)))\n    return int(open('/tmp/n').read())"},
		{Entry: "f", Prompt: gamedPrompt, Tests: tests, Main: "def f(x):\n    import random\n    return x * x if random.random() < 0.9 else 0"},
	}
	score := func(variant task.RewardVariant, s Submission, perTest time.Duration) Report {
		r, err := Scorer{Sandboxes: sandboxes(t), Variant: variant, PerTest: perTest}.Score(t.Context(), s)
		if err != nil {
			t.Error(err)
		}
		return r
	}
	variants := []task.RewardVariant{task.Standard, task.Robust}
	want := map[task.RewardVariant][]Report{}
	for _, v := range variants {
		for _, s := range honest {
			want[v] = append(want[v], score(v, s, 0))
		}
	}
	var rest []string
	for _, b := range hostile.Bombs {
		rest = append(rest, b.Source)
	}
	for _, e := range hostile.Escapes {
		rest = append(rest, e.Source)
	}
	for _, c := range hostile.Changes {
		rest = append(rest, c.Source)
	}
	const seed = 36
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	var wait sync.WaitGroup
	for n, source := range rest {
		v, k := variants[n%2], random.IntN(len(honest))
		wait.Go(func() {
			s := Submission{Entry: "f", Prompt: gamedPrompt, Tests: tests, Aux: square, Main: "def f(x):\n    exec(" + strconv.QuoteToASCII(source) + ", {'argument': '/secret'})\n    return aux(x)"}
			if r := score(v, s, 150*time.Millisecond); r.Reward() > want[v][0].Reward() {
				t.Errorf("%s: a hostile program earns %v:\n%s", v, r.Reward(), source)
			}
		})
		if got := score(v, honest[k], 0); !reflect.DeepEqual(got, want[v][k]) {
			t.Errorf("seed %d, %s: about when\n%s\nran, an honest submission earned %+v, want %+v", seed, v, source, got, want[v][k])
		}
		if n%4 == 3 {
			wait.Wait()
		}
	}
	wait.Wait()
}
