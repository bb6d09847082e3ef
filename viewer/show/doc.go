// Package show is what the pages about runs show: the list, one run, its curves, its recipe, its timeline, and several runs beside each other.
//
//	row.go       a run in the list
//	detail.go    one run
//	metrics.go   its curves
//	names.go     what curves are called, their units, and what they mean
//	recipe.go    its recipe, and how it differs from its preset
//	timeline.go  where its time went
//	costs.go     what each agent costs
//	compare.go   runs beside each other
//	notes.go     tags and notes, which lie beside the runs
//
// Everything is read from run folders, without locks and without following links. What a run lacks, because it is young, old or damaged,
// is absent; only where nothing can be shown there is an error.
package show
