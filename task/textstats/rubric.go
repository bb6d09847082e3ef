package textstats

import "math"

// A Band pays for a ratio: Pay inside [Low, High], less on the slopes from From up to Low and from High down to To, where
// it reaches nothing. Outside [From, To] the gate fails.
type Band struct {
	From, Low, High, To float64
	Pay                 float64
}

// pay returns what x earns; ok is false when the gate fails.
func (b Band) pay(x float64) (earned float64, ok bool) {
	switch {
	case math.IsNaN(x) || x < b.From || x > b.To:
		return 0, false
	case x < b.Low:
		return b.Pay * (x - b.From) / (b.Low - b.From), true
	case x <= b.High:
		return b.Pay, true
	}
	return b.Pay * (1 - (x-b.High)/(b.To-b.High)), true
}

// A Rubric scores two texts in four gated levels (MAGRPO §6): the length of each, the ratio of their lengths, the ratio of
// their vocabularies, and their style. A gate that fails stops the scoring and keeps what was earned.
type Rubric struct {
	MinWords, MaxWords int     // of either text, between white space
	Length             Band    // characters of the second text over those of the first
	Vocabulary         Band    // vocabulary of the second text over that of the first
	FirstMarkers       bool    // markers of the first text count too, not only those of the second
	JaccardCap         float64 // similarity of content words from which the consistency part is paid in full
}

// The parts of a score and what a rubric pays for them at most, ratios aside.
const (
	structurePay  = 0.5
	transitionPay = 0.4
	jaccardPay    = 0.6
)

// Most returns the greatest reward of the rubric that a text can reach: at all twelve categories τ is 0.95.
func (r Rubric) Most() float64 {
	return structurePay + r.Length.Pay + r.Vocabulary.Pay + transitionPay*Transition(len(markerLists)) + jaccardPay
}

// A Score is what two texts earned under a rubric.
type Score struct {
	Structure, LengthRatio, Vocabulary, Transition, Jaccard float64

	StoppedAt int      // level whose gate failed, from 1; 0: all four were scored
	Flags     []string // signs of gaming, sorted
}

// Reward returns the sum of all parts.
func (s Score) Reward() float64 {
	return s.Structure + s.LengthRatio + s.Vocabulary + s.Transition + s.Jaccard
}

// Parts returns the parts by the names of the published scorer.
func (s Score) Parts() map[string]float64 {
	return map[string]float64{
		"structure": s.Structure, "length_ratio": s.LengthRatio, "vocabulary": s.Vocabulary,
		"transition": s.Transition, "jaccard": s.Jaccard,
	}
}

// Matching finds the categories of discourse markers in texts: [Categories] or [SubstringCategories].
type Matching func(texts ...string) []Category

// Score scores two texts.
func (r Rubric) Score(first, second string, matching Matching) Score {
	var s Score
	if !r.fits(first) || !r.fits(second) {
		s.StoppedAt = 1
		return s
	}
	s.Structure = structurePay
	var ok bool
	if s.LengthRatio, ok = r.Length.pay(ratio(Characters(first), Characters(second))); !ok {
		s.StoppedAt = 2
		return s
	}
	if s.Vocabulary, ok = r.Vocabulary.pay(ratio(len(Vocabulary(first)), len(Vocabulary(second)))); !ok {
		s.StoppedAt = 3
		return s
	}
	styled := []string{second}
	if r.FirstMarkers {
		styled = []string{first, second}
	}
	s.Transition = transitionPay * Transition(len(matching(styled...)))
	s.Jaccard = jaccardPay * min(Jaccard(Content(first), Content(second)), r.JaccardCap) / r.JaccardCap
	return s
}

func (r Rubric) fits(text string) bool {
	n := Count(text)
	return r.MinWords <= n && n <= r.MaxWords
}

// ratio is second/first, NaN when the first text has nothing to compare with: no gate lets that through.
func ratio(first, second int) float64 {
	if first == 0 {
		return math.NaN()
	}
	return float64(second) / float64(first)
}
