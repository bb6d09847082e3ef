package reward

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// output makes a completion whose tokens are the runes of its text.
// paperFlags are those of the paper (§2.1).
var paperFlags = FlagRules{Box: true, MinTokens: 50, Repetition: Repetition{MinLen: 2, MaxLen: 5, MaxRepeats: 3}, AfterBox: true}

func completion(text string) Completion {
	var tokens []int
	for _, r := range text {
		tokens = append(tokens, int(r))
	}
	return Completion{Text: text, Tokens: tokens, Decode: func(run []int) string {
		var s strings.Builder
		for _, r := range run {
			s.WriteRune(rune(r))
		}
		return s.String()
	}}
}

func TestSection21Flags(t *testing.T) {
	long := "The quick brown fox jumps over the lazy dog, and all is well. "
	for _, c := range []struct {
		text string
		want []Flag
	}{
		{long + `\boxed{8}`, nil},
		{long + "\\boxed{8} \n", nil},
		{long, []Flag{NoBox}},
		{long + `\boxed{8`, []Flag{NoBox}},
		{`\boxed{8}`, []Flag{TooShort}},
		{long + `\boxed{8}.`, []Flag{TextAfterBox}},
		{long + `\boxed{7} no, \boxed{8}`, nil},
		{long + `so so so so so \boxed{8}`, []Flag{Repetitive}},
		{long + `10101010101 \boxed{8}`, nil},
		{`ab ab ab ab `, []Flag{NoBox, TooShort, Repetitive}},
		{``, []Flag{NoBox, TooShort}},
	} {
		if got := paperFlags.Flags(completion(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%q is flagged %v, want %v", c.text, got, c.want)
		}
	}
	if got := (FlagRules{}).Flags(completion(`ab ab ab ab`)); got != nil {
		t.Errorf("no rules flag %v", got)
	}
}

func TestMinimumIsExact(t *testing.T) {
	r := FlagRules{MinTokens: 50}
	for n, want := range map[int]bool{49: true, 50: false} {
		o := Completion{Tokens: make([]int, n)}
		if got := len(r.Flags(o)) == 1; got != want {
			t.Errorf("%d tokens: too short %v, want %v", n, got, want)
		}
	}
}

// repeats is the definition of §2.1 word by word: at some place stand more than MaxRepeats copies of a run without gap.
func repeats(tokens []string, r Repetition) bool {
	for length := r.MinLen; length <= r.MaxLen; length++ {
		for start := range tokens {
			end := start + length*(r.MaxRepeats+1)
			if end > len(tokens) {
				break
			}
			run := tokens[start : start+length]
			if allDigits(strings.TrimSpace(strings.Join(run, ""))) {
				continue
			}
			copies := slices.Repeat(run, r.MaxRepeats+1)
			if slices.Equal(copies, tokens[start:end]) {
				return true
			}
		}
	}
	return false
}

func TestRepeatsAgainstDefinition(t *testing.T) {
	token := rapid.SampledFrom([]string{"a", "b", "1", " 2", " "})
	rapid.Check(t, func(t *rapid.T) {
		var tokens []string
		for i := range rapid.IntRange(1, 3).Draw(t, "parts") {
			part := rapid.SliceOfN(token, 1, 4).Draw(t, fmt.Sprint("part ", i))
			tokens = append(tokens, slices.Repeat(part, rapid.IntRange(1, 5).Draw(t, "copies"))...)
		}
		r := Repetition{MinLen: rapid.IntRange(1, 3).Draw(t, "min"), MaxLen: rapid.IntRange(1, 6).Draw(t, "max"), MaxRepeats: rapid.IntRange(1, 4).Draw(t, "repeats")}
		join := func(run []string) string { return strings.Join(run, "") }
		if got, want := Repeats(tokens, r, join), repeats(tokens, r); got != want {
			t.Fatalf("%q with %+v: %v, want %v", tokens, r, got, want)
		}
	})
}

func TestReasoningJudge(t *testing.T) {
	if q := ReasoningQuestion("It rains, so neutral."); !strings.Contains(q, "It rains, so neutral.") || !strings.Contains(q, "yes or no") {
		t.Errorf("question %q", q)
	}
	for reply, want := range map[string]bool{
		"no": true, "No.": true, " NO, it does not": true, "**No**": true, "yes": false, "Not sure": false, "": false, "nothing": false,
	} {
		if got := FoundNoReasoning(reply); got != want {
			t.Errorf("reply %q: no reasoning %v, want %v", reply, got, want)
		}
	}
}
