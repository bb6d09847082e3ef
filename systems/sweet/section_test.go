package sweet_test

import (
	"strings"
	"testing"

	"parley/recipe/language"
)

// TestRules: what means nothing, or would tell the policy what is hidden, is refused before anything runs; the baselines are one word.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		sets []string
		say  string // empty: it is fine
	}{
		{nil, ""},
		{[]string{"sweet.method=rft"}, ""},
		{[]string{"sweet.method=multi-turn-dpo"}, ""},
		{[]string{"sweet.method=rft", "group.rollout=episodes", "group.pick=best"}, ""},
		{[]string{"sweet.critic.hidden=[]"}, ""},
		{[]string{"sweet.critic.updates=3"}, ""},
		{[]string{"group.pick=best"}, "group.pick is best, expected first with algorithm sweet"},
		{[]string{"group.rollout=episodes", "group.pick=best"}, "group.rollout is episodes, whose turns have no candidates"},
		{[]string{"group.rollout=atgrpo"}, "with algorithm sweet rollout: chain"},
		{[]string{"team.fields={sheet: [user]}"}, "sweet.critic.hidden names the field solution, which every agent may see"},
		{[]string{"team.fields={sheet: [user], solution: [user, agent]}"}, "sweet.critic.hidden names the field solution, which agent sees and learns from"},
		{[]string{"sweet.critic.hidden=[truth]"}, "sweet.critic.hidden names the field truth, which every agent may see"},
		{[]string{"sweet.critic.prompt={{.Truth}}"}, "sweet.critic.prompt"},
		{[]string{"sweet.critic.updates=4"}, "sweet.critic.updates is 4, expected at most training.updates, 3"},
		{[]string{"sweet.method=sweet"}, "sweet.method is \"sweet\", expected one of advantage, multi-turn-dpo, rft"},
		{[]string{"task.need=6"}, "task.need is 6, expected at most items, 5"},
	} {
		_, err := language.New().Load("sweet-tiny", c.sets)
		if c.say == "" && err != nil || c.say != "" && (err == nil || !strings.Contains(err.Error(), c.say)) {
			t.Errorf("%v: %v, want %q", c.sets, err, c.say)
		}
	}
}
