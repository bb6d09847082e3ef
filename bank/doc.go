// Package bank is a memory of lessons that several agents share (LessonL, arXiv 2505.23946, §3). Nothing is trained.
//
// In every round each agent writes a program, it is run, and the same agent writes a lesson of a sentence or two on what came of it. Lessons go to the
// bank, and all agents read the same k of them in the next round. They read lessons, never each other's programs.
//
//	outcome.go  how a program did → its class and its credit                                   [Classify]
//	bank.go     which lessons are shown, what becomes of their factors, the best program        [Selection], [Adjust], [Best]
//	words.go    how near a lesson is to a source: the cosine of bags of words                   [Relevance]
//	calls.go    who is asked what in a round, and what each call sees                           [Calls]
//	relay.go    agents in turn until one passes all tests, with lessons on failures only        [Relay]
//
// A lesson has the speed-up s of the program that it is about, 0 where that was wrong, and a factor f that begins at 1. Half of the k are those with
// the highest s·f, if that is at least 1.1; the rest are those nearest to the source. After a round in which lesson z was shown, with the new
// speed-ups s_i of n agents,
//
//	f_z = (1/n)·Σ_i (1.1 if s_i > s_z else 0.9)
//
// in the place of what it was: factors are not accumulated over rounds.
package bank
