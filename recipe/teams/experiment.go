package teams

import (
	"fmt"
	"slices"
	"strings"

	"parley/recipe/keys"
)

// mostRuns bounds an experiment: every variant of a recipe is checked like a recipe.
const mostRuns = 200

// TooMany says that an experiment asks for too many runs; empty: it does not.
func TooMany(e keys.Experiment) string {
	if n := max(1, len(e.Variants)) * max(1, len(e.Seeds)); n > mostRuns {
		return fmt.Sprintf("experiment asks for %d runs, expected at most %d", n, mostRuns)
	}
	return ""
}

// SeedFault says what is wrong with a recipe's seed beside those of its experiment, and what to do; empty: nothing. The experiment's count. changed says that
// the seed was given for this run alone, written that it stands in a recipe that is not recorded.
func SeedFault(e keys.Experiment, seed int, changed, written bool) (message, hint string) {
	seeds := e.AllSeeds(seed)
	switch {
	case changed && !slices.Equal(seeds, []int{seed}):
		key, remedy := "experiment.seeds", fmt.Sprintf("leave seed out, or write --set experiment.seeds=[%d]", seed)
		if len(e.Seeds) == 0 {
			key, remedy = "experiment.variants", "leave seed out, here or in every variant"
		}
		return fmt.Sprintf("seed is %d, but %s says with which seeds the runs are made: %s", seed, key, strings.Trim(fmt.Sprint(seeds), "[]")), remedy
	case written && !slices.Contains(seeds, seed):
		return fmt.Sprintf("seed is %d, but no run of the experiment would have it: experiment.seeds is %v", seed, seeds), fmt.Sprintf("leave seed out, or write experiment: {seeds: [%d]}", seed)
	}
	return "", ""
}

// RepeatedSeeds are those that stand twice: the same run would count as two, without any spread.
func RepeatedSeeds(seeds []int) (twice []int) {
	for i, seed := range seeds {
		if slices.Contains(seeds[:i], seed) {
			twice = append(twice, seed)
		}
	}
	return twice
}

// SetsSeed says that a variant gives its runs a seed of its own.
func SetsSeed(v keys.Variant) bool {
	return slices.ContainsFunc(v.Set, func(set string) bool { return strings.HasPrefix(set, "seed=") })
}

// Once says that a key's list names something twice; empty: it does not.
func Once(key, what string, list []int) string {
	if len(slices.Compact(slices.Sorted(slices.Values(list)))) == len(list) {
		return ""
	}
	return fmt.Sprintf("%s is %v, expected each %s once", key, list, what)
}

// PassHatFault says what is wrong with eval.pass_hat; empty: nothing.
func PassHatFault(e keys.Eval) string {
	if e.Temperature == 0 && e.Repeats() > 1 {
		return "eval.pass_hat asks for several plays of a problem, which are all equal with eval.temperature 0"
	}
	return Once("eval.pass_hat", "k", e.PassHat)
}
