// Package diagnose watches a training for the ways in which it goes wrong unnoticed: those of any algorithm ([Watch.Observe]), and those of
// group-relative training and its relatives (MAGRPO §13; [Watch.See]).
//
// A [Watch] sees the episodes of every update, keeps what the rules need of the latest joint actions, and says
// which rules fire, with places in the run's episodes that show it. It is a function of the episodes alone, and its
// [State] goes through JSON unchanged, so that a resumed training finds what an unbroken one does.
//
// The rules themselves are functions of numbers; each returns a [Finding]:
//
//	rule.go         how a value is held against a threshold; the kinds of findings and their remedies
//	cooperation.go  agents that contribute nothing; programs that fail by the other's mistakes
//	groups.go       groups of equal rewards, and of differences that mean nothing
//	turns.go        turns and feedback that make it worse
//	health.go       what any training may suffer from: failures, flags, no signal, no movement
//	roles.go        agents who have most or next to nothing of a shared policy's gradient; gradients that jump
//	reward.go       a reward that rises without its audit; data without anything to cooperate on
//
// Rewards are looked at as shares of the reward's range, so thresholds do not depend on scale and shift.
package diagnose
