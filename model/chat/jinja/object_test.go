package jinja

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestObjectJSON: what is read is written back, keys in order.
func TestObjectJSON(t *testing.T) {
	for _, text := range []string{`{}`, `{"b": 1, "a": [1.0, true, null, "é\n"], "c": {"z": -1, "y": 12345678901234567890}}`} {
		var o Object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		got, err := o.MarshalJSON()
		if err != nil || string(got) != text {
			t.Errorf("got %s %v, want %s", got, err, text)
		}
	}
	deep := strings.Repeat(`{"a":`, 600) + `1` + strings.Repeat(`}`, 600)
	if err := new(Object).UnmarshalJSON([]byte(deep)); err == nil {
		t.Error("600 levels were accepted")
	}
}

func TestObjectOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfDistinct(rapid.String(), rapid.ID[string]).Draw(t, "keys")
		o := NewObject()
		for i, k := range keys {
			o.Set(k, i)
		}
		for i, k := range keys {
			o.Set(k, i+1)
			if v, ok := o.Get(k); !ok || v != int64(i+1) {
				t.Fatalf("%q is %v", k, v)
			}
		}
		if got := o.Keys(); len(keys) > 0 && !reflect.DeepEqual(got, keys) {
			t.Fatalf("keys %q, want %q", got, keys)
		}
	})
}

func TestFromGoTypes(t *testing.T) {
	o := NewObject("i", 1, "f", float32(0.5), "s", []string{"a"}, "o", []*Object{NewObject("k", nil)}, "l", []any{2})
	got, err := str(o)
	if want := "{'i': 1, 'f': 0.5, 's': ['a'], 'o': [{'k': None}], 'l': [2]}"; err != nil || got != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
}
