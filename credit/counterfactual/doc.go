// Package counterfactual credits an agent with what the team does with it and without it (CCPO, arXiv 2603.21563).
//
//	thinker.go  a thinker writes for a solver, who also answers alone
//	vote.go     several answer, and their vote counts
//
// Two answer: R is +1 or −1 for the solver's answer after the thinker, and b what the solver earns alone, the mean of the group by default. The
// solver is trained on R, the thinker on R + λ·bonus:
//
//	event  bonus = [R>0, b<0] − [R<0, b>0]        (help less hurt)
//	delta  bonus = (R − b)/2
//
// # Why the bonus does nothing under a group's mean
//
// R takes two values, and b is one number for the whole group. So inside a group the bonus is an affine function of R. For delta that is plain:
// R + λ(R−b)/2 = (1 + λ/2)·R − λb/2. For event and b < 0 the bonus is 1 where R = 1 and 0 where R = −1, which is (R+1)/2; for b > 0 it is 0 and −1,
// which is (R−1)/2. In each case
//
//	R + λ·bonus = (1 + λ/2)·R + a constant of the group
//
// and advantages over the group's mean lose the constant:
//
//	A_thinker = (1 + λ/2)·A_solver                (b ≠ 0 for event)
//
// λ = 0.2 is a step of the thinker that is 1.1 times as long. Divided by the deviation nothing is left of it, and under Adam next to nothing. With a
// paired b the bonus is no pure factor; it adds the noise of an independent answer. Help and hurt rates are worth logging all the same: they say at
// once that a first agent is useless. So λ is 0 by default.
//
// # Voting
//
// credit_k = R(vote) − R(vote without k) does carry information. The vote without k does not hang on what k said, so the expected gradient is the
// team's, and its variance is lower. Where nobody is pivotal nobody takes a step.
package counterfactual
