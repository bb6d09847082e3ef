package mutual_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/internal/seed"
	"parley/systems/mutual"
	"parley/task"
	"parley/task/environment/games"
	"parley/team"
)

// tables is an engine whose policy is a table of logits for every prompt, which a step descends by plain gradients. It is its own codec: a prompt is
// the number of its text, an answer one of four tokens.
type tables struct {
	engine.Engine // what is not there
	texts         []string
	logits, grad  map[int][]float64
	random        uint64
	helped        float64
	steps         int
}

func newTables(s uint64) *tables {
	return &tables{logits: map[int][]float64{}, grad: map[int][]float64{}, random: s, helped: 0.8}
}

func (e *tables) Prompt(d []team.Message) ([]int, error) {
	text := d[0].Content
	at := slices.Index(e.texts, text)
	if at < 0 {
		at = len(e.texts)
		e.texts = append(e.texts, text)
		random := seed.Stream(seed.Derive(e.random, text))
		row := make([]float64, 4)
		for u := range row {
			if row[u] = random.NormFloat64(); useful(text, fmt.Sprint(u+1)) {
				row[u] += e.helped
			}
		}
		e.logits[at] = row
	}
	return []int{at}, nil
}

func (e *tables) Text(tokens []int) string { return fmt.Sprint(tokens[0] + 1) }
func (e *tables) Stop() []int              { return nil }

func (e *tables) probabilities(prompt int) []float64 {
	out, sum := make([]float64, 4), 0.0
	for u, z := range e.logits[prompt] {
		out[u] = math.Exp(z)
		sum += out[u]
	}
	for u := range out {
		out[u] /= sum
	}
	return out
}

func (e *tables) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	p, left, u := e.probabilities(reqs[0].Prompt[0]), seed.Stream(reqs[0].Seed).Float64(), 0
	for u < 3 && left >= p[u] {
		left -= p[u]
		u++
	}
	return []engine.Sample{{Tokens: []int{u}, Logprobs: []float32{float32(math.Log(p[u]))}}}, nil
}

func (e *tables) ForwardBackward(_ context.Context, data []engine.Datum, loss engine.Loss) error {
	outputs := make([]engine.Output, len(data))
	for i, d := range data {
		outputs[i].Logprobs = []float32{float32(math.Log(e.probabilities(d.Tokens[0])[d.Tokens[1]]))}
	}
	gradients, err := loss(0, outputs)
	for i, d := range data {
		if e.grad[d.Tokens[0]] == nil {
			e.grad[d.Tokens[0]] = make([]float64, 4)
		}
		for u, p := range e.probabilities(d.Tokens[0]) {
			slope := -p
			if u == d.Tokens[1] {
				slope++
			}
			e.grad[d.Tokens[0]][u] += float64(gradients[i].Logprobs[0]) * slope
		}
	}
	return err
}

func (e *tables) Step(_ context.Context, _ engine.Policy, o engine.Adam) (engine.StepInfo, error) {
	for prompt, row := range e.grad {
		for u, g := range row {
			e.logits[prompt][u] -= o.LR * g
		}
	}
	e.grad = map[int][]float64{}
	e.steps++
	return engine.StepInfo{}, nil
}

// useful says whether a direction stands among those that the teacher observes.
func useful(observed, said string) bool {
	_, ways, _ := strings.Cut(observed, "goal by ")
	return strings.Contains(ways, said)
}

func world() mutual.World {
	return mutual.World{
		Environment: games.Grid().Open([]string{"teacher", "student"}), Teacher: "teacher", Student: "student", Actions: []string{"1", "2", "3", "4"}, Useful: useful,
	}
}

func problem(s uint64, i int) task.Problem {
	random := seed.Stream(seed.Derive(s, "problem", i))
	f := games.GridField{At: random.IntN(36), Goal: random.IntN(36)}
	for f.At == f.Goal {
		f.Goal = random.IntN(36)
	}
	text, _ := json.Marshal(f) // numbers
	return task.Problem{ID: fmt.Sprint(i), Question: string(text)}
}

func begin(t *testing.T, mode mutual.Mode, every int, s uint64) (*mutual.Run, *tables) {
	t.Helper()
	e := newTables(s)
	teacher := &mutual.Teacher{Engine: e, Codec: e, Policy: "teacher", MaxTokens: 1, Adam: engine.Adam{LR: 2}}
	r, err := mutual.New(world(), teacher, mutual.Settings{Mode: mode, Gamma: 0.95, Step: 0.5, Explore: 0.2, Comply: 0.5, TeacherEvery: every, Seed: s})
	if err != nil {
		t.Fatal(err)
	}
	return r, e
}

