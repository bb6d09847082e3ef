package textstats

import (
	"testing"

	"parley/task"
)

// The audit beside a standard score is what the robust scorer pays for the same texts.
func TestAuditIsTheRobustReward(t *testing.T) {
	r := Rubric{MinWords: 2, MaxWords: 50, Length: Band{From: 1, Low: 1, High: 9, To: 9, Pay: 1}, Vocabulary: Band{From: 1, Low: 1, High: 9, To: 9, Pay: 0.5}, JaccardCap: 0.03}
	first := "bn ct dr fl gn hm"
	for second, gamed := range map[string]bool{"bn ct dr fl gn hm jk lp mn": true, "bn xs ct zq fl vt hm jk lp": false} {
		s := r.TaskScore(r.ScorePair(task.Standard, first, second, ""), first, second)
		if want := r.ScorePair(task.Robust, first, second, "").Reward(); *s.Signals.Audit != want {
			t.Errorf("%s: audit %v, want %v", second, *s.Signals.Audit, want)
		}
		if *s.Signals.Gamed != gamed || gamed != (*s.Signals.Audit < s.Reward) {
			t.Errorf("%s: gamed %v, reward %v, audit %v", second, *s.Signals.Gamed, s.Reward, *s.Signals.Audit)
		}
		if !s.Signals.Usable[0] || !s.Signals.Usable[1] {
			t.Errorf("%s: usable %v", second, s.Signals.Usable)
		}
	}
	if s := r.TaskScore(r.ScorePair(task.Standard, "bn", first, ""), "bn", first); s.Signals.Usable[0] || !s.Signals.Usable[1] {
		t.Errorf("a short first text: usable %v", s.Signals.Usable)
	}
}
