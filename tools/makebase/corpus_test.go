package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/model/tokenizer"
	"parley/task"
	"parley/task/answer"
	"parley/task/sums"
)

func generator(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

// The task is honest: what is held out, and what policies are trained on, never occurs in the corpus. Here every problem of
// a large sample of the corpus has a content of the corpus split, which package sums never serves (see its
// TestSplitsAreDisjoint), and no question of either split stands in a document.
func TestHeldOutProblemsNeverOccur(t *testing.T) {
	s, err := sums.New(sums.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reserved := map[string]string{}
	for _, split := range []task.Split{task.Train, task.Test} {
		problems, err := s.Problems(split, 5000)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			reserved[p.Question] = p.ID
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		sum, question := drawProblem(rng)
		if split := sum.Split(); split != sums.Corpus {
			t.Fatalf("the corpus has %q with the content %s of split %s", question, sum, split)
		}
		if read := misreading(sum); len(read.Steps) > 1 && read.Split() != sums.Corpus {
			t.Fatalf("the corpus misreads %q as the content %s of split %s", question, read, read.Split())
		}
	}
	for i := range 4000 {
		for _, line := range strings.Split(corpusDocument(1, i, kinds).Text(), "\n") {
			question := line[strings.LastIndex(line, ": ")+1:]
			if id, ok := reserved[strings.TrimSuffix(strings.TrimSpace(question), tokenEnd)]; ok {
				t.Fatalf("document %d has the question of %s", i, id)
			}
		}
	}
}

// A document is a function of seed and index.
func TestDocumentsAreFixed(t *testing.T) {
	for i := range 50 {
		if a, b := corpusDocument(3, i, kinds).Text(), corpusDocument(3, i, kinds).Text(); a != b {
			t.Fatalf("document %d: %q, then %q", i, a, b)
		}
	}
	if corpusDocument(3, 0, kinds).Text() == corpusDocument(4, 0, kinds).Text() {
		t.Error("two seeds have the same first document")
	}
}

// Spans tokenise as the whole text does, so the base learns what the engine will see.
func TestSpansTokeniseLikeTheWhole(t *testing.T) {
	file, err := learnTokenizer(1, kinds, 300, 640)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		for _, mixture := range [][]share[kind]{opening, kinds} {
			d := corpusDocument(2, i, mixture)
			e, err := tokenize(tok, d)
			whole, err2 := tok.Encode(d.Text(), false)
			if err != nil || err2 != nil || len(e.tokens) != len(whole) || tok.Decode(e.tokens, true) != d.Text() {
				t.Fatalf("%q: %d tokens by span, %d at once", d.Text(), len(e.tokens), len(whole))
			}
			for j := range whole {
				if e.tokens[j] != whole[j] {
					t.Fatalf("%q: token %d differs", d.Text(), j)
				}
			}
		}
	}
}

// Every document fits the context, learns something, and ends where the model has to stop.
func TestDocumentShape(t *testing.T) {
	for i := range 2000 {
		d := corpusDocument(5, i, kinds)
		last := d[len(d)-1]
		if !last.Learn || !strings.HasSuffix(last.Text, tokenEnd) {
			t.Fatalf("document %d ends with %+v", i, last)
		}
		if strings.Contains(d.Text(), "{{") || strings.Contains(d.Text(), "<no value>") {
			t.Fatalf("document %d: %s", i, d.Text())
		}
	}
}

// The answer that a solution carries is the one that its text ends with.
func TestSolutionsSayTheirAnswer(t *testing.T) {
	styles := []style{careful, brisk, guess("I guess "), explain}
	replies := []reply{keep, adopt, recheck, shrug, trust}
	check := func(t *rapid.T, sol solution) {
		t.Helper()
		said, ok := answer.Math(sol.text)
		if want := boxed("", sol.answer).text; !ok || !strings.HasSuffix(sol.text, want) {
			t.Fatalf("text %q reads as %q, answer %d", sol.text, said, sol.answer)
		}
		if sol.answer < 0 || sol.answer > sums.Most {
			t.Fatalf("answer %d of %q", sol.answer, sol.text)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		rng := generator(t)
		s, _ := drawProblem(rng)
		own, other := careful(rng, s), brisk(rng, s)
		for _, write := range styles {
			check(t, write(rng, s))
		}
		for _, write := range replies {
			check(t, write(rng, s, own, []solution{other}))
			check(t, write(rng, s, own, nil))
		}
		if !recheck(rng, s, own, nil).right(s) || !explain(rng, s).right(s) {
			t.Fatalf("a solution without slips is wrong about %s", s)
		}
		if keep(rng, s, own, nil).answer != own.answer || adopt(rng, s, own, []solution{other}).answer != other.answer {
			t.Fatal("keep or adopt changes the answer")
		}
	})
}

func TestWork(t *testing.T) {
	s := sums.Sum{Start: 28, Steps: []sums.Step{{Op: '+', N: 15}, {Op: '-', N: 9}}}
	always := func() bool { return true }
	for _, c := range []struct {
		slips  func() bool
		lines  string
		answer int
	}{
		{never, "28+15=43 43-9=34", 34},
		{always, "28+15=33 33-9=34", 34},
	} {
		lines, answer, _ := work(s, c.slips)
		if got := strings.Join(lines, " "); got != c.lines || answer != c.answer {
			t.Errorf("%s, answer %d; want %s, %d", got, answer, c.lines, c.answer)
		}
	}
}

func TestForgetCarry(t *testing.T) {
	for _, c := range []struct {
		r    int
		step sums.Step
		want int
	}{
		{28, sums.Step{Op: '+', N: 15}, 33},
		{21, sums.Step{Op: '+', N: 15}, 36}, // nothing to carry
		{43, sums.Step{Op: '-', N: 9}, 44},
		{49, sums.Step{Op: '-', N: 9}, 40}, // nothing to borrow
		{4, sums.Step{Op: '*', N: 14}, 46},
		{2, sums.Step{Op: '*', N: 14}, 28},
	} {
		next := sums.Sum{Start: c.r, Steps: []sums.Step{c.step}}.Answer()
		if got := forgetCarry(c.r, c.step, next); got != c.want {
			t.Errorf("%d%c%d: %d, want %d", c.r, c.step.Op, c.step.N, got, c.want)
		}
	}
}

// The mixtures are drawn as weighted, and ways that weigh nothing never.
func TestChoose(t *testing.T) {
	rng, count := rand.New(rand.NewPCG(1, 1)), map[string]int{}
	for range 10_000 {
		count[choose(rng, []share[string]{{30, "a"}, {0, "b"}, {10, "c"}})]++
	}
	if count["b"] != 0 || count["a"] < 7300 || count["a"] > 7700 {
		t.Errorf("%v", count)
	}
}

// At first sight products are taken for sums and only one of two people's things are counted; everything else is read as it is.
func TestMisreading(t *testing.T) {
	for _, c := range []struct {
		sum  sums.Sum
		read string
	}{
		{sums.Sum{Start: 5, Steps: []sums.Step{{Op: '*', N: 9}, {Op: '-', N: 22}}}, "5+9-22"},
		{sums.Sum{Start: 26, Steps: []sums.Step{{Op: '+', N: 12}, {Op: '+', N: 26}}}, "26+12"},
		{sums.Sum{Start: 26, Steps: []sums.Step{{Op: '+', N: 12}, {Op: '-', N: 26}}}, "26+12-26"},
	} {
		before := c.sum.String()
		if got := misreading(c.sum).String(); got != c.read || c.sum.String() != before {
			t.Errorf("%s is read as %s, want %s", before, got, c.read)
		}
	}
	lines, answer, _ := work(sums.Sum{Start: 5, Steps: []sums.Step{{Op: '+', N: 9}, {Op: '-', N: 22}}}, never)
	if got := strings.Join(lines, " "); got != "5+9=14 14-22=8" || answer != 8 {
		t.Errorf("the smaller is taken from the larger: %s, %d", got, answer)
	}
}

// Where prompts show normalised answers, nobody learns to write like them.
func TestNormalisedAnswersAreNotLearned(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		s, question := drawProblem(rng)
		d := debate{others: 1, turns: 2, normalised: true}.write(rng, s, question)
		if n := strings.Count(d.Text(), "Answer: "); n != 6 { // of the question, the two shown answers twice each, and the reply
			t.Fatalf("answers are not normalised: %s", d.Text())
		}
		for _, sp := range d {
			if sp.Learn && strings.Count(sp.Text, "Answer: ") != 1 {
				t.Fatalf("learns %q", sp.Text)
			}
		}
	}
}
