package plan

import (
	"fmt"
	"testing"

	"parley/engine"
	"parley/recipe"
	"parley/recipe/language"
)

// duel is a recipe in which two agents play Kuhn poker, with changes.
func duel(t *testing.T, sets ...string) *recipe.Recipe {
	t.Helper()
	const text = `name: x
algorithm: magrpo
group: {rollout: episodes, size: 3}
policies: {sharing: shared}
reward: {source: joint}
task: {name: environment, environment: {name: kuhn}}
team:
  protocol: workflow
  agents: {first: {}, second: {}}
  workflow: [{ask: [first, second], prompt: "{{.Observation}}"}, {act: [first]}]
  answer: {joint: [first, second]}
training: {updates: 40}
`
	r, err := language.New().Parse("x", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOpponents: the share of episodes is kept to, agents take turns, and opponents are the newest of the pool, the base among them at first.
func TestOpponents(t *testing.T) {
	for _, c := range []struct{ pool, every, done, oldest, newest int }{
		{4, 10, 0, 0, 0},
		{4, 10, 9, 0, 0},
		{4, 10, 10, 0, 1},
		{4, 10, 39, 0, 3},
		{4, 10, 40, 1, 4},
		{1, 3, 29, 9, 9},
		{64, 1, 38, 0, 38},
	} {
		for share, want := range map[float64]int{0.5: 36, 1: 72, 0.01: 1, 0.26: 19} {
			r := duel(t, fmt.Sprintf("opponents.pool=%d", c.pool), fmt.Sprintf("opponents.every=%d", c.every), fmt.Sprintf("opponents.share=%g", share))
			drawn := Opponents(r, c.done, 24, 3)
			byAgent, all := [2]int{}, 0
			for _, p := range drawn {
				for _, o := range p {
					if o == nil {
						continue
					}
					all++
					byAgent[o.Agent]++
					if o.Snapshot < c.oldest || o.Snapshot > c.newest || o.Updates != o.Snapshot*c.every {
						t.Errorf("%+v: snapshot %d, after %d updates", c, o.Snapshot, o.Updates)
					}
				}
			}
			if all != want || max(byAgent[0]-byAgent[1], byAgent[1]-byAgent[0]) > 1 {
				t.Errorf("%+v, share %g: %d episodes have opponents, want %d; by agent %v", c, share, all, want, byAgent)
			}
			if a, b := fmt.Sprint(flat(drawn)), fmt.Sprint(flat(Opponents(r, c.done, 24, 3))); a != b {
				t.Errorf("drawn again: %s and %s", a, b)
			}
		}
	}
	if Opponents(duel(t), 7, 4, 4) != nil {
		t.Error("opponents without a share")
	}
}

func flat(all [][]*Opponent) (out []Opponent) {
	for _, p := range all {
		for _, o := range p {
			if o != nil {
				out = append(out, *o)
			}
		}
	}
	return out
}

// TestPlacesOfThePool: a snapshot lies where it was put until it is no longer among the newest; and every place is kept by checkpoints.
func TestPlacesOfThePool(t *testing.T) {
	r := duel(t, "opponents.pool=3", "opponents.every=2", "opponents.share=1")
	kept := map[engine.Policy]bool{}
	for _, p := range Kept(r, r.Sharing(), r.Team.Turns) {
		kept[p.Name] = true
	}
	if len(kept) != 4 || !kept["policy"] {
		t.Errorf("a checkpoint keeps %v", kept)
	}
	holds := map[engine.Policy]int{engine.Base: 0}
	for done := range 40 {
		if to, keep := Snapshotted(r, "policy", done); keep {
			holds[to] = done
			if !kept[to] {
				t.Errorf("%s is lost with a checkpoint", to)
			}
		}
		for _, o := range flat(Opponents(r, done, 4, 3)) {
			if at := o.Policy("policy"); holds[at] != o.Updates {
				t.Errorf("update %d: %s holds the policy after %d updates, and is taken for that after %d", done, at, holds[at], o.Updates)
			}
		}
	}
}
