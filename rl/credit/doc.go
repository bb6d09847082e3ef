// Package credit turns what a team earned into what each sampled token sequence is to be reinforced with.
//
// It has two families, after the two papers parley implements, and both are pure functions over numbers: no text, no
// tokens, no engine.
//
// Group-relative credit (MAGRPO, arXiv 2508.04652), where several responses to one prompt are compared with each other:
//
//	actions := credit.JointActions(mode, agents, group)     // which responses are scored together at a node
//	returns, err := rewards.Returns(discount)               // rewards of a whole tree, bottom-up
//	perAgent, err := credit.NodeCredit(...)                 // joint returns -> one credit per own response
//	adv, err := credit.Advantages(perAgent[i], mode, false) // compared inside the group
//
// The same game without a tree is a [Chain], which goes on from the best joint action of each turn. [Terminate] says when
// a node is good enough to stop, [TreeSize] what a configuration costs before it is run.
//
// Token-level credit (MAPoRL and other actor-critics), where a learnt value takes the place of the group: generalised
// advantage estimation over token rewards with a KL term, whitening, and [TDTarget], the turn-level temporal-difference target
// of actor-critics.
//
// Shapes: n agents, G samples per agent and node (the group), b joint actions per node. A joint action lists one sample
// index per agent. Turns and agents count from 0.
package credit
