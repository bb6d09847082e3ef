// Package group is MAGRPO and its family (MAGRPO §2): joint rewards of a tree of dialogues, compared inside the group of completions that
// one agent gave at one node.
//
//	group.go        credit and advantages; what a run costs
//	episodes.go     credit where a problem has several whole episodes
//	rolebaseline.go … compared with what roles earned before
//	calls.go        … weighed so that every episode counts the same for an agent
//	solo.go         … with what the team earns without one of its agents; agents that learn in turns
//	votes.go        … with the vote of the others
//	per.go          the units of these losses
//	decisions.go    credit of alternatives of one message: AT-GRPO, C3
//	tree.go         returns through the tree of an episode, and the order of its environment steps
//	groupdata.go    a group as the engine trains on it
//	minibatch.go    drained buffers: which groups share a step, and which policies a call
//	bufferstate.go  what buffers hold between updates, for checkpoints
//
// At a node n agents give G completions each, which are combined into b joint actions (aligned: b = G; cross: b = Gⁿ). For joint action j
// with the processed reward r_j (§2.1, step 7):
//
//	R_j = r_j + γ·mean(R of the node that follows j)             r_j at a leaf; a node that waits for others has r_j = 0
//
// Completion k of an agent is credited with the R_j that it was part of: with one, with their mean, with their sum, or with what it added to
// them (§2.1, step 8; §16). A penalty for its distance from the base is taken off (§2.5). Inside the group of credits R_1..R_G (§2.3):
//
//	magrpo       A = R − mean(R)
//	mareinforce  A = R
//	marloo       A = (G·R − ΣR)/(G−1)
//	maremax      A = R − max(R)
//
// The loss of a group is −(1/G)·Σ_k A_k·Σ_t w_kt·log π(t), the sum over tokens t as group.reduction says and w = min(π/π_behaviour, cap) a
// constant (§2.4); that of a minibatch the mean over its groups. A chain (§2.6) has neither R nor tree: r_j less its mean, clamped, is A.
//
// Whole episodes (group.rollout episodes) are chains of one completion a message, G of a problem, each a tree of its own. A message is compared with
// the scores of the problem's episodes, which stand in the place of the group:
//
//	S_i = mean of the returns of the messages of episode i
//	A   = R − mean(S)                                               magrpo; and so on, with S for R in the baselines above
//
// Section credit (package words) has other groups for it: the agent's messages, those of its k-th turn, all of them, or a role's past (package rl/credit/workflow).
// Alternatives of one message (algorithms atgrpo and c3) are groups of one agent's answers to one prompt. Of a decision r_k = α·r_team + r_own of
// this turn is compared and, in atgrpo, one answer is executed; in c3 all are followed, and the values of what follows are compared without the message's own.
//
// Of an episode that is also played without one of the agents (group.without) both outcomes are known, R and b, 1 for more than 0 and else −1. The
// shares of R > 0 > b and of R < 0 < b say what the agent is good for, and its return may have λ times their difference in it. With b the mean of
// a group that is (1 + λ/2)·R and a constant, which the group's mean takes off. In a team that votes a voter k is compared with the vote without it:
//
//	A_k = R(vote) − R(vote without k)                               the second does not hang on what k said, so that it is a baseline
//
// A role's past is the third kind that needs no group. Of n messages of the role the i-th has γ^(n−1−i) of it:
//
//	A = R − b, then b ← d·b + (1−d)·R                               R all that the role earned in the episode, b at first 0
//
// Agents may learn in turns of so many updates. Whose turn it is follows from the number of the update.
//
// Rewards that are paid to one agent alone enter returns with the weights of the agents: r = team·r_team + own·r_own + others·Σ r_own of the others.
package group
