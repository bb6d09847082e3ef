package words

import (
	"slices"

	"parley/rl/learn"
)

// Published are the rules of the field by name, each as its authors have it where that can be said of any team. What they are, and where the
// published codes differ from their papers, docs/credit.md says.
func Published() []learn.Bundle {
	// Of a rule's words, those that it does not say are the defaults, whatever a recipe had before.
	plain := []string{
		"algorithm=magrpo", "group.rollout=episodes", "group.discount=1", "group.normalize=false", "group.reduction=seq_sum", "group.fanout=[]", "group.replay=[]", "loss.per=messages",
		"credit.baseline=auto", "credit.std=none", "credit.divide=floor", "credit.eps=1e-6", "credit.loo=auto", "credit.single=zero", "credit.replace=false", "credit.calls=each",
		"credit.returns=to_go", "credit.clock=ask", "credit.alternate=0", "credit.solo.outcome=reward", "credit.solo.lambda=0",
		"credit.influence.alpha=0", "credit.influence.restart=", "credit.influence.beta=0",
	}
	whole := func(set ...string) []string { return slices.Concat(plain, set) }
	return []learn.Bundle{
		// arXiv 2602.08847: μ and σ of each agent; a message that nobody is compared with keeps its reward.
		{Word: "drmas", Set: whole("credit.baseline=agent", "credit.returns=episode", "credit.std=sample", "credit.divide=add", "credit.single=raw")},
		// arXiv 2506.24119: R less what the role earned before.
		{Word: "rae", Set: whole("credit.baseline=rae", "credit.rae.decay=0.95", "credit.rae.mode=sequential", "credit.rae.order=before", "credit.rae.key=role", "credit.rae.warm=zero")},
		// arXiv 2603.21563: R in {−1, 1}, λ = .2, roles in turns of ten updates, the mean alone.
		{Word: "ccpo", Set: whole("credit.baseline=agent", "credit.alternate=10", "credit.solo.outcome=sign", "credit.solo.lambda=0.2", "credit.solo.bonus=event", "credit.solo.baseline=group")},
		// arXiv 2511.13288: every episode counts the same for a sub-agent, however often it was called.
		{Word: "mgrpo", Set: whole("credit.baseline=agent", "credit.calls=weight")},
		// arXiv 2511.02303: 1/(G·|y|) without 1/T, and α = β = .1.
		{Word: "drmamr", Set: whole(
			"loss.per=episodes", "group.reduction=seq_mean", "credit.baseline=problem", "credit.returns=episode", "credit.std=population", "credit.divide=add",
			"credit.influence.alpha=0.1", "credit.influence.restart=<restart>", "credit.influence.beta=0.1")},
	}
}
