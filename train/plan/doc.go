// Package plan is what follows from a recipe alone, before anything is opened: who is asked what, which policies there are and what they
// train, how training samples, and the recipe of the single agent that a team is compared with.
//
//	protocol.go  the team's protocol and prompts
//	policies.go  which agent uses which policy, and what every policy trains
//	sampling.go  completions of a rollout, and how they are drawn
//	problems.go  which problems an update draws
//	engine.go    options of the engines
//	single.go    one agent in the place of the team
//	growth.go    prompts of a workflow that outgrow the context of a base
//	task.go      the task, opened, and where its data set is
package plan
