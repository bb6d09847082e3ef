package rollout_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/rollout"
)

// A vowelStop ends an answer at its first vowel.
type vowelStop struct {
	text  string
	ended bool
}

func (w *vowelStop) Ends(token int) bool {
	letter := letters{}.Text([]int{token})
	if w.ended = strings.ContainsAny(letter, "aeiou"); !w.ended {
		w.text += letter
	}
	return w.ended
}

func (w *vowelStop) Text() (string, bool) { return w.text, w.ended }

// TestStopTexts: an answer keeps the tokens that were drawn, its text ends before the stop text, and it says why it ended; scored early
// or with its turn.
func TestStopTexts(t *testing.T) {
	late := runner(t, &dice{}, 2, 2, rollout.Settings{Group: 3, Joint: credit.Aligned, MaxTokens: 3})
	early, scorer := eagerRunner(t, nil)
	scorer.first()
	scorer.first = func() {}
	for _, r := range []*rollout.Runner{late, early} {
		for i := range r.Actors {
			r.Actors[i].Watch = func(int) rollout.Watcher { return &vowelStop{} }
		}
	}
	got := play(t, late, 5)
	if !reflect.DeepEqual(play(t, early, 5), got) || len(scorer.early) == 0 {
		t.Error("episodes that were scored early are others")
	}
	reasons := map[engine.StopReason]int{}
	for _, e := range got {
		for _, n := range e.Nodes {
			for _, a := range n.Agents {
				for _, c := range a.Completions {
					reasons[c.Stop]++
					whole := letters{}.Text(c.Tokens)
					if at := strings.IndexAny(whole, "aeiou"); (at >= 0) != (c.Stop == engine.StopText) || at >= 0 && (at != len(whole)-1 || c.Text != whole[:at]) || at < 0 && c.Text != whole {
						t.Errorf("%q reads as %q and ended with %s", whole, c.Text, c.Stop)
					}
				}
			}
		}
	}
	if reasons[engine.StopText] == 0 || reasons[engine.StopLength] == 0 || len(reasons) != 2 {
		t.Errorf("reasons %v", reasons)
	}
}

// TestTruncated: answers that end for want of room are masked, or pay, as the settings say; others are not.
func TestTruncated(t *testing.T) {
	for _, s := range []rollout.Truncated{{}, {Mask: true}, {Penalty: 0.5}} {
		r := runner(t, &dice{}, 2, 1, rollout.Settings{Group: 3, Joint: credit.Aligned, MaxTokens: 3, Truncated: s})
		for i := range r.Actors {
			r.Actors[i].Watch = func(int) rollout.Watcher { return &vowelStop{} }
		}
		cut := 0
		for _, e := range play(t, r, 5) {
			for _, a := range e.Nodes[0].Agents {
				for _, c := range a.Completions {
					want := rollout.Truncated{}
					if c.Stop == engine.StopLength {
						want = s
						cut++
					}
					if got := (rollout.Truncated{Mask: c.Masked, Penalty: c.Penalty}); got != want {
						t.Errorf("an answer that ended with %s has %+v, want %+v", c.Stop, got, want)
					}
				}
			}
		}
		if cut == 0 {
			t.Error("no answer was cut off")
		}
	}
}

// watched cuts a sample where its watcher ends it.
func watched(r engine.SampleRequest, s engine.Sample) engine.Sample {
	if r.Watch == nil {
		return s
	}
	if at := slices.IndexFunc(s.Tokens, r.Watch.Ends); at >= 0 {
		s.Tokens, s.Logprobs, s.Stop = s.Tokens[:at+1], s.Logprobs[:at+1], engine.StopText
	}
	return s
}
