package teams_test

import (
	"testing"

	"parley/recipe/keys"
	"parley/recipe/teams"
)

// Agents that act at once are those of the step that names most, in a repeated one too.
func TestActors(t *testing.T) {
	steps := keys.Steps{{Ask: keys.Names{"a", "b", "c"}}, {Act: keys.Names{"a"}}, {Repeat: 2, Steps: keys.Steps{{Act: keys.Names{"a", "b"}}}}}
	if n := teams.Actors(steps); n != 2 {
		t.Errorf("%d act at once", n)
	}
	if n := teams.Actors(steps[:1]); n != 0 {
		t.Errorf("%d act where nobody does", n)
	}
}
