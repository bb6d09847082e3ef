package learn

import "testing"

func TestMinibatchesDealEverything(t *testing.T) {
	answers := make([]*Answer, 10)
	for i := range answers {
		answers[i] = &Answer{Turn: i}
	}
	for _, n := range []int{1, 3, 4, 10, 15} {
		parts := Minibatches(answers, []int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, n)
		seen, least, most := 0, 10, 0
		for _, p := range parts {
			seen += len(p)
			least, most = min(least, len(p)), max(most, len(p))
		}
		if len(parts) != min(n, 10) || seen != 10 || most-least > 1 {
			t.Errorf("%d minibatches: %d parts of %d to %d, %d answers in all", n, len(parts), least, most, seen)
		}
	}
}
