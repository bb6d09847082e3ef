package user

import (
	"strings"
	"testing"
)

// replies are answers in the long form, and what is said of those that cannot be meant.
var replies = map[string]string{
	`{"reward": 0.5, "flags": ["long"]}`:             "",
	`{"reward": 0.5, "flags": []}`:                   "",
	`{"reward": 0.5, "flags": null, "parts": null}`:  "",
	`{"reward": 0.5, "parts": {"a": 1, "b": true}}`:  "",
	`{"reward": 0.5, "agents": {"a": 1, "b": 0.25}}`: "",
	`{"reward": 0.5, "agents": [true, 0.25]}`:        "",
	`{"reward": 0.5, "agents": null}`:                "",
	`{"reward": 0.5, "agents": 0.5}`:                 `expected a number for each agent`,
	`{"reward": 0.5, "agents": {"a": null}}`:         `expected a number`,
	`{"reward": 0.5, "agents": ["a"]}`:               `expected a number`,
	`{"reward": 0.5, "flags": "long"}`:               `expected a list of texts: write ["long"]`,
	`{"reward": 0.5, "flags": ""}`:                   `expected a list of texts`,
	`{"reward": 0.5, "flags": {"long": true}}`:       `expected a list of texts`,
	`{"reward": 0.5, "flags": ["long", 1]}`:          `expected a list of texts`,
	`{"reward": 0.5, "flags": [null]}`:               `expected a list of texts`,
	`{"reward": 0.5, "flags": true}`:                 `expected a list of texts`,
	`{"reward": 0.5, "parts": ["a"]}`:                `expected named numbers`,
	`{"reward": 0.5, "parts": "a"}`:                  `expected named numbers`,
	`{"reward": 0.5, "parts": {"a": null}}`:          `expected a number`,
	`{"reward": "0.5"}`:                              `expected a number`,
	`{"reward": {"reward": 0.5}}`:                    `expected a number`,
}

// TestReplies: what is no list of texts is no list of its letters or keys.
func TestReplies(t *testing.T) {
	for body, want := range replies {
		s, err := parse([]byte(body))
		switch {
		case want == "" && (err != nil || s.Score.Reward != 0.5):
			t.Errorf("%s: %+v, %v", body, s, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %+v, %v, want an error with %q", body, s, err, want)
		}
	}
	if s, _ := parse([]byte(`{"reward": true, "flags": ["long"], "parts": {"a": true}}`)); s.Score.Reward != 1 || s.Score.Parts["a"] != 1 || len(s.Score.Flags) != 1 || s.Score.Flags[0] != "long" {
		t.Errorf("%+v", s)
	}
}
