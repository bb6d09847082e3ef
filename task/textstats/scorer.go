package textstats

import "fmt"

// A Scorer names a way of applying a rubric.
type Scorer string

const (
	Standard Scorer = "standard" // the documented reward
	Robust   Scorer = "robust"   // the same, with every part cancelled that a flag says is gamed
	Compat   Scorer = "compat"   // as published: markers match inside longer words
)

// Check returns an error for a scorer that is none of the three.
func (s Scorer) Check() error {
	switch s {
	case Standard, Robust, Compat:
		return nil
	}
	return fmt.Errorf("scorer %q: write standard, robust or compat", s)
}

// Judge scores two texts about a source text. Flags are always noticed; only the robust scorer lets them cancel parts.
func (s Scorer) Judge(r Rubric, first, second, source string) Score {
	matching := Matching(Categories)
	if s == Compat {
		matching = SubstringCategories
	}
	score := r.Score(first, second, matching)
	flags := Flags(first, second, source)
	if s == Robust {
		return score.Cancel(flags)
	}
	score.Flags = flags
	return score
}
