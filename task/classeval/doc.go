// Package classeval is MAGRPO's class-writing task (§8): agents write the methods of one class together, each those that are
// assigned to it, without seeing each other.
//
//	t, err := classeval.New(ctx, classeval.Options{Sandboxes: sandboxes})
//	score, err := t.Score(problem, responses)
//
// What agents wrote is taken apart and merged by Python itself inside the sandbox (python/classes.py), and each unit test runs
// there in a process of its own (testrun.go). The reward is arithmetic over what was found out, in two published generations:
// [Score] pays for valid methods and passed tests and charges duplicates, [ScoreOctober2025] looks only at who picked how much.
package classeval
