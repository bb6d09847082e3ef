package bank

// A Try is a program that was measured, with the lesson that its author wrote on it.
type Try struct {
	Speedup float64 // or the tests that it passed; 0: it is wrong
	Lesson  string
}

// Replay returns which lessons are shown in the round that follows so many tries, oldest first, and the bank as it is then. A round has a try of each
// agent; those of a round that is not complete have no part yet. source is what programs are written from; order is that of [AtRandom] in a round with
// so many lessons. What was shown in the rounds before, and the factors, follow from the tries: nothing else has to be kept.
func (s Selection) Replay(tries []Try, source string, order func(round, lessons int) []int) (shown []int, bank []Lesson, err error) {
	for round := 0; ; round++ {
		s.Order = order(round, len(bank))
		if shown, err = s.Shown(bank, round); err != nil || s.Agents < 1 || len(tries) < (round+1)*s.Agents {
			return shown, bank, err
		}
		speedups := make([]float64, s.Agents)
		for i := range s.Agents {
			z := tries[round*s.Agents+i]
			speedups[i] = z.Speedup
			bank = append(bank, Lesson{Text: z.Lesson, Round: round, Author: i, Speedup: z.Speedup, Factor: 1, Relevance: Relevance(z.Lesson, source)})
		}
		Adjust(bank, shown, speedups)
	}
}
