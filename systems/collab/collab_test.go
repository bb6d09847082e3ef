package collab_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/internal/seed"
	"parley/systems/collab"
)

// A table is an engine whose policies say what comes at each place behind a prompt of one token, [place][token], whatever was written.
type table struct {
	engine.Engine
	t        rapid.TB
	policies map[engine.Policy][][]float64
}

// Distributions says one row for each call: nobody may hold more of the vocabulary.
func (e table) Distributions(_ context.Context, prefixes []engine.Prefix, k int, each func(i, length int, d engine.Distribution) error) error {
	if len(prefixes) != 1 || prefixes[0].From != len(prefixes[0].Tokens) || k != 0 {
		e.t.Errorf("%d prefixes, the first from %d of %d tokens, with %d: one whole row is asked at a time", len(prefixes), prefixes[0].From, len(prefixes[0].Tokens), k)
	}
	var row []float32
	for _, p := range e.policies[prefixes[0].Policy][len(prefixes[0].Tokens)-1] {
		row = append(row, float32(math.Log(p)))
	}
	return each(0, len(prefixes[0].Tokens), engine.Distribution{Logprobs: row})
}

// Sample goes on greedily, or draws.
func (e table) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		rng := seed.Stream(r.Seed)
		for n := 0; n < r.MaxTokens && out[i].Stop == ""; n++ {
			row := e.policies[r.Policy][len(r.Prompt)-1+n]
			z := slices.Index(row, slices.Max(row))
			if r.Sampling.Temperature > 0 {
				left := rng.Float64()
				for z = 0; z < len(row)-1 && left >= row[z]; z++ {
					left -= row[z]
				}
			}
			out[i].Tokens = append(out[i].Tokens, z)
			switch {
			case slices.Contains(r.Stop, z):
				out[i].Stop = engine.StopEOS
			case r.Watch != nil && r.Watch.Ends(z):
				out[i].Stop = engine.StopText
			}
		}
		if out[i].Stop == "" {
			out[i].Stop = engine.StopLength
		}
	}
	return out, nil
}

// pen is one of tables, whose reward is the share of places that match.
func pen(t rapid.TB, right []int, candidates int, rows ...[][]float64) collab.Pen {
	e := table{t: t, policies: map[engine.Policy][][]float64{}}
	p := collab.Pen{Candidates: candidates, MaxTokens: len(right)}
	for j, r := range rows {
		name := engine.Policy(string(rune('a' + j)))
		e.policies[name] = r
		p.Members = append(p.Members, collab.Member{Name: string(name), Engine: e, Policy: name, Prompt: []int{0}})
	}
	p.Reference = p.Members[0]
	p.Worth = func(_ context.Context, _ int, texts []collab.Text) ([]float64, error) {
		var out []float64
		for _, text := range texts {
			out = append(out, matches(text.Tokens, right))
		}
		return out, nil
	}
	return p
}

func matches(text, right []int) float64 {
	n := 0
	for i := range text {
		if text[i] == right[i] {
			n++
		}
	}
	return float64(n) / float64(len(right))
}

func write(t rapid.TB, p collab.Pen) collab.Said {
	t.Helper()
	said, err := p.Write(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// drawRows draws a policy of some places over a vocabulary.
func drawRows(t *rapid.T, places, vocabulary int) [][]float64 {
	rows := make([][]float64, places)
	for i := range rows {
		sum := 0.0
		for range vocabulary {
			x := math.Exp(rapid.Float64Range(-2, 2).Draw(t, "logit"))
			rows[i], sum = append(rows[i], x), sum+x
		}
		for v := range rows[i] {
			rows[i][v] /= sum
		}
	}
	return rows
}

// TestTwins: members of one policy write what one of them writes, without a switch, and cost as much more; α changes nothing for one.
func TestTwins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t, 4, 3)
		right := rapid.SliceOfN(rapid.IntRange(0, 2), 4, 4).Draw(t, "right")
		p := rapid.IntRange(1, 3).Draw(t, "candidates")
		alone := write(t, pen(t, right, p, rows))
		strict := pen(t, right, p, rows)
		strict.Alpha = rapid.Float64Range(0, 9).Draw(t, "alpha")
		twins := write(t, pen(t, right, p, rows, rows))
		if same := write(t, strict); !slices.Equal(same.Tokens, alone.Tokens) {
			t.Fatalf("α changes %v to %v", alone.Tokens, same.Tokens)
		}
		if !slices.Equal(twins.Tokens, alone.Tokens) || twins.Switches != 0 || twins.Costs[1] != twins.Costs[0] || twins.Costs[0] != alone.Costs[0] {
			t.Fatalf("twins %+v, alone %+v", twins, alone)
		}
		if c := alone.Costs[0]; c.Queries != 4*p || c.Tokens != p*(4+3+2+1) || alone.Waited != 4+3+2+1 {
			t.Fatalf("costs %+v, waited for %d", c, alone.Waited)
		}
	})
}

