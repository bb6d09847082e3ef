// Package tabular plays games of one turn with tabular policies, to check learners without language models (MAGRPO §15.7).
//
// A [Tabular] is an engine: its policies are tables of logits, an answer in a game is one token, and a token is an action. So everything
// above it is what trains language models: groups of samples, joint actions, credit, advantages, losses and AdamW.
//
//	tabular.go    the engine
//	game.go       the climbing game and games of two actions
//	learn.go      a pair of learners, with a joint reward or each with its own
//	estimator.go  the gradient estimator against the true gradient: expectation and variance
package tabular
