// Package provenance knows what decides the numbers of a run, and whether it is still the same.
//
// A run records the hash of everything that it reads: its bases, and the files that its recipe names ([Of]). Before a run goes on or is
// measured again, what is there now is compared with that ([Changes]); a change is refused, or recorded by the run ([Accept]).
//
//	meta.go     what a run records
//	files.go    hashes of what a recipe names
//	moved.go    where the files of a run are that was moved, or they were
//	changes.go  what became another, and what follows
//	recipe.go   whether a recipe is still the one that was recorded
//	length.go   a run that is trained further than it was to be
//	verify.go   whether a run is still what it was
//	rerun.go    an update, learned again from what the run stored of it
//	replay.go   whether that gives what the run recorded
package provenance
