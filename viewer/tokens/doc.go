// Package tokens computes what a run does not record of single tokens, from its checkpoints and on the embedded engine: how open each choice was,
// how far the policy was from the base there, and what the update made of it.
//
//	tokens.go   one update: the policies before it, and after it
//	open.go     the run, as it was
//	score.go    log-probabilities of an answer under a policy, and the entropies of what its tokens were drawn from
//	entropy.go  entropy of one distribution
//	bounds.go   KL terms, advantages and bounds on the ratio, as the run's algorithm has them
//	results.go  results, which are kept with the run
//	kept.go     many results of a run
//	vocabulary.go  the texts that the tokenizers of a run's bases give its tokens; a base that is gone leaves them numbers
//
// Of each token of an answer there are:
//
//	policy     log-probability under the policy before the update
//	entropy    −Σ p·log p of the distribution that the token was drawn from, exact, under that policy: with the temperature, the masks and the cuts
//	           of sampling
//	reference  log-probability under the base
//	kl         the term of the algorithm's own estimator of the distance from the base, before its coefficient
//	advantage  what the token was reinforced with
//	after      log-probability under the policy after the update
//	ratio      exp(after − the log-probability that the token was drawn with)
//	clipped    whether the algorithm's bound on the ratio makes a difference at that ratio
//
// The policies before an update are in the checkpoint before it; before the first one nothing was learned. Where there is no checkpoint after it,
// the update is learned again from its episodes. An algorithm whose tokens have advantages of their own credits the episodes of the update again.
package tokens
