package engine

import "context"

// A Streamer is an engine that hands out tokens while it samples, for people who watch. It is optional: training needs whole
// samples only.
type Streamer interface {
	// Stream is [Engine.Sample], and calls each with every token of reqs[i] as soon as it is drawn. The samples are those of
	// Sample. An error of each ends the call.
	Stream(ctx context.Context, reqs []SampleRequest, each func(i, token int) error) ([]Sample, error)
}
