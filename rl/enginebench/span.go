package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// A Span is a length, or a range of lengths that sequences are spread over evenly: "512" or "64-512".
type Span struct{ From, To int }

// UnmarshalText reads a span as users write it.
func (s *Span) UnmarshalText(text []byte) error {
	from, to, ranged := strings.Cut(string(text), "-")
	if !ranged {
		to = from
	}
	var err, err2 error
	s.From, err = strconv.Atoi(from)
	s.To, err2 = strconv.Atoi(to)
	if err != nil || err2 != nil || s.From < 1 || s.To < s.From {
		return fmt.Errorf("%q is no length: write a number such as 512, or a range such as 64-512", text)
	}
	return nil
}

// MarshalText writes it back.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s Span) String() string {
	if s.From == s.To {
		return strconv.Itoa(s.From)
	}
	return fmt.Sprintf("%d-%d", s.From, s.To)
}

// Lengths spreads n lengths evenly over the span, its ends included; none where n is not positive.
func (s Span) Lengths(n int) []int {
	out := make([]int, max(n, 0))
	for i := range out {
		out[i] = s.To
		if n > 1 {
			out[i] = s.From + (s.To-s.From)*i/(n-1)
		}
	}
	return out
}
