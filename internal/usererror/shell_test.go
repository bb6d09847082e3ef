package usererror

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestQuote(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"parley", "train", "--resume", "runs/a-s1"}, "parley train --resume runs/a-s1"},
		{[]string{"my runs/it's $HOME", "", "a*b", "é", "-x=1", "=x"}, `'my runs/it'\''s $HOME' '' 'a*b' 'é' -x=1 '=x'`},
	} {
		if got := Quote(c.words...); got != c.want {
			t.Errorf("%q: %s, want %s", c.words, got, c.want)
		}
	}
}

// TestShellReadsTheSameWords asks a real shell.
func TestShellReadsTheSameWords(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab'\"\\ $`*?!#~;&|<>(){}[]\n\té-="))), 1, 5).Draw(t, "words")
		out, err := exec.Command(sh, "-c", "for w in "+Quote(words...)+`; do printf '%s\001' "$w"; done`).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x01"), "\x01"); !slices.Equal(got, words) {
			t.Errorf("%q became %q", words, got)
		}
	})
}
