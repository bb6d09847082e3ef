package cluster

import (
	"fmt"
	"slices"

	"parley/engine/tinker/probe"
	"parley/learn"
	"parley/learn/actorcritic"
	"parley/learn/ppo"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/train/plan"
)

// Check lists what a recipe asks of any server in vain, since the protocol has no words for it. A recipe without a server passes.
func Check(r *recipe.Recipe) error {
	t := r.Engine.Tinker
	if t.URL == "" {
		return nil
	}
	var all []string
	if !keys.WebAddress(t.URL) {
		all = append(all, fmt.Sprintf("engine.tinker.url is %q, expected an http address: write for example http://127.0.0.1:8000", t.URL))
	}
	return refuse(t.URL, append(all, unspoken(r)...))
}

// unspoken lists what the protocol has no words for.
func unspoken(r *recipe.Recipe) []string {
	return slices.Concat(sampling(r), trained(r), learned(r), other(r))
}

// sampling are distributions that no server reports log-probabilities of.
func sampling(r *recipe.Recipe) (out []string) {
	const why = "servers report log-probabilities at temperature 1 over the whole vocabulary"
	draw := func(prefix string, temperature float64, topK int, topP float64, least int) {
		if temperature != 1 {
			out = append(out, mismatch(prefix+"temperature", temperature, why, "write 1"))
		}
		if topK != 0 {
			out = append(out, mismatch(prefix+"top_k", topK, why, "write 0"))
		}
		if topP != 1 {
			out = append(out, mismatch(prefix+"top_p", topP, why, "write 1"))
		}
		if least > 0 {
			out = append(out, mismatch(prefix+"min_tokens", least, "the protocol has no least length", "write 0"))
		}
	}
	s := r.Sampling
	draw("sampling.", s.Temperature, s.TopK, s.TopP, s.MinTokens)
	for agent := range r.Seats() {
		own := plan.Agent(r, agent)
		draw("team.agents."+own.Name+".sampling.", or(own.Sampling.Temperature, 1), or(own.Sampling.TopK, 0), or(own.Sampling.TopP, 1), or(own.Sampling.MinTokens, 0))
	}
	if t := r.Eval.Temperature; t != 0 && t != 1 {
		out = append(out, mismatch("eval.temperature", t, why, "write 1, or 0 for the most probable tokens"))
	}
	return out
}

// or is a value that may be left out.
func or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// trained are adapters that no server trains.
func trained(r *recipe.Recipe) (out []string) {
	if len(r.Policies.Targets) > 0 {
		out = append(out, mismatch("policies.targets", r.Policies.Targets, "servers adapt all projections", "leave it out"))
	}
	for agent := range r.Seats() {
		if own := plan.Agent(r, agent); len(own.Adapter.Targets) > 0 {
			out = append(out, mismatch("team.agents."+own.Name+".adapter.targets", own.Adapter.Targets, "servers adapt all projections", "leave it out"))
		}
	}
	if r.Critics() == learn.CriticsOnPolicies {
		out = append(out, "critics sit on the policies, but values take an adapter of their own there: write critic.head: separate")
	}
	if n := recipe.Section[actorcritic.Settings](r).Hidden; n > 0 {
		out = append(out, mismatch("critic.hidden", n, "values are the difference of two log-probabilities", "write 0"))
	}
	return out
}

// learned are losses that need more than log-probabilities of tokens.
func learned(r *recipe.Recipe) (out []string) {
	if form := recipe.Section[ppo.Settings](r).KLForm; r.Kind() == learn.Debates && form == "ref_policy_exact" {
		out = append(out, mismatch("ppo.kl_form", form, "the protocol has no whole distributions", "write ref_policy_sampled"))
	}
	if n := r.Training.RoleGradients; n > 0 {
		out = append(out, mismatch("training.role_gradients", n, "servers hand out no gradients", "write 0"))
	}
	return out
}

// other are parts of a run that need an engine on this machine.
func other(r *recipe.Recipe) (out []string) {
	bases := slices.Compact(slices.Sorted(slices.Values(r.Bases())))
	if rival := plan.Rival(r); rival != "" && !slices.Contains(bases, rival) {
		bases = append(bases, rival)
	}
	if len(bases) > 1 {
		out = append(out, fmt.Sprintf("the recipe has %d bases, but a server has one: give all agents the same", len(bases)))
	}
	if r.Reward.Source == "trained" {
		out = append(out, mismatch("reward.source", r.Reward.Source, "adapters cannot be sent to a server", "let the verifier speak for itself (program or server)"))
	}
	return out
}

// unfit lists what a recipe asks of a server in vain, after its profile.
func unfit(r *recipe.Recipe, p probe.Profile) (out []string) {
	all := policies(r)
	var decay, clip float64
	for agent := range r.Seats() {
		o := plan.Optimizer(r, agent)
		decay, clip = max(decay, o.WeightDecay), max(clip, o.ClipNorm)
	}
	if decay > 0 && p.Leaks && len(all) > 1 {
		out = append(out, mismatch("optimizer.weight_decay", decay, fmt.Sprintf("there are %d policies, and every step of one shrinks the others on this server", len(all)), "write 0"))
	}
	if clip > 0 && !p.Clips {
		out = append(out, mismatch("optimizer.clip_norm", clip, "this server does not clip gradients", "write 0"))
	}
	if !p.Targets && slices.ContainsFunc(all, func(p plan.Policy) bool { return p.Spec.ValueHead }) {
		out = append(out, "the algorithm has critics, but this server scores only tokens that come next, and values need others: use an algorithm without critics")
	}
	for _, policy := range all {
		if p.Alpha > 0 && policy.Spec.Alpha != p.Alpha {
			out = append(out, mismatch("policies.alpha", policy.Spec.Alpha, "this server's adapters have another", fmt.Sprintf("write %g", p.Alpha)))
			break
		}
	}
	return out
}
