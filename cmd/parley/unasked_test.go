package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnasked: who talks to a team or looks at a run asks no reward, and so none needs to be there, nor the key for it.
func TestUnasked(t *testing.T) {
	pays := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "0.5") }))
	defer pays.Close()
	dir := filepath.Join(t.TempDir(), "run")
	t.Setenv("PARLEY_TEST_KEY", "secret")
	args := []string{"train", "magrpo-tiny", "--out", dir}
	for _, set := range []string{"training.updates=1", "eval.problems=2", "reward.source=user", "reward.user.url=" + pays.URL, "reward.user.key_env=PARLEY_TEST_KEY"} {
		args = append(args, "--set", set)
	}
	var said bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &said, &said); code != 0 {
		t.Fatalf("exit code %d: %s", code, &said)
	}
	pays.Close()
	os.Unsetenv("PARLEY_TEST_KEY")
	for _, line := range []string{
		"chat RUN", "run ask RUN question", "run ask RUN question --agent 2 --update 1", "run verify RUN", "run tokens RUN 1", "run episode RUN 1", "run show RUN --why", "run export RUN --out OUT",
		"recipe show RUN", "ui export RUN --out OUT.html",
	} {
		line = strings.NewReplacer("RUN", dir, "OUT", filepath.Join(t.TempDir(), "out")).Replace(line)
		said.Reset()
		if code := run(t.Context(), strings.Fields(line), strings.NewReader("Hello.\n"), &said, &said); code != 0 {
			t.Errorf("%s: exit code %d: %s", line, code, &said)
		}
	}
	_, _, stop := serving(t, dir)
	if code := stop(); code != 0 {
		t.Errorf("the server ended with code %d", code)
	}
	said.Reset()
	if code := run(t.Context(), []string{"eval", dir}, strings.NewReader(""), &said, &said); code != 2 || !strings.Contains(said.String(), "PARLEY_TEST_KEY") {
		t.Errorf("eval, which asks it: exit code %d: %s", code, &said)
	}
}
