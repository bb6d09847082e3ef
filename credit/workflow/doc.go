// Package workflow credits the messages of episodes in which agents speak in any order, several times or never: what each message returned,
// and whom it is compared with.
//
//	returns.go   steps with rewards -> the return of every message
//	baseline.go  returns -> advantages, by the group that a message is compared in
//
// An episode is a list of steps. In a step one or several agents speak, in parallel, or, in a step of the environment, nobody. A step may pay the
// team, and single agents, silent ones too. With the weights w of agent i its reward at step u is
//
//	r_iu = w_team·r_team,u + w_own·r_own,iu
//
// and its return at step t, with the clock τ that counts the steps in which somebody spoke (or all of them),
//
//	R_it = Σ_{u≥t} γ^(τ(u)−τ(t))·r_iu
//
// So what the environment pays after a message is not discounted against it, however many of its steps lie between. Published codes of GRPO and of
// Dr. MAS (arXiv 2602.08847) give every message the undiscounted total of its episode instead.
//
// A message is compared inside a group. With the values V of the group, μ their mean and σ their standard deviation:
//
//	problem     V: scores of the problem's episodes, each the mean of its returns      GRPO
//	agent       V: returns of this agent's messages to the problem                     Dr. MAS
//	agent_turn  V: returns of this agent's k-th messages                               the key of AT-GRPO, over independent episodes
//	global      V: returns of all messages to the problem, or of the batch             the ablation between the two
//
//	A = R − μ,  and where wanted divided by σ
//
// Why by agent: under one common μ and σ the second moment of agent k's advantages is (σ_k² + (μ_k−μ)²)/σ². An agent that is asked rarely and paid on
// another scale gets a large advantage of constant sign, which says nothing about its messages.
//
// Why episodes may be left out: the returns of an agent that speaks twice in an episode hang on each other. A baseline that contains a message's own
// later reward is biased; the mean of the values from other episodes is not (leave-one-out by episode).
//
// Episodes of one message each make all four the advantages of [credit.Advantages].
package workflow
