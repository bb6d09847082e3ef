package task

import "testing"

func TestKey(t *testing.T) {
	one := Key("How many  apples\nhas Tom?")
	for _, same := range []string{"how many apples has Tom", " How many apples has tom ? "} {
		if Key(same) != one {
			t.Errorf("%q has another key", same)
		}
	}
	for _, other := range []string{"How many apples has Tim?", "3 - 4", "3 + 4", ""} {
		if Key(other) == one {
			t.Errorf("%q has the same key", other)
		}
	}
	if Key("3 - 4") == Key("3 + 4") {
		t.Error("signs make no difference")
	}
}
