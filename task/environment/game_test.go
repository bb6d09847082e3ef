package environment_test

import (
	"testing"

	"parley/task/environment"
)

func TestDigit(t *testing.T) {
	for text, want := range map[string]int{
		"I take 3, then 5": 3, "9 or 4": 4, "none": -1,
		`{"thought": "5 is free", "move": 2}`: 2, `{"move": "cell 7"}`: 7, `{"move": null, "x": 3}`: -1,
		`{"thought": "5 is free"}`: 5, `{"move": 2} or 6`: 2, `{"x": 1} {"move": 2}`: 1,
	} {
		got, ok := environment.Digit(text, "1234567")
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