// TestDistance: with a great α the member nearest to the reference writes, whose rows alone are asked for then.
func TestDistance(t *testing.T) {
	near, far := [][]float64{{.4, .3, .3}, {.3, .4, .3}}, [][]float64{{.9, .05, .05}, {.05, .05, .9}}
	p := pen(t, []int{0, 2}, 1, far, near, [][]float64{{.34, .33, .33}, {.33, .34, .33}})
	p.Reference, p.Members = p.Members[2], p.Members[:2]
	if said := write(t, p); !slices.Equal(said.Writers, []int{0, 0}) {
		t.Errorf("without a penalty %+v", said)
	}
	p.Alpha = 5
	if said := write(t, p); !slices.Equal(said.Writers, []int{1, 1}) {
		t.Errorf("with a penalty %+v", said)
	}
}

// endsAfter is a watcher that ends a text at its n-th token.
type endsAfter struct{ n, seen int }

func (w *endsAfter) Ends(int) bool { w.seen++; return w.seen >= w.n }

// TestEnds: texts end at anybody's end token, at a watcher's word, at their length, and where a prompt leaves no room.
func TestEnds(t *testing.T) {
	rows := [][]float64{{.1, .8, .1}, {.8, .1, .1}, {.1, .1, .8}, {.1, .1, .8}}
	for name, c := range map[string]struct {
		change func(*collab.Pen)
		want   []int
		stop   engine.StopReason
	}{
		"length":  {func(*collab.Pen) {}, []int{1, 0, 2, 2}, engine.StopLength},
		"end":     {func(p *collab.Pen) { p.Members[0].Stop = []int{0} }, []int{1, 0}, engine.StopEOS},
		"early":   {func(p *collab.Pen) { p.Members[0].Stop, p.MinTokens = []int{0, 2}, 3 }, []int{1, 1, 2}, engine.StopEOS},
		"never":   {func(p *collab.Pen) { p.Members[0].Never = [][2]int{{0, 2}} }, []int{2, 2, 2, 2}, engine.StopLength},
		"watched": {func(p *collab.Pen) { p.Members[0].Watch = func() engine.Watcher { return &endsAfter{n: 3} } }, []int{1, 0, 2}, engine.StopText},
		"room":    {func(p *collab.Pen) { p.Members[0].Context = 3 }, []int{1, 0}, engine.StopLength},
	} {
		p := pen(t, []int{0, 0, 0, 0}, 1, rows)
		c.change(&p)
		if said := write(t, p); !slices.Equal(said.Tokens, c.want) || said.Stop != c.stop {
			t.Errorf("%s: %v, %s; want %v, %s", name, said.Tokens, said.Stop, c.want, c.stop)
		}
	}
	p := pen(t, []int{0}, 1, rows)
	p.Members[0].Context = 1
	if _, err := p.Write(t.Context()); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("a prompt as long as the context: %v", err)
	}
}

// TestHeard: every token is told once it is chosen, and whoever listens may end the text.
func TestHeard(t *testing.T) {
	rows := [][]float64{{.1, .9}, {.9, .1}, {.1, .9}}
	p, enough := pen(t, []int{1, 0, 1}, 1, rows), errors.New("enough")
	var heard []int
	p.Hear = func(token, member int) error {
		if heard = append(heard, token, member); len(heard) == 4 {
			return enough
		}
		return nil
	}
	said, err := p.Write(t.Context())
	if !errors.Is(err, enough) || !slices.Equal(heard, []int{1, 0, 0, 0}) || !slices.Equal(said.Tokens, []int{1, 0}) {
		t.Errorf("%v, heard %v, said %v", err, heard, said.Tokens)
	}
	p.Hear, p.Members[0].Engine = nil, struct{ engine.Engine }{}
	if _, err := p.Write(t.Context()); err == nil || !strings.Contains(err.Error(), "the engine of a says no distributions") {
		t.Errorf("an engine without distributions: %v", err)
	}
}

// TestRollouts: the value of a token is the mean reward of its completions. A token that pays off now and then is worth nothing by one greedy completion,
// and more than a small certain reward by many.
func TestRollouts(t *testing.T) {
	p := pen(t, []int{0, 0}, 2, [][]float64{{0.5, 0.5}, {0.6, 0.4}})
	p.Seed = 3
	p.Worth = func(_ context.Context, _ int, texts []collab.Text) (out []float64, err error) {
		for _, text := range texts {
			worth := 0.3
			if text.Tokens[0] == 0 {
				worth = float64(text.Tokens[1])
			}
			out = append(out, worth)
		}
		return out, nil
	}
	greedy := write(t, p)
	p.Rollouts = 1
	if one := write(t, p); !slices.Equal(one.Tokens, greedy.Tokens) || one.Costs[0] != greedy.Costs[0] {
		t.Errorf("one completion: %+v, want %+v", one, greedy)
	}
	p.Rollouts = 64
	many := write(t, p)
	if greedy.Tokens[0] != 1 || many.Tokens[0] != 0 {
		t.Errorf("by one completion %v, by many %v", greedy.Tokens, many.Tokens)
	}
	if many.Costs[0].Queries != 64*greedy.Costs[0].Queries || many.Trace.Rollouts != 64*greedy.Trace.Rollouts {
		t.Errorf("costs %+v of %d completions, by one %+v of %d", many.Costs[0], many.Trace.Rollouts, greedy.Costs[0], greedy.Trace.Rollouts)
	}
	if again := write(t, p); !slices.Equal(again.Tokens, many.Tokens) {
		t.Errorf("the same seed: %v, then %v", many.Tokens, again.Tokens)
	}
}
