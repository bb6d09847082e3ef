package train

import "parley/train/progress"

// An Event is one piece of progress of a run: package news says what there is.
type (
	Event     = progress.Event
	EventKind = progress.EventKind
	Metrics   = progress.Metrics
	Timing    = progress.Timing
)

// What an event reports: see [progress.EventKind].
const (
	Started   = progress.Started
	Note      = progress.Note
	Measuring = progress.Measuring
	Training  = progress.Training
	Measured  = progress.Measured
	Updated   = progress.Updated
	Working   = progress.Working
)

// note passes a note on.
func (o *Options) note(message string) { o.Observe(Event{Kind: Note, Message: message}) }
