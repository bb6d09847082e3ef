package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/model/config"
	"parley/task"
	"parley/task/classeval"
	"parley/task/code"
	"parley/team"
	"parley/team/protocols"
)

// coderCorpus has problems of the code tasks and what coders write who share the work: at first good ones, so that the base learns to read
// problems, then weak ones, whose ways it takes over.
var coderCorpus = corpus{opening: coding(goodCoder), kinds: coding(weakCoder), words: coding(weakCoder)}

// coderPlan is the plan of parley-coder.
var coderPlan = plan{
	corpus: coderCorpus,
	config: config.Config{
		ModelType: "llama", Hidden: 128, Intermediate: 256, Layers: 4, Heads: 4, KVHeads: 2, HeadDim: 32,
		Context: 512, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
	},
	vocab: 400, vocabDocs: 2000,
	updates: 1300, updateTokens: 2048, peak: 3e-3, warmup: 50, opening: 0.6,
}

// A coder says in which ways it writes a helper, the asked function, and the methods of a class.
type coder struct {
	aux, main []share[coderStyle]
	methods   []share[classWriting]
}

// A coderStyle writes a function for a problem.
type coderStyle func(rng *rand.Rand, p problem) string

// goodCoder makes no mistakes; the function may leave the work to the helper or not.
var goodCoder = coder{
	aux:     []share[coderStyle]{{70, helper}, {30, everything}},
	main:    []share[coderStyle]{{30, sharing}, {30, inline}, {30, alone}, {10, wrapper}},
	methods: []share[classWriting]{{80, each}, {20, everyMethod}},
}

// weakCoder is what the base becomes. What training can gain is in this mixture.
var weakCoder = coder{
	aux:     []share[coderStyle]{{30, helper}, {20, wrongStep(helper)}, {20, everything}, {10, same}, {10, printed(helper)}, {10, unclosed(helper)}},
	main:    []share[coderStyle]{{20, sharing}, {20, inline}, {20, alone}, {10, wrapper}, {10, wrongWhole(sharing)}, {10, wrongStep(alone)}, {10, unclosed(inline)}},
	methods: []share[classWriting]{{25, each}, {25, careless}, {20, everyMethod}, {15, onlyFirst}, {15, unclosedMethods}},
}

// helper takes the step.
func helper(_ *rand.Rand, p problem) string {
	return "def aux(x):\n    return " + strings.ReplaceAll(p.step.code, "X", "x")
}

// everything is a helper that does all the work.
func everything(rng *rand.Rand, p problem) string {
	return strings.Replace(alone(rng, p), p.whole.entry, "aux", 1)
}

// same is a helper that helps nobody.
func same(*rand.Rand, problem) string { return "def aux(x):\n    return x" }

// sharing leaves the step to the helper, and gives its results names.
func sharing(_ *rand.Rand, p problem) string {
	text, names := p.head(), []string{"p", "q"}
	terms := p.terms(asked)
	for i, term := range terms {
		text += fmt.Sprintf("    %s = %s\n", names[i], term)
	}
	return text + "    return " + p.whole.from(names[:len(terms)])
}

// inline does so in one expression, which the reward takes for a mere call of the helper.
func inline(_ *rand.Rand, p problem) string { return p.head() + "    return " + p.body(asked) }

// asked is a number that the helper is asked about.
func asked(name string) string { return "aux(" + name + ")" }

// alone needs no helper.
func alone(_ *rand.Rand, p problem) string { return p.solution() }

// wrapper leaves everything to the helper.
func wrapper(_ *rand.Rand, p problem) string {
	return p.head() + "    return aux(" + p.parameters + ")"
}

// wrongStep takes a step for another one.
func wrongStep(write coderStyle) coderStyle {
	return func(rng *rand.Rand, p problem) string {
		p.step = p.step.near(rng)
		return write(rng, p)
	}
}

// wrongWhole takes what the function does with results for something else.
func wrongWhole(write coderStyle) coderStyle {
	return func(rng *rand.Rand, p problem) string {
		right := p.whole
		for p.whole.code == right.code {
			p.whole = pick(rng, p.wholes)
		}
		p.whole.entry = right.entry
		return write(rng, p)
	}
}

