package sums

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/task"
)

var (
	_ task.Task        = (*Duet)(nil)
	_ task.Answerer    = (*Duet)(nil)
	_ task.JointScorer = (*Duet)(nil)
)

func newDuet(t interface{ Fatal(...any) }) *Duet {
	d, err := NewDuet(Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDuet(t *testing.T) {
	const (
		short = "23+18=41\n41-12=29\nAnswer: \\boxed{29}"
		long  = "Altogether 23+18=41.\nRemaining 41-12=29.\nAnswer: \\boxed{29}"
		wrong = "I guess 30.\nAnswer: \\boxed{30}"
		box   = "Answer: \\boxed{29}" // 18 characters
	)
	for _, c := range []struct {
		name              string
		first, second     string
		short, long, fits float64
	}{
		{"both right and fitting", short, long, .5, .5, 1},
		{"same length", short, short, .5, .5, 0},
		{"the wrong way round", long, short, .5, .5, 0},
		{"a short guess fits a worked answer", box, short, .5, .5, 1},
		{"both wrong", wrong, wrong, 0, 0, 0},
		{"one wrong", wrong, long, 0, .5, 1},
		{"long text without an answer", short, strings.Repeat("23+18=41\n", 9), .5, 0, 0},
		{"nothing", "", "", 0, 0, 0},
		{"a little longer", box, strings.Repeat("a", 6) + box, .5, .5, (24./18 - 1.1) / .5},
		{"too long", box, strings.Repeat("ä", 54) + box, .5, .5, 1 - (4-3.2)/1.8},
		{"much too long", box, strings.Repeat("a", 180) + box, .5, .5, 0},
	} {
		got, err := newDuet(t).Score(t.Context(), task.Problem{Truth: "29"}, []string{c.first, c.second})
		if err != nil {
			t.Fatal(err)
		}
		if got.Parts["short"] != c.short || got.Parts["long"] != c.long || math.Abs(got.Parts["fit"]-c.fits) > 1e-12 {
			t.Errorf("%s: %v, want %v %v %v", c.name, got.Parts, c.short, c.long, c.fits)
		}
		if want := c.short + c.long + c.fits; math.Abs(got.Reward-want) > 1e-12 {
			t.Errorf("%s: reward %v, want %v", c.name, got.Reward, want)
		}
		if flagged := len(got.Flags) > 0; flagged != !(strings.Contains(c.first, "boxed") && strings.Contains(c.second, "boxed")) {
			t.Errorf("%s: flags %v", c.name, got.Flags)
		}
	}
}

// Whatever the agents write, the reward is the sum of its parts, within the range, and the same when asked again.
func TestDuetStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDuet(t)
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z\n]{0,60}\\boxed\{[0-9]{1,2}\}`))
		p := task.Problem{Truth: rapid.StringMatching(`[1-9]`).Draw(t, "truth")}
		responses := []string{text.Draw(t, "short"), text.Draw(t, "long")}
		got, err := d.Score(t.Context(), p, responses)
		if err != nil {
			t.Fatal(err)
		}
		least, greatest := d.Range()
		if got.Reward < least || got.Reward > greatest {
			t.Fatalf("reward %v", got.Reward)
		}
		if sum := got.Parts["short"] + got.Parts["long"] + got.Parts["fit"]; math.Abs(sum-got.Reward) > 1e-12 {
			t.Fatalf("reward %v, parts %v", got.Reward, got.Parts)
		}
		if again, _ := d.Score(t.Context(), p, responses); again.Reward != got.Reward {
			t.Fatalf("%v, then %v", got.Reward, again.Reward)
		}
	})
}

func TestDuetErrors(t *testing.T) {
	d := newDuet(t)
	if _, err := d.Score(t.Context(), task.Problem{ID: "x"}, []string{"one"}); err == nil || !strings.Contains(err.Error(), "two agents") {
		t.Errorf("one response: %v", err)
	}
	if _, err := NewDuet(Options{Steps: 1}); err == nil || !strings.Contains(err.Error(), "duet") {
		t.Errorf("steps 1: %v", err)
	}
	if d.Name() != "duet" {
		t.Errorf("name %q", d.Name())
	}
}
