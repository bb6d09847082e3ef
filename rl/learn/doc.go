// Package learn is the room of the learners: it turns episodes into optimizer steps.
//
// A [Learner] does one update after another, each in one function: it lets the team play, credits the completions, and trains policies on them. It is
// a function of the episodes: a [Session] may have them from a rollout or from disk ([Recorded]), and the engines need not sample. The folders below hold the families of
// algorithms, one each:
//
//	rl/learn/ppo           MAPPO: MAPoRL's multi-agent PPO, token by token, with critics
//	rl/learn/group/words   what recipes say of groups and their credit
//	rl/learn/group         MAGRPO and its relatives: advantages inside the group of completions of an agent at a node
//	rl/learn/actorcritic   IAC and MAAC: turns compared with what a critic expects
//	rl/learn/preference    MADPO: pairs of joint responses; also the pairs that reward models learn from
//	rl/learn/supervised    SFT: the untrained team's best debates
//	recipe/language     the register: one line for each algorithm
//	rl/learn/learntest     what every learner must do, tried on an engine without a model
//
// Shapes: an episode is a tree of nodes. At a node some agents, or all, each gave a group of completions, and a joint action has one of each.
// Agents are named, never counted by their place: who does not speak at a node has nothing there, and learns what comes of its words
// from the turns of the others.
//
// This package holds what they share. [Config] is all that a learner is told of a run. [Common], which learners embed, takes
// steps at the scheduled rate and scores answers under the base. [AnswersIn] lists what trained policies wrote, [Buffers] collect
// samples until there are enough for a step, [Accumulate] hands an engine the gradients of several policies at once. [Common.Accumulate] also takes
// down what each agent gives to the steps. [Sharing] says which agent uses which policy when, [Stats] is what a learner reports.
//
// A new algorithm is a folder with a [Learner], a struct of its settings and a function that returns its [Algorithm], and one
// line in recipe/language. What a run of it would cost, its entry says of an [Outline]. The conformance suite runs over the register.
package learn
