package recipe

import (
	"strings"

	"parley/learn"
	"parley/learn/algorithms"
)

// An Algorithm names how policies learn. What it says of itself is in the register of package algorithms.
type Algorithm string

const (
	MAPPO       Algorithm = "mappo"
	SFT         Algorithm = "sft"
	MAGRPO      Algorithm = "magrpo"
	MAREINFORCE Algorithm = "mareinforce"
	MARLOO      Algorithm = "marloo"
	MAREMAX     Algorithm = "maremax"
	IAC         Algorithm = "iac"
	MAAC        Algorithm = "maac"
	MADPO       Algorithm = "madpo"
)

// Debates says that every agent gives one completion a turn.
func (a Algorithm) Debates() bool { return a.entry().Kind == learn.Debates }

// GroupRelative says that advantages compare the completions of a group (MAGRPO §2.3).
func (a Algorithm) GroupRelative() bool { return a.entry().Kind == learn.GroupRelative }

// ActorCritic says that turns are compared with what a critic expects (MAGRPO §5).
func (a Algorithm) ActorCritic() bool { return a.entry().Kind == learn.ActorCritic }

// Pairs says that pairs of joint responses are learned from (MAGRPO §5).
func (a Algorithm) Pairs() bool { return a.entry().Kind == learn.Preferences }

// FromUntrained says that what the untrained team says is learned from.
func (a Algorithm) FromUntrained() bool { return a.entry().FromUntrained }

// entry is the algorithm in the register; empty where it is not there.
func (a Algorithm) entry() learn.Algorithm {
	found, _ := algorithms.Find(string(a))
	return found
}

// algorithmWords are the names of the algorithms, and what each says of itself.
func algorithmWords() (names []string, doc string) {
	var about []string
	for _, a := range algorithms.All() {
		names = append(names, a.Name)
		about = append(about, a.Name+": "+a.About+".")
	}
	return names, strings.Join(about, " ")
}

// Critics says which value heads train beside the policies.
func (r *Recipe) Critics() learn.Critics {
	return r.Algorithm.entry().CriticsUnder(r.LearningSettings())
}

// learningSections are the names of the sections of [Recipe.LearningSettings].
var learningSections = []string{"ppo", "sft", "group", "critic", "preference"}

// LearningSettings are the sections of the recipe that algorithms read.
func (r *Recipe) LearningSettings() []any {
	return []any{r.PPO, r.SFT, r.Group, r.Critic, r.Preference}
}

// Prefers says that pairs of joint responses are collected.
func (r *Recipe) Prefers() bool { return r.Algorithm.Pairs() || r.Reward.Source == "preferences" }

// Iteration is the part of the run that an update belongs to, both counted from 0 (MAGRPO §5).
func (r *Recipe) Iteration(update int) int {
	return r.Preference.Iteration(update, r.Training.Updates)
}
