package cluster

import (
	"fmt"
	"slices"
	"strings"

	"parley/engine/tinker/probe"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/learn"
	"parley/rl/learn/actorcritic"
	"parley/rl/learn/ppo"
	"parley/train/plan"
)

// Check lists what a recipe asks of any server in vain, since the protocol has no words for it, or of workers. A recipe without either passes.
func Check(r *recipe.Recipe) error {
	t := r.Engine.Tinker
	switch r.Engine.Elsewhere() {
	case "":
		return nil
	case "torch":
		return checkTorch(r)
	}
	var all []string
	if !keys.WebAddress(t.URL) {
		all = append(all, fmt.Sprintf("engine.tinker.url is %q, expected an http address: write for example http://127.0.0.1:8000", t.URL))
	}
	return refuse(t.URL, append(all, unspoken(r)...))
}

// unspoken lists what the protocol has no words for.
func unspoken(r *recipe.Recipe) []string {
	if len(remotes(r)) == 0 {
		return []string{"no agent computes on it, since all of them have engine: embedded: leave engine.tinker out"}
	}
	return slices.Concat(sampling(r), trained(r), learned(r), other(r), elsewhere(r))
}

// wholeVocabulary is why distributions are not changed.
const wholeVocabulary = "servers report log-probabilities at temperature 1 over the whole vocabulary"

// sampling are distributions that no server reports log-probabilities of.
func sampling(r *recipe.Recipe) (out []string) {
	s := r.Sampling
	for _, agent := range remotes(r) {
		a := plan.Agent(r, agent)
		own := func(key string, is bool) string {
			if is {
				return "team.agents." + a.Name + ".sampling." + key
			}
			return "sampling." + key
		}
		refused := func(key string, is bool, value any, why, instead string) {
			if line := mismatch(own(key, is), value, why, instead); !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
		if x := or(a.Sampling.Temperature, s.Temperature); x != 1 {
			refused("temperature", a.Sampling.Temperature != nil, x, wholeVocabulary, "write 1")
		}
		if x := or(a.Sampling.TopK, s.TopK); x != 0 {
			refused("top_k", a.Sampling.TopK != nil, x, wholeVocabulary, "write 0")
		}
		if x := or(a.Sampling.TopP, s.TopP); x != 1 {
			refused("top_p", a.Sampling.TopP != nil, x, wholeVocabulary, "write 1")
		}
		if x := or(a.Sampling.MinTokens, s.MinTokens); x > 0 {
			refused("min_tokens", a.Sampling.MinTokens != nil, x, "the protocol has no least length", "write 0")
		}
	}
	if t := r.Eval.Temperature; t != 0 && t != 1 {
		out = append(out, mismatch("eval.temperature", t, wholeVocabulary, "write 1, or 0 for the most probable tokens"))
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
	for _, agent := range remotes(r) {
		if own := plan.Agent(r, agent); len(own.Adapter.Targets) > 0 {
			out = append(out, mismatch("team.agents."+own.Name+".adapter.targets", own.Adapter.Targets, "servers adapt all projections", "leave it out"))
		}
	}
	if r.Policies.Full {
		out = append(out, mismatch("policies.full", true, "servers train adapters", "write false"))
	}
	if r.Critics() == learn.CriticsOnPolicies {
		out = append(out, "critics sit on the policies, but values take an adapter of their own there: write critic.head: separate")
	}
	critic := recipe.Section[actorcritic.Settings](r)
	if critic.Hidden > 0 {
		out = append(out, mismatch("critic.hidden", critic.Hidden, "values are the difference of two log-probabilities", "write 0"))
	}
	if slices.ContainsFunc(policies(r), func(p plan.Policy) bool { return p.Spec.ValueInit > 0 }) {
		out = append(out, mismatch("critic.init", critic.Init, "values begin at 0 there, since that of the base is taken off", "write 0"))
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
	if a := r.AlgorithmType(); a.Decodes() || a.Episodes == learn.FromTexts {
		out = append(out, mismatch("algorithm", a.Name, "the protocol has no whole distributions", "leave engine.tinker out"))
	}
	return out
}

// other are parts of a run that need an engine on this machine.
func other(r *recipe.Recipe) (out []string) {
	var bases []string
	for _, agent := range remotes(r) {
		bases = append(bases, r.Bases()[agent])
	}
	slices.Sort(bases)
	if bases = slices.Compact(bases); len(bases) > 1 {
		out = append(out, fmt.Sprintf("the recipe has %d bases there, %s, but a server has one: give those agents the same, or write team.agents.NAME.engine: embedded for the others", len(bases), strings.Join(bases, " and ")))
	}
	if url := r.Sampler.OpenAI.URL; url != "" {
		out = append(out, mismatch("sampler.openai", url, "the server that trains samples too", "leave it out"))
	}
	if r.Reward.Source == "trained" {
		out = append(out, mismatch("reward.source", r.Reward.Source, "adapters cannot be sent to a server", "let the verifier speak for itself (program or server)"))
	}
	return out
}

// elsewhere are settings of this machine's engine, which nobody uses.
func elsewhere(r *recipe.Recipe) (out []string) {
	if len(remotes(r)) < r.Seats() {
		return nil
	}
	if d := r.Engine.DType; d != "f32" {
		out = append(out, mismatch("engine.dtype", d, "the server holds its base as it was started", "leave it out"))
	}
	return out
}

// unfit lists what a recipe asks of a server in vain, after its profile.
func unfit(r *recipe.Recipe, p probe.Profile) (out []string) {
	all := policies(r)
	var decay, clip float64
	for _, agent := range remotes(r) {
		o := r.OptimizerOf(agent)
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
	if p.NoArchive {
		out = append(out, "checkpoints hold adapters, but none come home from this server: choose another one, or leave engine.tinker out")
	}
	for _, policy := range all {
		if p.Alpha > 0 && policy.Spec.Alpha != p.Alpha {
			out = append(out, mismatch("policies.alpha", policy.Spec.Alpha, "this server's adapters have another", fmt.Sprintf("write %g", p.Alpha)))
			break
		}
	}
	return out
}
