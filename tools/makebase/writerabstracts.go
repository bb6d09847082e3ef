package main

import (
	"math/rand/v2"

	"parley/task"
)

// abstractWords are what abstracts are about.
var abstractWords = []place{
	{"field|object", []string{"traffic forecasting|road sensors", "crop disease|leaf images", "speech recognition|phone calls", "river floods|rain gauges", "bird migration|radar maps", "heart failure|pulse records", "solar power|roof panels", "forest fires|satellite pictures", "ocean waves|buoy signals", "legal search|court files"}},
	{"trouble", []string{"labels are rare", "signals are noisy", "data are private", "events are few", "sources disagree", "conditions change"}},
	{"method", []string{"Tree", "Wave", "Lens", "Bridge", "Spark", "Mirror", "Anchor", "Pebble"}},
	{"idea", []string{"a graph of neighbours", "short summaries of the past", "rules from experts", "simple pairs of examples", "a map of errors", "slow and fast parts"}},
	{"place", []string{"twelve cities", "four countries", "one large hospital", "thirty farms", "two islands", "nine schools"}},
	{"metric", []string{"mean error", "false alarm rate", "training time", "energy use", "number of misses"}},
	{"n", []string{"12", "18", "25", "31", "40", "52"}},
	{"rival", []string{"a plain regression", "a deep network", "the usual threshold", "a panel of experts", "last year's winner"}},
	{"users|use", []string{"planners|act in time", "doctors|choose a treatment", "farmers|save water", "engineers|repair machines", "teachers|find help", "judges|read less"}},
}

// abstractLines are an abstract.
var abstractLines = []string{
	"we study {field} from {object}.", "known models fail because {trouble}.", "we propose {method}, which learns {idea}.",
	"on data from {place} it lowers the {metric} by {n} percent against {rival}.", "this helps {users} to {use}.",
}

// The sentences of an introduction by part: background and motivation; methodology and implications.
var introduction = [][][]string{
	{
		{"over the last years {field} has become a central problem for {users}, who collect {object} every day."},
		{"the study of {field} began with small tables, and today {object} come from {place} at low cost."},
		{"yet known models for {field} still fail in practice because {trouble} in most {object}."},
		{"{users} need clear answers from {object} in order to {use}, and late answers are of no help."},
		{"when {trouble}, the {metric} of a model grows, and {users} lose trust in its results."},
		{"earlier work on {field} compared many models with {rival} and found only small gains."},
		{"other authors collected more {object}, but more data alone did not lower the {metric}."},
		{"a second line of research asked experts about {field}, which is slow and does not scale."},
		{"in {place} the cost of a wrong answer is high, so the {metric} matters more than speed."},
		{"few studies ask why {trouble}, although this is the main reason why {rival} breaks down."},
		{"we believe that {object} hold enough information about {field} if a model looks at them in a better way."},
		{"this gap between research on {field} and the needs of {users} is the motivation of our paper."},
		{"a good solution should work where {trouble}, cost little, and help {users} to {use}."},
		{"our work starts from this point and asks what {object} can tell {users} about {field}."},
	},
	{
		{"our method, called {method}, reads {object} and learns {idea} in order to answer questions of {field}."},
		{"first, {method} cleans the {object} from {place} and removes records where {trouble} beyond repair."},
		{"then a small model learns {idea} from these {object}, so that it still works when {trouble}."},
		{"the model of {method} has few parameters and learns from {place} within one day of computing."},
		{"we compare {method} with {rival} on {object} from {place} and measure the {metric} of both."},
		{"in these tests {method} lowers the {metric} by {n} percent against {rival}, which is a large gain."},
		{"the gain is greatest where {trouble}, which shows that {idea} is the part that matters."},
		{"without {idea} the {metric} rises again, and {method} is no better than {rival}."},
		{"we repeat all tests of {method} with other {object}, and the order of the models stays the same."},
		{"a limit of {method} is that it needs {object} of good quality, which small groups may lack."},
		{"the results mean that {users} can trust models of {field} more than before, and {use} with less cost."},
		{"for research on {field}, the results suggest that {idea} is worth more than additional data."},
		{"{users} in {place} already try {method} in their daily work in order to {use}."},
		{"future work on {field} should study how {method} behaves over many years and in other places."},
	},
}

// partLengths are those of a part in sentences. Half of them are too short.
var partLengths = []share[int]{{8, 2}, {10, 4}, {14, 6}, {14, 7}, {14, 8}, {12, 9}, {10, 10}, {8, 11}, {6, 12}, {4, 14}}

// abstractOf draws an abstract.
func abstractOf(rng *rand.Rand) (story, string) {
	s := tell(rng, abstractWords)
	return s, s.fill(append([]string{}, abstractLines...)...)
}

// openAbstracts asks for the parts of introductions.
func openAbstracts() *writing {
	w := writingOf("magrpo-arxiv-tiny")
	w.pose = func(rng *rand.Rand) (task.Problem, hand) {
		s, text := abstractOf(rng)
		return task.Problem{Question: text}, func(rng *rand.Rand, agent int, _ care) string { return part(rng, s, agent) }
	}
	return w
}

// part is the part of an introduction that an agent is asked for.
func part(rng *rand.Rand, s story, agent int) string {
	return habitOf(rng, partLengths).write(rng, s, introduction[agent])
}
