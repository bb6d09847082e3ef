package code

import (
	"slices"
	"testing"
)

func TestSlice(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want []int
	}{
		{"1", 3, []int{0}}, {"0", 3, []int{0, 1, 2}}, {"all", 2, []int{0, 1}}, {"null", 2, []int{0, 1}},
		{"-2", 3, []int{1, 2}}, {"-9", 2, []int{0, 1}}, {"9", 2, []int{0, 1}}, {"1", 0, nil}, {"-1", 0, nil},
	} {
		s, err := ParseSlice(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Of(c.n); !slices.Equal(got, c.want) {
			t.Errorf("%s of %d: %v, want %v", c.text, c.n, got, c.want)
		}
	}
	for _, text := range []string{"first", "1.5", "--2"} {
		if _, err := ParseSlice(text); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func FuzzParseSlice(f *testing.F) {
	f.Add("all", 3)
	f.Add("-2", 5)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = max(0, min(n, 100))
		s, err := ParseSlice(text)
		if err != nil {
			return
		}
		shown := s.Of(n)
		if n > 0 && len(shown) == 0 || len(shown) > n || !slices.IsSorted(shown) {
			t.Fatalf("%q of %d shows %v", text, n, shown)
		}
	})
}
