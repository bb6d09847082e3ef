// Package train is the loop: a recipe becomes a run.
//
// [Run] opens what the recipe asks for, measures the untrained team on held-out problems, and then repeats one update after
// another: draw problems, let the team roll them out, credit every answer, take optimizer steps, write what happened, save a
// checkpoint. At the end it measures the trained team and the baselines at equal generated tokens, exports the adapters and
// writes the report.
//
//	session.go    everything a recipe asks for, opened
//	score/        what an answer is worth
//	loop.go       one update after another, resumable at any moment
//	learning.go   what a learner of package learn is told of the run; iteration.go says whose candidates are compared
//	rewardmodel.go  rewards learned from such preferences
//	untrained.go  untrained teams to compare with
//	measure.go    held-out problems, votes, equal tokens
//	report/       what a user sees at the end
//	experiment.go several runs by one word, and their table
//	dryrun.go     what a recipe would cost
//
// A run is a function of its recipe and seed. Nothing depends on time, on the number of threads, or on whether the run was
// interrupted: metrics.jsonl of a run that was killed and resumed equals that of an unbroken one byte for byte.
package train
