package datacmd

import (
	"reflect"
	"strings"
	"testing"

	"parley/task/sums"
)

// TestScoringSettings: from the shell only what changes the scoring of single responses can be set.
func TestScoringSettings(t *testing.T) {
	kind := sums.Type()
	got, err := scoringSettings(&kind, []string{"answer=last-number"})
	if want := (&sums.Settings{Style: "story", Answer: "last-number"}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("settings %+v, %v, want %+v", got, err, want)
	}
	_, err = scoringSettings(&kind, []string{"steps=2", "answer=boxd", "answer"})
	for _, want := range []string{`task sums has no setting "steps": it has answer`, `answer is "boxd", expected one of boxed, last-number; did you mean "boxed"?`, "--set answer: write key=value"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
