package folder

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

// TestSeal: a sealed object is the object with one more field, and a change of any byte before the checksum, or of a digit of it, is found.
func TestSeal(t *testing.T) {
	for _, object := range []string{`{"a":1}`, "{\n  \"a\": 1,\n  \"b\": {\"c\": [2]}\n}\n"} {
		sealed, err := Seal([]byte(object))
		if err != nil {
			t.Fatal(err)
		}
		var was, is map[string]any
		if err := errors.Join(json.Unmarshal([]byte(object), &was), json.Unmarshal(sealed, &is)); err != nil || len(is) != len(was)+1 || CheckSeal(sealed) != nil {
			t.Fatalf("%s: %v, %v", sealed, err, CheckSeal(sealed))
		}
		for i := range sealed {
			bad := slices.Clone(sealed)
			bad[i] ^= 1
			var v any
			before := len(object) - 4 // the last bracket and what stands around it
			if i < before && CheckSeal(bad) == nil {
				t.Errorf("a change of byte %d is not found: %s", i, bad)
			}
			if CheckSeal(bad) == nil && json.Unmarshal(bad, &v) == nil {
				if m, ok := v.(map[string]any); !ok || m["a"] != 1. {
					t.Errorf("a change of byte %d passes: %s", i, bad)
				}
			}
		}
	}
	if err := CheckSeal([]byte(`{"a":1}`)); err != nil {
		t.Errorf("an object of an earlier release: %v", err)
	}
	if _, err := Seal([]byte(`[1]`)); err == nil {
		t.Error("an array was sealed")
	}
}
