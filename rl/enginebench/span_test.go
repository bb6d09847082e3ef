package bench

import (
	"slices"
	"testing"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]Span{"512": {512, 512}, "64-512": {64, 512}, "7-7": {7, 7}} {
		var s Span
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%s is %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "0", "-", "-5", "8-4", "a", "1-b", "1-2-3"} {
		if err := new(Span).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if got := (Span{64, 512}).Lengths(8); got[0] != 64 || got[7] != 512 || !slices.IsSorted(got) {
		t.Errorf("lengths %v", got)
	}
	if got := (Span{64, 512}).Lengths(1); got[0] != 512 {
		t.Errorf("one length: %v", got)
	}
}

// FuzzSpan checks that what was read is written back as something that reads the same.
func FuzzSpan(f *testing.F) {
	for _, s := range []string{"512", "64-512", "+1-2", "0", "1--2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s, again Span
		if s.UnmarshalText([]byte(text)) != nil {
			return
		}
		if s.From < 1 || s.To < s.From {
			t.Fatalf("%q is %+v", text, s)
		}
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Fatalf("%q is %v, written back %v: %v", text, s, again, err)
		}
	})
}
