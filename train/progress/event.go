package progress

// This file says what goes on in a run while it goes on: its events, and how long the rest still takes.

import (
	"time"

	"parley/runs"
	"parley/train/record"
)

// An EventKind says what an event reports.
type EventKind string

const (
	Started   EventKind = "started"   // the run folder exists; Dir, Message and Updates are set
	Note      EventKind = "note"      // Message is worth a line: a fallback
	Warning   EventKind = "warning"   // Message is what a user may want to change
	Measuring EventKind = "measuring" // evaluation of System begins
	Training  EventKind = "training"  // the training Phase begins, or goes on behind Update
	Measured  EventKind = "measured"  // evaluation of System is done; Row is set
	Updated   EventKind = "updated"   // one update was learned and saved; Metrics, Timing, Example and Left are set
	Working   EventKind = "working"   // a few times a second: Done of All, or of nobody knows how many (0), are ready of what Message says
)

// What an event carries of an update.
type (
	Metrics = record.Metrics
	Timing  = record.Timing
)

// An Event is one piece of progress, for a live view or a log line. Events never carry results that are not also in the run
// folder.
type Event struct {
	Kind    EventKind
	Phase   string // which training: "team" or "single agent"
	Dir     string
	Of      string // Started: the folder of the experiment that the run is one of; empty: it is none of one
	Message string
	Line    string // how a log says the event, for who shows it elsewhere; empty: it says nothing, or nobody has written it yet
	System  string
	Score   float64
	Metric  string // Measured: the name of the measure of Score
	Update  int    // done so far
	Updates int
	Metrics *Metrics
	Timing  *Timing
	Example *runs.Dialogue // the first dialogue of the update
	Done    int
	All     int

	Left      time.Duration // expected for this training; 0: not known
	TotalLeft time.Duration // expected for the whole run; 0: not known
}

// Tell passes notes on.
func Tell(observe func(Event), notes []string) {
	for _, note := range notes {
		observe(Event{Kind: Note, Message: note})
	}
}
