package recipe

import (
	"fmt"
	"slices"

	"parley/recipe/keys"
	"parley/rl/credit"
	"parley/rl/learn"
)

// inHarness are keys of what a program does in which a team works.
var inHarness = []string{
	"truncate", "team.workflow", "team.program", "team.answer", "team.fields", "team.cast", "team.history", "team.reward_feedback", "team.normalize_visible", "team.feedback", "team.warm_up",
	"team.sandbox_slice", "team.chat_memory", "team.proposals", "team.lessons", "team.tools", "team.expert", "team.prompts", "team.consensus",
}

// harness reports what is wrong with the program of a team, and with what is asked of one.
func (d *reader) harness(r *Recipe) {
	if !r.Harnessed() {
		return
	}
	if key, fault, hint := r.Team.HarnessFault(); fault != "" && d.Sound("team.protocol", "team.agents", "team.harness") {
		d.Fail(d.Near(key, "team.harness", "team.protocol"), fault, hint)
	}
	for _, a := range r.Team.Agents.Named {
		for key, own := range map[string]bool{"role": a.Role != "", "system": a.System != "", "tools": len(a.Tools) > 0} {
			if place := "team.agents." + a.Name + "." + key; own {
				d.Fail(d.Near(place, "team.agents"), place+" has no effect with team.protocol "+r.Team.Protocol, "leave it out: the program of the team writes the prompts")
			}
		}
	}
	d.brokenOf(r, harnessRules)
}

// harnessRules are about teams that work in a program.
var harnessRules = []rule{
	{[]string{"algorithm", "team.protocol"}, func(r *Recipe) string {
		switch a := r.AlgorithmType(); {
		case a.Episodes == learn.FromNowhere, a.Kind == learn.GroupRelative && a.ShapeOf("episodes") == "episodes" && a.Episodes == learn.FromPolicies:
			return ""
		case a.Kind == learn.GroupRelative:
			return fmt.Sprintf("algorithm is %s, which tries other messages in one place, but a program cannot be put back to an earlier state", r.Algorithm)
		case r.Critics() != learn.CriticsNone:
			return fmt.Sprintf("algorithm is %s, whose critics do not learn from whole episodes, but a program plays whole episodes", r.Algorithm)
		}
		return fmt.Sprintf("algorithm is %s, which does not learn from whole episodes, but a program plays whole episodes", r.Algorithm)
	}, "write magrpo, mareinforce, marloo or maremax, or none for a team that is measured"},
	{[]string{"group.rollout", "team.protocol"}, func(r *Recipe) string {
		g := r.Groups()
		joint := r.Kind() == learn.GroupRelative && (g.Rollout == "tree" || g.Rollout == "chain")
		return unless(!joint, "group.rollout is %s, which goes on from one state in several ways, but a program cannot be put back to an earlier state", g.Rollout)
	}, "set group.rollout to episodes"},
	{[]string{"group.replay", "team.protocol"}, func(r *Recipe) string {
		return unless(len(r.Groups().Replay) == 0, "group.replay goes on from an earlier message, but a program cannot be put back to an earlier state")
	}, "leave group.replay out"},
	{[]string{"policies.sharing", "team.protocol"}, func(r *Recipe) string {
		s := r.Policies.Sharing
		return unless(s == "shared" || s == "per-agent", "policies.sharing is %s, but with team.protocol %s each call of the program is a turn", s, r.Team.Protocol)
	}, "set policies.sharing to per-agent, or to shared"},
	{[]string{"policies.first_trained_turn", "team.protocol"}, func(r *Recipe) string {
		return unless(r.Policies.FirstTrainedTurn == 1, "policies.first_trained_turn is %d, but with team.protocol %s each call of the program is a turn", r.Policies.FirstTrainedTurn, r.Team.Protocol)
	}, "leave it out"},
	{[]string{"reward.source", "team.protocol"}, func(r *Recipe) string {
		return unless(r.Reward.Source != keys.Preferences, "reward.source is %s, which compares joint responses of one turn, but a program plays whole episodes", r.Reward.Source)
	}, "set reward.source to harness, label, joint or user"},
	{[]string{"eval.baselines", "team.protocol"}, func(r *Recipe) string {
		other := slices.IndexFunc(r.Eval.Baselines, func(name string) bool {
			return slices.Contains([]string{"concatenation", "pipeline", "discussion", "trained-single"}, name)
		})
		if other < 0 {
			return ""
		}
		return fmt.Sprintf("eval.baselines names %s, which is a team of another protocol, but the agents of this one know only what its program asks them", r.Eval.Baselines[other])
	}, "leave it out"},
}

// harnessSize is [Recipe.Size] of a team in a program, with as many calls as an episode may have.
func (r *Recipe) harnessSize(episodes int) (credit.Size, error) {
	size, err := credit.EpisodesSize(slices.Repeat([]int{1}, r.Team.Turns), episodes)
	if r.Groups().Without != "" {
		size.Generations *= 2 // at most: the one who is left out is not asked
	}
	return size, err
}
