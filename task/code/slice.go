package code

// A Slice chooses the assertions that feedback between turns shows: 0 all, k the first k, −k the last k.
type Slice int

// Of returns the indices of the assertions shown, of n.
func (s Slice) Of(n int) []int {
	from, to := 0, n
	switch {
	case s > 0:
		to = min(int(s), n)
	case s < 0:
		from = max(n+int(s), 0)
	}
	shown := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		shown = append(shown, i)
	}
	return shown
}
