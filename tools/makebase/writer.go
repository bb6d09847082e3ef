package main

import (
	"context"
	"math/rand/v2"
	"sync"

	"parley/model/config"
	"parley/recipe/language"
	"parley/task"
	"parley/team"
	recipes "parley/train/plan"
)

// writerCorpus has what the agents of four shipped recipes are asked, MAGRPO's block games and writing tasks, and what people say to it who have
// habits, some that pay and some that do not. Training can find which. At first those who build make no mistakes, so that the base learns letters and
// houses.
var writerCorpus = corpus{opening: lessons, kinds: writings, words: writings}

var (
	lessons  = []share[kind]{{50, written(drawings, tidy)}, {32, written(houses, tidy)}, {8, written(posts, tidy)}, {10, written(abstracts, tidy)}}
	writings = []share[kind]{{30, written(drawings, sloppy)}, {25, written(houses, sloppy)}, {20, written(posts, sloppy)}, {25, written(abstracts, sloppy)}}
)

// writerPlan is the plan of parley-writer.
var writerPlan = plan{
	corpus: writerCorpus,
	config: config.Config{
		ModelType: "llama", Hidden: 128, Intermediate: 256, Layers: 4, Heads: 4, KVHeads: 2, HeadDim: 32,
		Context: 768, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
	},
	vocab: 1500, vocabDocs: 2000,
	updates: 2000, updateTokens: 3072, peak: 3e-3, warmup: 50, opening: 0.6,
}

// A writing is the work of a shipped recipe, whose agents the base speaks for.
type writing struct {
	protocol team.Protocol
	task     task.Task
	scorer   task.JointScorer
	problems []task.Problem // for training
	longest  int            // answer, in tokens

	pose   func(rng *rand.Rand) (task.Problem, hand)
	report func(p task.Problem, texts []string) []string // what a second turn says of both answers; nil: there is none
}

// A hand writes what an agent of a pair answers, whatever the turn.
type hand func(rng *rand.Rand, agent int, c care) string

// Care is whether those who build make mistakes.
type care bool

const (
	tidy   care = true
	sloppy care = false
)

// writingOf opens a shipped recipe with changes.
func writingOf(name string, sets ...string) *writing {
	r := must(language.New().Load(name, sets))
	w := &writing{protocol: must(recipes.Protocol(r)), task: must(recipes.OpenTask(context.Background(), r, r.Task, true)), longest: r.Sampling.MaxTokens}
	w.scorer = w.task.(task.JointScorer)
	w.problems = must(w.task.Problems(task.Train, 1<<20))
	return w
}

// The writings, each opened once.
var (
	drawings  = sync.OnceValue(openDrawings)
	houses    = sync.OnceValue(openHouses)
	posts     = sync.OnceValue(openPosts)
	abstracts = sync.OnceValue(openAbstracts)
)

func allWritings() []*writing { return []*writing{drawings(), houses(), posts(), abstracts()} }

// written is what one agent of a pair was asked and what it said, in one turn or, one time in four, in two.
func written(open func() *writing, c care) kind {
	return func(rng *rand.Rand) document {
		w := open()
		p, write := w.pose(rng)
		turns := 1
		if w.report != nil && rng.IntN(4) == 0 {
			turns = 2
		}
		var history team.History
		var chat []team.Message
		me := rng.IntN(2)
		for turn := range turns {
			chat = must(w.protocol.Next(p, history))[me].Messages
			texts := []string{write(rng, 0, c), write(rng, 1, c)}
			chat = append(chat, team.Message{Role: team.Assistant, Content: texts[me]})
			if turn+1 < turns {
				for agent, said := range w.report(p, texts) {
					history = append(history, team.Answer{Turn: turn, Agent: agent, Text: texts[agent], Report: said})
				}
			}
		}
		return render(chat)
	}
}
