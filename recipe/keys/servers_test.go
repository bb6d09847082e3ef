package keys

import (
	"strings"
	"testing"
)

// TestServers: what is said of servers goes together, or it is said what does not.
func TestServers(t *testing.T) {
	for want, s := range map[string]Servers{
		"":                           {Cost: 1, Prices: []string{"big 0.15 0.60", " judge  0 8 "}},
		"expected a model and two":   {Prices: []string{"big 1"}},
		"numbers of at least 0":      {Prices: []string{"big 1 -2"}},
		"expected two numbers":       {Prices: []string{"big NaN 2"}},
		"says of no model":           {Cost: 1},
		"servers.recording names no": {Replay: true},
	} {
		if got := s.Broken(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
	s := Servers{Cost: 1, Prices: []string{"big 1 2"}}
	if got := s.Unpriced([]string{"big", "small"}); got != "small" {
		t.Errorf("%q has no price", got)
	}
	if got := (Servers{Tokens: 9}).Unpriced([]string{"small"}); got != "" {
		t.Errorf("%q needs no price", got)
	}
}