// printed shows a result instead of returning it.
func printed(write coderStyle) coderStyle {
	return func(rng *rand.Rand, p problem) string {
		return strings.Replace(write(rng, p), "return ", "print(", 1) + ")"
	}
}

// unclosed forgets the colon.
func unclosed(write coderStyle) coderStyle {
	return func(rng *rand.Rand, p problem) string { return strings.Replace(write(rng, p), ":", "", 1) }
}

// A classWriting writes an agent's methods of a class.
type classWriting func(rng *rand.Rand, own, c class) string

// each writes all that it was asked for.
func each(_ *rand.Rand, own, _ class) string {
	var texts []string
	for _, m := range own {
		texts = append(texts, m.right())
	}
	return strings.Join(texts, "\n\n")
}

// everyMethod writes those of the other agent too.
func everyMethod(rng *rand.Rand, _, c class) string { return each(rng, c, c) }

// onlyFirst writes the first one alone.
func onlyFirst(rng *rand.Rand, own, c class) string { return each(rng, own[:1], c) }

// careless takes the step of one method for another.
func careless(rng *rand.Rand, own, c class) string {
	own = append(class{}, own...)
	at := rng.IntN(len(own))
	own[at].step = own[at].step.near(rng)
	return each(rng, own, c)
}

// unclosedMethods forgets the first colon.
func unclosedMethods(rng *rand.Rand, own, c class) string {
	return strings.Replace(each(rng, own, c), ":", "", 1)
}

// The prompts are those of the recipes over this base.
var (
	functionPrompts = team.Prompts{First: "{{.Role}}\n{{.Question}}"}
	functionRoles   = []string{"Write aux.", "Use aux."}
	classPrompts    = team.Prompts{First: "{{.Question}}\nWrite {{index .Fields (printf \"methods_%d\" .Agent)}}."}
)

// coding has the answers of a coder to the problems of all data sets.
func coding(by coder) []share[kind] {
	return []share[kind]{{25, function(humanEval, by)}, {25, function(coopHumanEval, by)}, {25, function(mbpp, by)}, {25, methods(by)}}
}

// function is a helper or a function of a data set.
func function(set string, by coder) kind {
	return func(rng *rand.Rand) document {
		p := pick(rng, codeSets[set].shape.problemsOf(corpusSplit))
		agent := rng.IntN(2)
		text := choose(rng, [][]share[coderStyle]{by.aux, by.main}[agent])(rng, p)
		return append(functionPrompt(set, p, agent, rng), said(text)...)
	}
}

// methods are those of one agent.
func methods(by coder) kind {
	return func(rng *rand.Rand) document {
		c := drawClass(rng, corpusSplit)
		agent := rng.IntN(2)
		text := choose(rng, by.methods)(rng, c.of(agent), c)
		return append(classPrompt(c, agent, rng), said(text)...)
	}
}

// functionPrompt is what an agent of a pair is asked for a problem.
func functionPrompt(set string, p problem, agent int, rng *rand.Rand) document {
	record := must(code.ReadProblem(must(json.Marshal(codeSets[set].write(0, p, rng)))))
	return prompt(record, team.Settings{Prompts: functionPrompts, Roles: functionRoles}, agent)
}

// classPrompt is what an agent of a pair is asked for a class.
func classPrompt(c class, agent int, rng *rand.Rand) document {
	record := must(classeval.ReadProblem(must(json.Marshal(c.record(0, rng)))))
	return prompt(record, team.Settings{Prompts: classPrompts}, agent)
}

func prompt(p task.Problem, s team.Settings, agent int) document {
	s.Agents, s.Turns = 2, 1
	protocol := must(protocols.Parallel().Open(s))
	return render(must(protocol.Next(p, nil))[agent].Messages)
}

// said is what an agent answers.
func said(text string) document { return render([]team.Message{{Role: team.Assistant, Content: text}}) }
