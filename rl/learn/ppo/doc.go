// Package ppo is MAPPO, the algorithm of MAPoRL (§2, §4): one answer is one episode of n tokens, turns meet in the reward alone, and
// every policy has a value adapter of its own.
//
//	rewards.go   R(t,a) of every answer, by the reward scheme (§2)
//	ppo.go       which answers learn, and what critics say of them
//	tokens.go    token rewards, advantages and returns
//	learn.go     passes over the answers: a step of each policy and of its critic a minibatch
//	estimate.go  what a run costs
//	settings.go  the recipe's section ppo
//
// For an answer with tokens x = 1..n, log-probabilities log π of the policy that sampled it and log π_ref of the base, and values V of the
// states before each token, all at the sampling temperature (§4):
//
//	r_x = −λ_KL·kl_x, and R(t,a) on top at the answer's end      credit.SampledKL, credit.TokenRewards
//	δ_x = r_x + γ·V_{x+1} − V_x                                  V past the end is 0
//	A_x = δ_x + γ·λ·A_{x+1}                                      credit.GAE
//	G_x = A_x + V_x                                              targets of the critic, before whitening
//
// The A of the answers of one turn and agent are then whitened together. The losses of a minibatch are means over the tokens of an answer,
// then over answers:
//
//	policy  max(−ρA, −clip(ρ)A), or another of loss.TokenObjective; ρ = exp(log π_now − log π)
//	critic  c·½·max((V_now − G)², (clip(V_now, V ± 0.2) − G)²)
//
// In the first pass after a rollout every ρ is exactly 1: anything else is an error, because then sampler and trainer disagree.
package ppo
