// Package read plans for several robots with a planner that is frozen and a critic that is learned (ReAd, arXiv 2405.14314): what the planner
// proposes is scored before it is done, and the planner is asked again while the score is too low. Only the critic is trained.
//
//	data, cost, err := team.Gather(ctx, problems, 400)        phase 1: the planner plays, nothing is scored
//	critic := read.NewTable(data, gamma)                      or NewNetwork, which generalizes
//	result, err := team.Measure(ctx, how, critic, problems)   phase 2: success, steps and queries, of this and of the baselines
//
// How a step is planned ([How]):
//
//	open      one joint plan is asked for and done
//	vote      the most frequent of so many joint plans, the first among equals
//	S         robot after robot; robot i is shown a^{1:i−1} and is scored by A^i
//	J         one plan for all robots, scored by A
//
// The critic knows Q^{1:u}(s, a^{1:u}) of every prefix of robots, the empty one included: Q^{1:0} = V(s) = Q(s,w)/γ, where w is the joint action in
// which all wait. Advantages are those of package [parley/credit/prefix], the loop is that of [parley/team/refine].
//
// A planner is a [speaker.Speaker]: a script, a program, a server. What it is asked is [Prompt]. Its queries are counted, and so are those that
// gathered the data of the critic: a comparison of planners that leaves them out is none.
//
//	critic.go    data, and the critic as a table of means
//	network.go   the critic as a small network
//	prompt.go    what a planner is asked
//	play.go      episodes under one of the ways to plan
package read
