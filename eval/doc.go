// Package eval measures what a team can do. It is pure: answers (package answer) and numbers in, numbers out.
//
//	vote.go         the majority vote of a team, ties by expected accuracy
//	turns.go        what a debate scored after every turn
//	transitions.go  how answers changed from turn to turn, and under whose influence
//	evaluation.go   both for a whole evaluation, with the identities that they must obey
//	measure.go      what a number is; scores of two measures are not subtracted
//	interval.go     95 % confidence intervals
//	paired.go       two systems on the same problems: the interval and the p-value of their difference
//	pooled.go       the same of systems that were run with several seeds; Holm's adjustment
//	passk.go, accuracyk.go
//	                the measures of MAGRPO's experiments
//
// Section numbers without a name are those of parley's MAPoRL specification.
package eval
