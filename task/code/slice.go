package code

import (
	"fmt"
	"strconv"
)

// A Slice chooses the assertions that feedback between turns shows: 0 all, k the first k, −k the last k.
type Slice int

// ParseSlice reads a slice as recipes write it: a whole number, "all", or null.
func ParseSlice(text string) (Slice, error) {
	switch text {
	case "all", "null", "":
		return 0, nil
	}
	k, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("sandbox_slice %q: write a whole number or all", text)
	}
	return Slice(k), nil
}

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
