package recipe

import (
	"parley/recipe/keys"
	"parley/rl/learn"
)

// AlgorithmType is what the recipe's algorithm is; empty where the language does not know it.
func (r *Recipe) AlgorithmType() learn.Algorithm {
	if r.language == nil {
		return learn.Algorithm{}
	}
	a, _ := r.language.Algorithm(r.Algorithm)
	return a
}

// Kind says what the recipe's algorithm learns from.
func (r *Recipe) Kind() learn.Kind { return r.AlgorithmType().Kind }

// Critics says which value heads train beside the policies.
func (r *Recipe) Critics() learn.Critics { return r.AlgorithmType().CriticsUnder(r.LearningSettings()) }

// Completions counts what an agent says at a node in training.
func (r *Recipe) Completions() int { return r.AlgorithmType().CompletionsUnder(r.LearningSettings()) }

// Prefers says that pairs of joint responses are collected.
func (r *Recipe) Prefers() bool {
	return r.Kind() == learn.Preferences || r.Reward.Source == keys.Preferences
}

// trees says that episodes are trees of joint actions, not debates.
func (r *Recipe) trees() bool { return r.Kind() != learn.Debates }

// chain says that of these trees the best joint action alone goes on.
func (r *Recipe) chain() bool { return r.trees() && r.Groups().Rollout == "chain" }

// episodes says that a problem has several whole episodes in the place of a tree.
func (r *Recipe) episodes() bool { return r.trees() && r.Groups().Rollout == "episodes" }

// learning names the algorithm, in a reason why keys have no effect.
func (r *Recipe) learning() string { return "algorithm " + r.Algorithm }
