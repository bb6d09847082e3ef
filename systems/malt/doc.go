// Package malt makes specialists of the agents of a chain by the outcomes of a tree of alternatives (MALT, arXiv 2412.01928).
//
// The untrained team answers problems: every agent draws group.size alternatives to each message before, so that n generations have n
// verifications each, and these n refinements. Leaves are right or wrong. A message is worth the share of right leaves below it, and is positive where
// this is more than half ([parley/rl/credit/siblings]). Two things are learned from, role by role:
//
//	supervised   all positive messages of the role:  L = −mean over tokens of log π
//	preferences  a positive and another message under one parent:
//	             L = −log σ( β·[log π(y⁺)/π_ref(y⁺) − log π(y⁻)/π_ref(y⁻)] )
//
// π_ref is what supervised learning made of the role. The first agent of the chain has no preferences by default: with an instruct model they
// made it worse in the paper. Roles do not share a step: with policies of their own, nothing of one changes while another learns.
//
//	tree.go     messages and pairs of an episode
//	fit.go      supervised learning
//	prefer.go   preferences
package malt
