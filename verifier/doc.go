// Package verifier makes and uses MAPoRL's verifier (MAPoRL §3): an adapter with a scalar head over the frozen base that says
// for every prefix of a solution how probable it is that its final answer will be right. The score of an answer is the
// probability after its last token.
//
// It is made in three steps, each of which leaves a folder for the next (folder.go):
//
//	data.go      the base solves questions many times; solutions are labelled, badly formed ones left out (quality.go)
//	balance.go   every question gets as many right as wrong solutions, or is dropped; augment.go samples what is missing
//	train.go     token-level binary cross-entropy on the questions that validation does not take (split.go)
//
// measure.go says how good a verifier is on the questions it has not seen, score.go uses it. Beside a verifier of one's own
// stand two from outside: package train/score asks a user's program, or a model behind an OpenAI-compatible server. All three give
// the [Scores] of a batch of answers, one score or one error an answer: a failed score is never a number.
//
// The theory is Theorem 1 of the paper: the cross-entropy is least where the value of a prefix is the share of right
// solutions among those that begin with it.
package verifier
