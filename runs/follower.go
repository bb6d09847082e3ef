package runs

// A Follower is told what is written to a run, right after it was written, for those who watch runs with other tools. What goes wrong with
// it is its own to tell, and never stops the run.
type Follower interface {
	Metrics(update int, line []byte) // of metrics.jsonl
	Timing(update int, line []byte)  // of timing.jsonl
	Restored(update int)             // the run goes on after this update: everything of later ones is gone
	Finished(report Report)
	Close() error
}

// Follow lets f follow the run until the run is closed, which closes f too. Call it before [Run.Restore].
func (r *Run) Follow(f Follower) { r.followers = append(r.followers, f) }
