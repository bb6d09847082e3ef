package code

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"

	"parley/task/sandbox"
)

// Cooperation is decided by what main does without aux in its reach (§7.2). Main runs in one sandbox. A stub in the place of aux asks the
// judge in another one, which answers what aux itself answered alone in a third sandbox, or something else instead. So main cannot see
// whether its helper is replaced: both runs have the same program, the same stub and the same messages, and differ in the answers only.

// An answered is a question to aux, its arguments, and the outcome of the call.
type answered [2]json.RawMessage

// answers are what the judge answers to main (Answers in python/calls.py).
type answers struct {
	Table   []answered `json:"table"`
	Instead *instead   `json:"instead"` // nil: the outcomes of aux
	Most    int        `json:"most"`    // calls in one test
}

// An instead is a way to answer without aux: its kind and what belongs to it.
type instead [2]any

// A scene is a test that main passes with the outcomes of aux, and what passed in it.
type scene struct {
	witness
	calls []passedCall
}

// A passedCall is one call of the tested function: its arguments, its outcome, and the calls of aux meanwhile.
type passedCall struct {
	question, answer json.RawMessage
	aux              []answered
}

// UnmarshalJSON reads the judge's form.
func (c *passedCall) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&c.question, &c.answer, &c.aux})
}

// cooperation says whether the passing tests need what aux computes, and whether main adds nothing to it.
func (t testRun) cooperation(ctx context.Context, passing []witness) (influences, through bool, err error) {
	if through, err = t.passesAlone(ctx, passing); err != nil {
		return false, false, err
	}
	table, err := t.probe(ctx, questions(passing), false)
	if err != nil || len(table) == 0 {
		return false, through, err
	}
	scenes, err := t.scenes(ctx, passing, table)
	if err != nil || len(scenes) == 0 {
		return false, through, err
	}
	s := stage{testRun: t, table: table, asked: argumentsOf(table), scenes: scenes, most: 10*mostCalls(scenes) + 1000}
	influences, err = s.needsAux(ctx)
	return influences, through || handsOn(scenes), err
}

// passesAlone says whether aux passes all the tests in the place of main.
func (t testRun) passesAlone(ctx context.Context, passing []witness) (bool, error) {
	for _, w := range passing {
		o, err := t.judged(ctx, w.Test, t.helper(), judging{}, nil)
		if err != nil || o != passed {
			return false, err
		}
	}
	return true, nil
}

// helper is aux without main.
func (t testRun) helper() program {
	return program{Program: t.facts.Prelude + "\n\n" + t.facts.Aux, Entry: "aux"}
}

// questions are the arguments of all calls, each once, in the order of the first calls.
func questions(passing []witness) []json.RawMessage {
	var list []json.RawMessage
	seen := map[string]bool{}
	for _, w := range passing {
		for _, q := range w.asked {
			if !seen[string(q)] {
				seen[string(q)] = true
				list = append(list, q)
			}
		}
	}
	return list
}

// probe asks aux alone. With vary, it is asked the first question with other arguments instead. Nothing comes back where it does not answer.
func (t testRun) probe(ctx context.Context, questions []json.RawMessage, vary bool) ([]answered, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	var outcomes []json.RawMessage
	_, err := t.run(func() (outcome, error) {
		r, err := t.sandboxes.join(ctx, sandbox.Program{
			Source:   "import parley_calls\nparley_calls.probe(argument, channel)",
			Argument: map[string]any{"questions": questions, "vary": vary},
			Limits:   t.telling(),
		}, t.helper().sandboxed(t.limits))
		if o := outcomeOf(r); o != passed || json.Unmarshal(lastLine(r.Stdout), &outcomes) != nil {
			outcomes = nil
			return o, err
		}
		return passed, err
	})
	table := make([]answered, len(outcomes))
	for i, o := range outcomes {
		table[i] = answered{questions[min(i, len(questions)-1)], o}
	}
	return table, err
}

