// Package episodes reads the episodes of a run for people: as a list with filters, as distributions, and one by one.
//
// A run may have a thousand updates of hundreds of episodes. So nothing is read before it is asked for: the list goes from the newest update
// backwards, one file at a time, stops when a page is full or its time is over, and goes on from there when it is asked again. What lists
// need of an update, its rows, is kept while memory for it is left.
//
//	row.go          one episode in a list
//	store.go        rows by update, and how much of them is kept
//	filter.go       what a reader wants to see
//	page.go         a page of the list, and distributions
//	episode.go      one episode as a grid of agents and turns
//	saw.go          whose words stand in a prompt
//	why.go          formulas of rewards and advantages
//	tokens.go       the tokens of one completion
//	whole.go        all episodes of an update, for who counts
//	through.go      the same problem through training
//
// Everything here only reads, takes no lock, and works while a process writes to the run.
package episodes
