package bench

import "fmt"

// A ShapeError says that work of the shape asked for cannot be measured.
type ShapeError struct{ message string }

func (e *ShapeError) Error() string { return e.message }

func shapef(format string, args ...any) error { return &ShapeError{fmt.Sprintf(format, args...)} }

// A size is a number of the shape, by the name of its flag.
type size struct {
	name string
	n    int
}

// mostSize is more than any machine measures, and little enough for sums of sizes.
const mostSize = 1 << 24

// positive reports the first size below 1, or that no machine has memory for.
func positive(sizes ...size) error {
	for _, s := range sizes {
		if s.n < 1 {
			return shapef("%s is %d; it must be at least 1", s.name, s.n)
		}
		if s.n > mostSize {
			return shapef("%s is %d; it must be at most %d", s.name, s.n, mostSize)
		}
	}
	return nil
}

// mostTokens is more than a run of any use has, and little enough for what is counted of it before it begins.
const mostTokens = 1 << 24

// few reports a run of more tokens: rows that are named by their flags, of so many tokens each.
func few(rows string, n, tokens int) error {
	if all := float64(n) * float64(tokens); all > mostTokens {
		return shapef("%s is %d, with up to %d tokens each: they must be at most %d in all", rows, n, tokens, mostTokens)
	}
	return nil
}

// fits reports sequences that are longer than the model's context.
func (b *Bench) fits(tokens int) error {
	if tokens > b.config.Context {
		return shapef("sequences of %d tokens do not fit the model's context of %d", tokens, b.config.Context)
	}
	return nil
}