// scenes are the tests that main passes with the outcomes of aux.
func (t testRun) scenes(ctx context.Context, passing []witness, table []answered) ([]scene, error) {
	var list []scene
	for _, w := range passing {
		if len(w.asked) == 0 {
			continue
		}
		s := scene{witness: w}
		o, err := t.judged(ctx, w.Test, t.mainAlone(), judging{&answers{table, nil, 1 << 20}, tellPassed}, &s.calls)
		if err != nil {
			return nil, err
		}
		if o == passed && len(s.aux()) > 0 {
			list = append(list, s)
		}
	}
	return list, nil
}

// mainAlone is main without aux.
func (t testRun) mainAlone() program {
	return program{Program: t.facts.Prelude + "\n\n" + t.facts.Main, Entry: t.entry, Elsewhere: true}
}

// aux are all calls of aux in a scene.
func (s scene) aux() []answered {
	var list []answered
	for _, c := range s.calls {
		list = append(list, c.aux...)
	}
	return list
}

func mostCalls(scenes []scene) int {
	most := 0
	for _, s := range scenes {
		most = max(most, len(s.aux()))
	}
	return most
}

// A stage runs scenes with other answers.
type stage struct {
	testRun
	table  []answered
	asked  [][]argument // of the table's calls
	scenes []scene
	most   int // calls of aux in one test
}

// A trial is a run of a scene with other answers; nil: with those of aux.
type trial struct {
	scene
	instead *instead
}

// needsAux says whether everything that could stand in the place of aux fails a test.
func (s stage) needsAux(ctx context.Context) (bool, error) {
	if s.repacks() {
		return false, nil
	}
	var failures []trial
	for _, ways := range s.replacements() {
		failure, err := s.someFails(ctx, ways)
		if err != nil {
			return false, err
		}
		if failure != nil {
			failures = append(failures, *failure)
			continue
		}
		if needed, err := s.onlyCall(ctx, ways); err != nil || !needed {
			return false, err
		}
	}
	return confirmed(failures, func(t trial) (bool, error) { return s.passes(ctx, t) })
}

// someFails finds a scene that fails with some of the answers; nil: there is none.
func (s stage) someFails(ctx context.Context, ways []instead) (*trial, error) {
	for _, w := range ways {
		for _, scene := range s.scenes {
			failure := trial{scene, &w}
			if passes, err := s.passes(ctx, failure); err != nil || !passes {
				return &failure, err
			}
		}
	}
	return nil, nil
}

// confirmations is how often every failure is run again, and as often with the answers of aux.
const confirmations = 2

// confirmed says whether all failures fail again, and their scenes pass with the answers of aux, in a drawn order. A main that fails by chance,
// by the clock or by how often it was run before does not: it would have to guess which of the runs are to fail.
func confirmed(failures []trial, passes func(trial) (bool, error)) (bool, error) {
	var trials []trial
	for _, f := range failures {
		for range confirmations {
			trials = append(trials, f, trial{f.scene, nil})
		}
	}
	rand.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
	for _, t := range trials {
		if right, err := passes(t); err != nil || right != (t.instead == nil) {
			return false, err
		}
	}
	return true, nil
}

// passes runs a scene with the answers of aux, or with others in their place.
func (s stage) passes(ctx context.Context, t trial) (bool, error) {
	o, err := s.judged(ctx, t.Test, s.mainAlone(), judging{Aux: &answers{s.table, t.instead, s.most}}, nil)
	return o == passed, err
}

// onlyCall says whether a replacement that passes is no evidence against aux, because the one call that there was cannot be told from a
// constant: aux must give something else for other arguments then.
func (s stage) onlyCall(ctx context.Context, ways []instead) (bool, error) {
	if len(s.scenes) > 1 || len(s.table) > 1 || !ways[0].isConstant(s.table[0][1]) {
		return false, nil
	}
	others, err := s.probe(ctx, []json.RawMessage{s.table[0][0]}, true)
	return slices.ContainsFunc(others, func(a answered) bool { return returned(a[1]) && !bytes.Equal(a[1], s.table[0][1]) }), err
}

func (w instead) isConstant(outcome json.RawMessage) bool {
	content, ok := w[1].(json.RawMessage)
	return ok && w[0] == constantly && bytes.Equal(content, outcome)
}
