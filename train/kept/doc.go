// Package kept keeps what an evaluation has finished in a folder, so that one that was interrupted goes on there.
//
//	folder.go   the folder: what is evaluated, and its lock
//	journal.go  the finished problems of a system, a line each
//	finished.go a run whose training is finished
//	systems.go  whole measurements of systems, of runs and of evaluations
//
// The folder appears with the first finished problem and is removed once the evaluation is done. It is no run. Only one process at a time writes to it.
package kept
