package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/internal/seed"
	"parley/task"
	"parley/task/sums"
	"parley/team"
	"parley/team/protocols"
)

// A kind writes documents of one kind.
type kind func(rng *rand.Rand) document

// sumsCorpus begins with arithmetic and reading, which have to be learned first.
var sumsCorpus = corpus{opening: opening, kinds: kinds, words: kinds}

// triosCorpus has the same documents but for the shapes of its debates.
var triosCorpus = corpus{
	opening: []share[kind]{{20, drillDocument}, {60, lessonDocument}, {20, debatesOf(trioDebates)}},
	kinds:   triosKinds, words: triosKinds,
}

var triosKinds = []share[kind]{{5, drillDocument}, {15, lessonDocument}, {80, debatesOf(trioDebates)}}

var (
	opening = []share[kind]{{20, drillDocument}, {60, lessonDocument}, {20, debatesOf(debates)}}
	kinds   = []share[kind]{{5, drillDocument}, {15, lessonDocument}, {70, debatesOf(debates)}, {10, duetDocument}}
)

// corpusDocument returns document i of the corpus with the given seed, from the given mixture.
func corpusDocument(root uint64, i int, mixture []share[kind]) document {
	rng := seed.Stream(seed.Derive(root, "makebase: document", i))
	return choose(rng, mixture)(rng)
}

// drawProblem draws a problem of the corpus split whose misreading is no problem of another split either.
func drawProblem(rng *rand.Rand) (sums.Sum, string) {
	for {
		s, tell := sums.Draw(rng, 2+rng.IntN(2))
		if wrong := misreading(s); s.Split() == sums.Corpus && (len(wrong.Steps) == 1 || wrong.Split() == sums.Corpus) {
			return s, tell()
		}
	}
}

// debatesOf writes debates of a mixture of shapes.
func debatesOf(shapes []share[debate]) kind {
	return func(rng *rand.Rand) document {
		s, question := drawProblem(rng)
		return choose(rng, shapes).write(rng, s, question)
	}
}

// drillDocument is a page of single steps without a story: arithmetic to learn by heart. Only results are learned.
func drillDocument(rng *rand.Rand) document {
	var d document
	for range 12 {
		s, _ := sums.Draw(rng, 1)
		d = append(d, span{s.String() + "=", false}, span{fmt.Sprintf("%d\n", s.Answer()), true})
	}
	return append(d, span{tokenEnd, true})
}

// lessonDocument is a page of a school book: stories, each with its sum worked out. Only the working is learned.
func lessonDocument(rng *rand.Rand) document {
	var d document
	for range 3 {
		s, question := drawProblem(rng)
		lines, _, _ := work(s, never)
		d = append(d, span{question + "\n", false}, span{strings.Join(lines, "\n") + "\n", true})
	}
	return append(d, span{tokenEnd, true})
}

// duetDocument answers one of the two prompts of task duet's recipes.
func duetDocument(rng *rand.Rand) document {
	s, question := drawProblem(rng)
	agent := rng.IntN(2)
	protocol := must(protocols.Parallel().Open(team.Settings{Agents: 2, Turns: 1, Prompts: duetPrompts, Roles: duetRoles}))
	chat := must(protocol.Next(task.Problem{Question: question}, nil))[agent].Messages
	styles := [][]share[style]{firstTurn, explained}[agent]
	return render(append(chat, team.Message{Role: team.Assistant, Content: choose(rng, styles)(rng, s).text}))
}

// duetPrompts and duetRoles are those of the shipped recipes for task duet.
var (
	duetPrompts = team.Prompts{First: "Question: {{.Question}}\n{{.Role}} Answer: \\boxed{XX}"}
	duetRoles   = []string{"Be short.", "Explain."}
)
