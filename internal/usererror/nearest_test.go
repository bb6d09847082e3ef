package usererror_test

import (
	"testing"

	"parley/internal/usererror"
)

func TestWord(t *testing.T) {
	list := []string{"train", "eval", "recipe", "version"}
	for word, want := range map[string]string{"trian": "train", "tran": "train", "evla": "eval", "recipes": "recipe", "xyz": "", "vresion": "version", "": ""} {
		if got := usererror.Nearest(word, list); got != want {
			t.Errorf("Word(%q) = %q, want %q", word, got, want)
		}
	}
}
