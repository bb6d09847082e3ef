// Package train is the loop: a recipe becomes a run.
//
// [Run] opens what the recipe asks for, measures the untrained team on held-out problems, and then repeats one update after
// another: draw problems, let the team roll them out, credit every answer, take optimizer steps, write what happened, save a
// checkpoint. At the end it measures the trained team and the baselines at equal generated tokens, exports the adapters and
// writes the report.
//
//	run.go        options, results; open.go opens a run or goes on with one
//	runner.go     one run from its beginning to its report; measuring.go and single.go measure further systems
//	loop.go       one update after another, resumable at any moment; iteration.go says whose candidates preferences compare
//	experiment.go several runs by one word, and their table
//	evaluate.go   measuring without training
//
// The rooms below do the work: plan says what follows from a recipe alone, estimate what it needs, lineup opens it, score says what answers
// are worth, measure plays held-out problems, passrate chooses problems, report writes what people read, timeline records where time goes.
//
// A run is a function of its recipe and seed. Nothing depends on time, on the number of threads, or on whether the run was
// interrupted: metrics.jsonl of a run that was killed and resumed equals that of an unbroken one byte for byte.
package train
