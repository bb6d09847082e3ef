package train

import "parley/train/news"

// An Event is one piece of progress of a run: package news says what there is.
type (
	Event     = news.Event
	EventKind = news.EventKind
	Metrics   = news.Metrics
	Timing    = news.Timing
)

// What an event reports: see [news.EventKind].
const (
	Started   = news.Started
	Note      = news.Note
	Measuring = news.Measuring
	Training  = news.Training
	Measured  = news.Measured
	Updated   = news.Updated
	Working   = news.Working
)

// note passes a note on.
func (o *Options) note(message string) { o.Observe(Event{Kind: Note, Message: message}) }
