// Package branch credits messages by what follows them (C3, arXiv 2603.06859): the transcript above a message is frozen, alternatives to it are
// drawn, and each is continued to the end.
//
//	value of a message  = what the leaves below it earned, on average
//	A                   = its value − mean value of its siblings without itself
//
// Siblings are the alternatives to one message. With fan-outs f_1 … f_D by role the answers scored are ∏ f_d, and a message at depth d was generated
// ∏_{k≤d} f_k times: compare rules at equal messages, not only at equal answers.
//
// The published code offers more, and has it here by name. A critic Q(prefix) may take the place of the value (value_only), or assist the baseline
// (value_assisted, its default):
//
//	reward_only     A = v − b(v)
//	value_only      A = q − b(q)
//	value_assisted  A = v − [(1−α)·b(v) + α·b(q)]
//
// with b the mean of the others (loo) or of all (full_mean). It then divides (A − mean A) by √(var A + 1e-8) inside the siblings. After that loo and
// full_mean are the same numbers but for that 1e-8 under reward_only and value_only: over n siblings
//
//	v − mean of the others = n/(n−1)·(v − mean of all)
//
// and the factor n/(n−1) cancels with the deviation. An ablation "without leave-one-out" is void there. Nor are siblings across parents (no replay)
// answers to one prompt: they have different transcripts above them.
//
// An aligned tree of one agent a node with equal fan-outs and full_mean is this rule with the returns of [credit.Tree]. New are fan-outs by role,
// leave-one-out, Q, and branching at one message of a finished episode.
package branch
