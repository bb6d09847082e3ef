// Package supervised is supervised learning from the untrained team's best debates, the baseline of MAPoRL's Experiment 5 (§4.7).
//
//	pool.go        which debates are learned from
//	supervised.go  the loss, and the steps on it
//	estimate.go    what a run costs
//
// The untrained team debates the problems. A pool has N debates. Debates whose last vote is right and whose answers have no flag may be
// kept. Of these the ⌈share·N⌉ with the highest mean score of their last answers are kept; between equals, the earlier one. The pool is
// the debates of one update, or of the whole run. Every policy then learns the answers that stand in its place: the loss is the mean of
// −log π over the tokens of a minibatch, at temperature 1.
package supervised
