package classeval

import "fmt"

// A Contribution lists the methods that one agent produced, and those of them that are syntactically valid.
type Contribution struct {
	Methods []string          `json:"methods"`
	Valid   []string          `json:"valid"`
	Faults  map[string]string `json:"faults,omitempty"` // why the others are not
}

// Levels are the addends of a reward.
type Levels struct {
	Lv1, Lv2, Lv3 float64
}

// Sum returns the reward before gates.
func (l Levels) Sum() float64 { return l.Lv1 + l.Lv2 + l.Lv3 }

// mostLv2 is what passing all unit tests is worth.
const mostLv2 = 4

// Score returns the current generation's reward, in [−1, 6], and its levels: 2·valid methods/all, 4·passed/run unit tests,
// −(methods produced by more than one agent)/all. methods counts those of the class. A merged class that does not compile
// earns 0 whatever the levels say.
func Score(methods int, agents []Contribution, compiles bool, passed, run int) (float64, Levels, error) {
	if methods < 1 {
		return 0, Levels{}, fmt.Errorf("score class: it has %d methods", methods)
	}
	valid, producers := map[string]bool{}, map[string]int{}
	for _, a := range agents {
		for _, m := range a.Valid {
			valid[m] = true
		}
		for m := range unique(a.Methods) {
			producers[m]++
		}
	}
	l := Levels{Lv1: 2 * float64(len(valid)) / float64(methods)}
	if run > 0 {
		l.Lv2 = mostLv2 * float64(passed) / float64(run)
	}
	for _, n := range producers {
		if n > 1 {
			l.Lv3 -= 1 / float64(methods)
		}
	}
	if !compiles {
		return 0, l, nil
	}
	return l.Sum(), l, nil
}

func unique(names []string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// parts are the levels by name.
func (l Levels) parts() map[string]float64 {
	return map[string]float64{"lv1": l.Lv1, "lv2": l.Lv2, "lv3": l.Lv3}
}
