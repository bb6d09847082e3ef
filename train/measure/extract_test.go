package measure

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
	"parley/recipe"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/answer"
	"parley/team"
	"parley/train/score"
)

// A reader is an engine that states an answer from its n-th batch on.
type reader struct {
	engine.Engine
	n       int
	batches []int
}

func (r *reader) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	r.batches = append(r.batches, len(reqs))
	out := make([]engine.Sample, len(reqs))
	for i, q := range reqs {
		reply := "I do not know."
		if len(r.batches) >= r.n && q.Policy == engine.Base && q.MaxTokens == answerTokens {
			reply = `\boxed{8}`
		}
		out[i].Tokens, _ = bytesCodec{}.Prompt([]team.Message{{Content: reply}})
	}
	return out, nil
}

// numbered is a task whose answers are numbers in boxes.
type numbered struct{ task.Task }

func (numbered) Answer(text string) (string, bool) { return answer.Math(text) }

// spoken are debates of two agents over one turn.
func spoken(pairs ...[2]string) []*answerTable {
	var tables []*answerTable
	for i, pair := range pairs {
		e := &rollout.Episode{Index: i, Problem: task.Problem{Truth: "8"}, Nodes: []*rollout.Node{{}}}
		for agent, text := range pair {
			canonical, ok := answer.Math(text)
			e.Nodes[0].Agents = append(e.Nodes[0].Agents, rollout.AgentTurn{Agent: agent, Completions: []rollout.Completion{{Text: text, Answer: canonical, HasAnswer: ok}}})
		}
		tables = append(tables, debateAnswers(e))
	}
	return tables
}

// numberedScorer reads numbers.
func numberedScorer(t *testing.T, r *recipe.Recipe) *score.Scorer {
	t.Helper()
	r.Reward.Source, r.Team.Feedback = "label", "none"
	s, err := score.New(t.Context(), r, numbered{}, score.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestExtract: only texts without a readable answer are asked about, in one batch a try, until a reply can be read; nobody is asked more
// often than the recipe says, and a text that fills the context is left alone.
func TestExtract(t *testing.T) {
	for _, c := range []struct {
		tries, answers int
		batches        []int
		read           bool
	}{{0, 1, nil, false}, {5, 1, []int{2}, true}, {5, 3, []int{2, 2, 2}, true}, {2, 3, []int{2, 2}, false}} {
		r := new(recipe.Recipe)
		r.Eval.Extract = c.tries
		m := Measurer{Recipe: r, Scorer: numberedScorer(t, r)}
		e := &reader{n: c.answers}
		actor := rollout.Actor{Engine: e, Codec: bytesCodec{}, Context: 100}
		tables := spoken([2]string{`\boxed{7}`, "eight"}, [2]string{"it is 8", `\boxed{8}`})
		if err := m.extract(t.Context(), &rollout.Runner{Actors: []rollout.Actor{actor, actor}}, tables); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(e.batches, c.batches) {
			t.Errorf("%d tries: batches %v, want %v", c.tries, e.batches, c.batches)
		}
		want := answer.Answer{}
		if c.read {
			want = answer.Answer{Canonical: "8", OK: true}
		}
		first, second := tables[0].debate, tables[1].debate
		if first.Answers[0][1] != want || second.Answers[0][0] != want || first.Answers[0][0].Canonical != "7" {
			t.Errorf("%d tries: %+v and %+v", c.tries, first, second)
		}
		if c.read != (first.Extracted != nil && first.Extracted[0][1] && !first.Extracted[0][0]) {
			t.Errorf("%d tries: extracted %v", c.tries, first.Extracted)
		}
	}
}

// fullCodec counts a token a byte of the whole dialogue.
type fullCodec struct{ bytesCodec }

func (fullCodec) Prompt(dialogue []team.Message) ([]int, error) {
	var all strings.Builder
	for _, m := range dialogue {
		all.WriteString(m.Content)
	}
	return bytesCodec{}.Prompt([]team.Message{{Content: all.String()}})
}

func TestExtractLeavesLongTextsAlone(t *testing.T) {
	r := new(recipe.Recipe)
	r.Eval.Extract = 5
	m := Measurer{Recipe: r, Scorer: numberedScorer(t, r)}
	e := &reader{n: 1}
	actor := rollout.Actor{Engine: e, Codec: fullCodec{}, Context: 100}
	if err := m.extract(t.Context(), &rollout.Runner{Actors: []rollout.Actor{actor, actor}}, spoken([2]string{strings.Repeat("long ", 20), "short"})); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(e.batches, []int{1}) {
		t.Errorf("batches %v: only the short text leaves room for the question", e.batches)
	}
}

// bytesCodec is a codec with a token a byte.
type bytesCodec struct{}

func (bytesCodec) Prompt(dialogue []team.Message) ([]int, error) {
	var ids []int
	for _, b := range []byte(dialogue[len(dialogue)-1].Content) {
		ids = append(ids, int(b))
	}
	return ids, nil
}

func (bytesCodec) Text(ids []int) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteByte(byte(id))
	}
	return b.String()
}

func (bytesCodec) Stop() []int { return nil }
