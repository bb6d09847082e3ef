package code

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// parseSlice reads a slice as recipes write it: a whole number, "all", or null.
func parseSlice(text string) (Slice, error) {
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

func TestSlice(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want []int
	}{
		{"1", 3, []int{0}},
		{"0", 3, []int{0, 1, 2}},
		{"all", 2, []int{0, 1}},
		{"null", 2, []int{0, 1}},
		{"-2", 3, []int{1, 2}},
		{"-9", 2, []int{0, 1}},
		{"9", 2, []int{0, 1}},
		{"1", 0, nil},
		{"-1", 0, nil},
	} {
		s, err := parseSlice(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Of(c.n); !slices.Equal(got, c.want) {
			t.Errorf("%s of %d: %v, want %v", c.text, c.n, got, c.want)
		}
	}
	for _, text := range []string{"first", "1.5", "--2"} {
		if _, err := parseSlice(text); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func FuzzSlice(f *testing.F) {
	f.Add("all", 3)
	f.Add("-2", 5)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = max(0, min(n, 100))
		s, err := parseSlice(text)
		if err != nil {
			return
		}
		shown := s.Of(n)
		if n > 0 && len(shown) == 0 || len(shown) > n || !slices.IsSorted(shown) {
			t.Fatalf("%q of %d shows %v", text, n, shown)
		}
	})
}
