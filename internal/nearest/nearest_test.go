package nearest_test

import (
	"testing"

	"parley/internal/nearest"
)

func TestWord(t *testing.T) {
	list := []string{"train", "eval", "recipe", "version"}
	for word, want := range map[string]string{"trian": "train", "tran": "train", "evla": "eval", "recipes": "recipe", "xyz": "", "vresion": "version", "": ""} {
		if got := nearest.Word(word, list); got != want {
			t.Errorf("Word(%q) = %q, want %q", word, got, want)
		}
	}
}