// TestOrder: a student that is told where to go succeeds more often than one that is not, and more often still where what it learns teaches the
// teacher, who then says more that is useful.
func TestOrder(t *testing.T) {
	const seeds, episodes, last, margin = 8, 300, 100, 0.08
	success, quality := map[mutual.Mode]float64{}, map[mutual.Mode]float64{}
	for s := range uint64(seeds) {
		for _, mode := range []mutual.Mode{mutual.None, mutual.OneWay, mutual.TwoWay} {
			r, _ := begin(t, mode, 1, s)
			said, helped := 0, 0
			for i := range episodes {
				o, err := r.Episode(t.Context(), problem(s, i), i)
				if err != nil {
					t.Fatal(err)
				}
				if i >= episodes-last {
					if o.Success {
						success[mode] += 1.0 / last / seeds
					}
					said, helped = said+o.Said, helped+o.Useful
				}
			}
			if said > 0 {
				quality[mode] += float64(helped) / float64(said) / seeds
			}
		}
	}
	t.Logf("success in the last %d episodes: none %.2f, one-way %.2f, two-way %.2f; useful instructions: one-way %.2f, two-way %.2f",
		last, success[mutual.None], success[mutual.OneWay], success[mutual.TwoWay], quality[mutual.OneWay], quality[mutual.TwoWay])
	if success[mutual.OneWay] < success[mutual.None]+margin || success[mutual.TwoWay] < success[mutual.OneWay]+margin {
		t.Errorf("want none < one-way < two-way, each by %.2f", margin)
	}
	if quality[mutual.TwoWay] < quality[mutual.OneWay]+0.2 {
		t.Error("want the taught teacher to say more that is useful, by .2")
	}
}

// TestClock: the teacher is updated once in every so many steps of the student, never in one-way, where it stays bit-identical, and has no part
// without a teacher.
func TestClock(t *testing.T) {
	for _, mode := range []mutual.Mode{mutual.TwoWay, mutual.OneWay, mutual.None} {
		r, e := begin(t, mode, 7, 1)
		for i := range 20 {
			if _, err := r.Episode(t.Context(), problem(1, i), i); err != nil {
				t.Fatal(err)
			}
		}
		want := 0
		if mode == mutual.TwoWay {
			want = r.Steps / 7
		}
		if r.Updates != want || e.steps > want || mode == mutual.TwoWay && e.steps == 0 {
			t.Errorf("%s: %d updates, %d steps of the engine in %d steps of the student, want %d updates", mode, r.Updates, e.steps, r.Steps, want)
		}
		fresh := newTables(1)
		for at, text := range e.texts {
			_, _ = fresh.Prompt([]team.Message{{Content: text}})
			if same := slices.Equal(e.logits[at], fresh.logits[at]); mode == mutual.OneWay && !same {
				t.Errorf("the teacher has changed at %q", text)
			}
		}
		if mode == mutual.None && len(e.texts) > 0 {
			t.Error("a teacher is asked where there is none")
		}
	}
}

// TestResume: a run that goes on from its state, in the middle of the teacher's clock, does as one that was never interrupted.
func TestResume(t *testing.T) {
	whole, e := begin(t, mutual.TwoWay, 7, 3)
	play := func(r *mutual.Run, from, to int) {
		for i := from; i < to; i++ {
			if _, err := r.Episode(t.Context(), problem(3, i), i); err != nil {
				t.Fatal(err)
			}
		}
	}
	play(whole, 0, 10)
	saved, err := json.Marshal(whole.State)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := json.Marshal(e.logits)
	if err != nil {
		t.Fatal(err)
	}
	play(whole, 10, 25)
	again, f := begin(t, mutual.TwoWay, 7, 3)
	f.texts = slices.Clone(e.texts[:0])
	for _, text := range e.texts {
		_, _ = f.Prompt([]team.Message{{Content: text}})
	}
	var logits map[int][]float64
	if err := json.Unmarshal(policy, &logits); err != nil {
		t.Fatal(err)
	}
	for at, row := range logits {
		f.logits[at] = row
	}
	if err := again.Restore(saved); err != nil {
		t.Fatal(err)
	}
	play(again, 10, 25)
	a, _ := json.Marshal(whole.State)
	b, _ := json.Marshal(again.State)
	if string(a) != string(b) || fmt.Sprint(e.logits) != fmt.Sprint(f.logits) {
		t.Error("a run that was interrupted differs from one that was not")
	}
}
