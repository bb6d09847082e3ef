// Package actorcritic holds IAC and MAAC (MAGRPO §5): a critic says what a turn is expected to bring, and answers are made more
// or less probable by how far the reward and the next turn's value exceed that.
//
//	actorcritic.go  credit, buffers, and the loss of policies
//	trajectory.go   the turns of a dialogue as critics see them: rewards, targets, errors
//	critic.go       what critics read, and their loss
//	estimate.go     what a run costs
//
// A step is one answer of one agent. With V_t the critic's value of the history before it:
//
//	T_t = r_t + γ·V_{t+1}, and r_t at the last turn              credit.TDTarget
//	δ_t = T_t − V_t
//
// An agent that is silent for some turns has their rewards as well, discounted, before the value of its next own turn. MAAC's one critic
// reads what all agents were asked, is asked in every turn, and learns each joint action once, with its first trained answer.
//
// The δ of a drained buffer are whitened. The losses of a minibatch are means over its steps:
//
//	policy  −δ·Σ_t log π(t)                                      weighted with min(π/π_behaviour, cap) where samples are old
//	critic  c·(V − T)², or, for a head on the policy itself, c·max((V − T)², (clip(V, V_rollout ± 0.2) − T)²)
package actorcritic
