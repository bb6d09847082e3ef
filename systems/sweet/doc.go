// Package sweet learns from turns of a dialogue that a critic has graded who sees what is hidden from the policy (SWEET-RL, arXiv 2503.15478).
//
// An agent talks with a user, turn by turn, and earns a reward at the end. Problems have hidden fields c, such as the solution: the user sees them,
// the agent never does. The untrained agent talks first. Its dialogues teach a critic, which has the agent's base and an adapter of its own, and reads
// c before what the agent reads. With o what the agent was asked and a its message of L tokens, the advantage of a turn is
//
//	A_θ(o, a, c) = (1/L) Σ_l log [ π_θ(a^l | o, a^{<l}, c) / π_ref(a^l | o, a^{<l}, c) ]
//
//	critic     two dialogues about one problem, the first of which earned more:
//	           J_A = −log σ( β·Σ_t A_θ(o_t⁺, a_t⁺, c) − β·Σ_t A_θ(o_t⁻, a_t⁻, c) ) + nll·(−mean over the tokens of the first of log π_θ)
//	policy     at every turn of the dialogues, candidates ranked by A_θ, one of the better half against one of the worse, without c:
//	           J_π = −log σ( β′·log π_φ(a⁺|o)/π_ref(a⁺|o) − β′·log π_φ(a⁻|o)/π_ref(a⁻|o) ) + nll′·(−mean of log π_φ(a⁺))
//
// π_ref is the base. Two baselines learn from the same dialogues without a critic: whole dialogues in pairs (multi-turn DPO), and the dialogues that
// solved their problem alone (RFT). The losses are [parley/systems/sweet/dialogue], what is compared is chosen by [parley/rl/label].
//
//	sweet.go     phases: gather, critic, policy
//	dialogues.go whole dialogues and the candidates of their turns, as one policy sees them
//	critic.go    what the critic reads; its advantages
//	contrast.go  steps on pairs of dialogues
//	policy.go    the three ways in which the policy learns
//
// The critic is gone when the policy speaks. What agents say of hidden fields others may read; that prompts show none of them is what
// [team.Viewers] prove of every prompt as it is made.
package sweet
