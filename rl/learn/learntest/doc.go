// Package learntest is the conformance suite of learners, and what it needs to try one without a language model.
//
//	[Engine]   an engine whose policies are small tables; it notes what it is asked
//	[Team]     agents on such an engine who play episodes by a protocol
//	[Conform]  the suite: what every [learn.Learner] of an entry of the register must do
//
// Tests of one family use [Engine] and [Team] to look at single numbers.
package learntest
