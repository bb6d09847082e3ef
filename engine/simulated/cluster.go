// Package simulated is a cluster that exists on paper: it says how long answers would take on so many replicas of a model, and how busy these are.
//
//	cluster.go    replicas and batches; how long one answer takes
//	schedule.go   a rollout on a cluster by a virtual clock, event by event
//	engine.go     the same cluster as an engine, in time that passes
//
// Everything is drawn from seeds: lengths of answers, and what is lost. A replica draws Batch answers at once, each a token a step. With B answers a
// step takes Step + B·Each seconds, as if the batch were full; an answer of n tokens takes
//
//	Latency + n·(Step + B·Each)
//
// A try is lost with probability Failures, somewhere in its time, and begins again. Answers wait in one line for the first free slot of any replica,
// as behind a balancer that knows them all.
package simulated

import (
	"math"
	"time"

	"parley/internal/seed"
)

// A Cluster is what answers.
type Cluster struct {
	Replicas int
	Batch    int     // answers that a replica draws at once
	Latency  float64 // seconds of a call: the way there and back, and reading the prompt
	Step     float64 // seconds of a step whatever the batch, to read the weights
	Each     float64 // seconds of a step more for each answer of the batch
	Mean     float64 // tokens of an answer
	Spread   float64 // standard deviation of the logarithm of that
	Most     int     // tokens of an answer
	Failures float64 // probability that a try is lost, below 1
}

// Slots are the answers that the cluster draws at once.
func (c Cluster) Slots() int { return c.Replicas * c.Batch }

// An Answer is what one costs.
type Answer struct {
	Tokens int
	Useful float64 // seconds of the try that was not lost
	Takes  float64 // seconds of all tries
}

// Answer is that of a random stream. Lengths are log-normal.
func (c Cluster) Answer(stream uint64) Answer {
	rng := seed.Stream(stream)
	length := math.Exp(c.Spread*rng.NormFloat64() - c.Spread*c.Spread/2)
	a := Answer{Tokens: max(1, min(c.Most, int(math.Round(c.Mean*length))))}
	a.Useful = c.Latency + float64(a.Tokens)*(c.Step+float64(c.Batch)*c.Each)
	for a.Takes = a.Useful; rng.Float64() < c.Failures; {
		a.Takes += rng.Float64() * a.Useful
	}
	return a
}

// duration is so many seconds.
func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
