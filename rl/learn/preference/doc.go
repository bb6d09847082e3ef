// Package preference learns from pairs of joint responses, ordered by their reward (MAGRPO §5).
//
//	madpo.go        the pairs of an update, those that are replayed, and a step of every policy on a batch
//	pairs.go        which pairs of one problem's candidates are learned from; candidates of two teams put together
//	parts.go        what each agent wrote in them, scored
//	rewardmodel.go  a step of a reward model on the same pairs
//	estimate.go     what a run costs
//
// A pair is a winner w and a loser l among the joint actions of one node, r_w > r_l. Agent i wrote the part w_i of one and l_i of the
// other. With log π summed over the tokens of a part, and relative to the base where preference.reference is set:
//
//	Δ_i = log π_i(w_i) − log π_i(l_i)
//	madpo  −log σ(β·Σ_j Δ_j)                                     the same for all agents; each holds the others' Δ constant
//	dpo    −(1−s)·log σ(β·Δ_i) − s·log σ(−β·Δ_i)                 of each agent by itself, a share s of labels being wrong
//	ipo    (Δ_i − 1/(2β))²                                       of each agent by itself, Δ of means over tokens
//
// The loss of a batch is the mean over its pairs, each with its weight. It couples texts, so a batch takes two passes: one says what every
// text weighs, the other trains with these weights. A text that stands in several pairs is scored and trained on once. Frozen agents
// have no part.
package preference
