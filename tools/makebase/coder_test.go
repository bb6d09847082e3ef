package main

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/model/shipped"
	"parley/task"
)

// The corpus has no problem that recipes train or measure on: of classes, no method with a parameter.
func TestHeldOutFunctionsNeverOccur(t *testing.T) {
	out := map[string]bool{}
	for _, s := range []shape{pairs, lists, chains, joined} {
		for _, split := range []task.Split{task.Train, task.Test} {
			for _, p := range s.problemsOf(split) {
				out["eturn "+p.returns()+"."], out["eturns "+p.returns()+"."] = true, true
			}
		}
	}
	said := regexp.MustCompile(`eturns? .*?\.`)
	for i := range 4000 {
		for _, sentence := range said.FindAllString(corpusDocument(3, i, coderCorpus.kinds).Text(), -1) {
			if out[sentence] {
				t.Fatalf("document %d asks for what is held out: %s", i, sentence)
			}
		}
	}
}

// Python's remainder and quotient of negative numbers are those that problems are made with.
func TestSteps(t *testing.T) {
	got := map[string]int{}
	for _, s := range steps() {
		got[s.words] = s.of(-7)
	}
	for words, want := range map[string]int{"plus 3": -4, "minus 9": -16, "times 2": -14, "modulo 4": 1, "over 4": -2, "squared": 49, "cubed": -343, "negated": 7, "without sign": 7} {
		if got[words] != want {
			t.Errorf("-7 %s: %d, want %d", words, got[words], want)
		}
	}
}

// The ways of writing, one by one.
func TestWaysOfWriting(t *testing.T) {
	step := func(words string) step {
		return steps()[slices.IndexFunc(steps(), func(s step) bool { return s.words == words })]
	}
	sum, list, chain := problem{pairs, step("squared"), pairs.wholes[0]}, problem{lists, step("without sign"), lists.wholes[3]}, problem{chains, step("plus 3"), chains.wholes[0]}
	for _, c := range []struct {
		p     problem
		write coderStyle
		want  string
	}{
		{sum, helper, "def aux(x):\n    return x * x"},
		{sum, everything, "def aux(a, b):\n    return (a * a) + (b * b)"},
		{sum, same, "def aux(x):\n    return x"},
		{sum, printed(helper), "def aux(x):\n    print(x * x)"},
		{sum, unclosed(helper), "def aux(x)\n    return x * x"},
		{sum, sharing, "def total(a, b):\n    p = aux(a)\n    q = aux(b)\n    return p + q"},
		{sum, inline, "def total(a, b):\n    return aux(a) + aux(b)"},
		{sum, wrapper, "def total(a, b):\n    return aux(a, b)"},
		{list, sharing, "def each(xs):\n    p = [aux(x) for x in xs]\n    return p"},
		{list, alone, "def each(xs):\n    return [abs(x) for x in xs]"},
		{chain, sharing, "def change(n):\n    p = aux(n)\n    return p + 1"},
		{chain, alone, "def change(n):\n    return (n + 3) + 1"},
	} {
		if got := c.write(nil, c.p); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		if got := wrongStep(helper)(rng, sum); got == helper(nil, sum) {
			t.Fatalf("a wrong step is right: %s", got)
		}
		if got := wrongWhole(sharing)(rng, sum); got == sharing(nil, sum) || !strings.HasPrefix(got, sum.head()) {
			t.Fatalf("what is done with results is right: %s", got)
		}
	}
}

// The base that ships knows what to write, and often writes something else: training has something to find.
func TestCoderBase(t *testing.T) {
	m, err := modelOf(shipped.FS(shipped.Coder))
	if err != nil {
		t.Fatal(err)
	}
	defer m.engine.Close()
	for _, set := range codeNames {
		for agent := range 2 {
			for _, c := range []struct{ temperature, least, most float64 }{{0, 0.5, 1}, {1, 0.1, 0.7}} {
				r, err := m.writes(t.Context(), askings(set, agent, 40), c.temperature)
				if right := r.all.mean(); err != nil || right < c.least || right > c.most {
					t.Errorf("%s, agent %d, temperature %g: %s, %v", set, agent+1, c.temperature, r, err)
				}
			}
		}
	}
}

// The whole command makes and measures a model, here a useless one.
func TestMeasureCoder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	makeTiny(t, dir, "-base", shipped.Coder)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-measure", "-base", shipped.Coder, "-out", dir, "-problems", "3"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 2*2*len(codeNames) || strings.Count(out.String(), "temperature 0, ") != n/2 {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}
