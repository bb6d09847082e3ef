package main

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
