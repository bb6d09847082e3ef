package modelcmd

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/model/modeltest"
)

// A sample ends at a stop text: its text before it, its ids as they were drawn.
func TestGenerateStops(t *testing.T) {
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := &Loaded{Model: m, Engine: e}
	defer b.Close()
	const line = `{"messages":[{"role":"user","content":"Ana has 23 pens and 7 hats. How many things?"}],"temperature":0,"max_new_tokens":30`
	texts := func(end string) generated {
		g, err := b.parseGenerating([]byte(line + end))
		if err != nil {
			t.Fatal(err)
		}
		answers, err := b.generate(&cli.App{Ctx: t.Context()}, []generating{g, g})
		if err != nil || len(answers) != 2 || *answers[0].Samples[0].Text != *answers[1].Samples[0].Text {
			t.Fatalf("%v, %v", answers, err)
		}
		return answers[1]
	}
	whole := texts("}").Samples[0]
	stop := (*whole.Text)[3:6]
	cut := texts(fmt.Sprintf(`,"stop":["never",%q]}`, stop)).Samples[0]
	if cut.Stop != engine.StopText || *cut.Text != (*whole.Text)[:3] || !slices.Equal(cut.IDs, whole.IDs[:len(cut.IDs)]) || !strings.Contains(m.Text(cut.IDs), stop) {
		t.Errorf("%q with stop %q is %q of ids %v, %s", *whole.Text, stop, *cut.Text, cut.IDs, cut.Stop)
	}
	if _, err := b.parseGenerating([]byte(line + `,"stop":[""]}`)); err == nil {
		t.Error("an empty stop text is taken")
	}
}

// The prompt of messages has the time that --now says, else today's date.
func TestGenerateAtATime(t *testing.T) {
	dir := modeltest.Dated(t)
	for _, now := range []time.Time{{}, time.Date(2026, 7, 14, 9, 5, 3, 0, time.UTC)} {
		m, err := model.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		b, c, want := &Loaded{Model: m}, &modelGenerateCmd{Now: now}, []string{"14 Jul 2026"}
		if now.IsZero() {
			want = []string{time.Now().Format("02 Jan 2006"), time.Now().Add(time.Second).Format("02 Jan 2006")}
		}
		c.at(b)
		ids, err := b.promptOf([]byte(`[{"role":"user","content":"so"}]`))
		if err != nil || !slices.ContainsFunc(want, func(date string) bool { return strings.HasPrefix(m.Text(ids), date) }) {
			t.Errorf("at %v the prompt is %q, %v", now, m.Text(ids), err)
		}
	}
}

// `model generate` draws no id that the tokenizer has no text for; `model score` counts every one in.
func TestPaddedVocabulary(t *testing.T) {
	m, err := model.OpenIncomplete(modeltest.Padded(t, 300, 290))
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := &Loaded{Model: m, Engine: e}
	defer b.Close()
	a := &cli.App{Ctx: t.Context(), Stdout: &bytes.Buffer{}}
	answers, err := b.generate(a, []generating{{IDs: []int{1, 9}, MaxTokens: 40, Temperature: 9, N: 5, IgnoreEOS: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range answers[0].Samples {
		for _, id := range s.IDs {
			if id == 290 || id >= 300 {
				t.Errorf("id %d was drawn, which has no text", id)
			}
		}
	}
	total, lines := 0.0, []idsLine{}
	for id := range 624 {
		lines = append(lines, idsLine{IDs: []int{1, 9, id}})
	}
	scores, err := b.score(a, lines)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		total += math.Exp(float64(*s.Logprobs[2]))
	}
	if math.Abs(total-1) > 1e-4 {
		t.Errorf("the probabilities of all ids sum to %v", total)
	}
}
