// Package tasktest holds the conformance suite that every task passes, registered or not:
//
//	func TestConformance(t *testing.T) {
//		tasktest.Conformance(t, tasktest.Case{Type: mytask.Type(), Settings: &mytask.Settings{Path: "testdata"}, Agents: 2, Item: `{"question":"…"}`})
//	}
//
// It asks for what package task promises: problems in a fixed order, splits that share none, the fields that prompts were promised, and
// scores that are a pure function of problem and responses, inside their range.
package tasktest

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"parley/task"
	"parley/task/sandbox"
)

// A Case is a task with settings under which it can be opened in a test.
type Case struct {
	Type     task.Type
	Settings any // a pointer to its settings
	Agents   int
	Cache    string   // folder of pulled data sets
	Item     string   // one record of its data set, for scoring from the shell
	Wrong    string   // JSON that is no such record; empty: "{}"
	Good     []string // responses to Item that earn more than nothing
}

// few is how many problems of a split the suite looks at.
const few = 12

// Conformance tests a task. Where it runs programs and this machine cannot isolate them, opening it must say so, and nothing else is tested.
func Conformance(t *testing.T, c Case) {
	traits(t, c.Type.Traits)
	if faults := c.Type.Check(c.Settings, task.Team{Agents: c.Agents}); len(faults) > 0 {
		t.Errorf("settings that it is opened with are refused: %v", faults)
	}
	opened := open(t, c)
	if opened == nil {
		return
	}
	s := &suite{t, c, opened}
	s.abilities()
	problems := s.problems()
	s.fields(problems)
	s.answers(problems)
	s.scores(problems[0])
	s.reports(problems[0])
	s.items()
}

// open opens the task and closes it after the test; nil: it cannot be opened on this machine, and said so.
func open(t *testing.T, c Case) task.Task {
	t.Helper()
	opened, err := c.Type.Open(t.Context(), c.Settings, task.Environment{Agents: c.Agents, Cache: c.Cache})
	if missing := new(sandbox.Unavailable); c.Type.Sandboxed && errors.As(err, &missing) {
		t.Logf("programs cannot be isolated here: %v", missing)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if closer, ok := opened.(interface{ Close() error }); ok {
		t.Cleanup(func() {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return opened
}

// traits checks what can be known without opening the task.
func traits(t *testing.T, traits task.Traits) {
	t.Helper()
	if traits.Name == "" || !strings.HasSuffix(traits.About, ".") && !strings.HasSuffix(traits.About, "?") {
		t.Errorf("task %q has no name or no sentence about it: %q", traits.Name, traits.About)
	}
	if !traits.Answers && !traits.Joint {
		t.Error("it has neither right answers nor a joint reward")
	}
	if r := traits.Responses; r.Least < 1 || r.Most < r.Least || !traits.Joint && r.Most > 1 {
		t.Errorf("it scores %d to %d responses", r.Least, r.Most)
	}
}

type suite struct {
	*testing.T
	Case
	task task.Task
}

// abilities: the task can do what its traits say.
func (s *suite) abilities() {
	if got := s.task.Name(); got != s.Type.Name {
		s.Errorf("it calls itself %q", got)
	}
	if _, ok := s.task.(task.Answerer); ok != s.Type.Answers {
		s.Errorf("its traits say right answers: %v, but it is an Answerer: %v", s.Type.Answers, ok)
	}
	if _, ok := s.task.(task.JointScorer); ok != s.Type.Joint {
		s.Errorf("its traits say a joint reward: %v, but it is a JointScorer: %v", s.Type.Joint, ok)
	}
}

// problems: a split is a fixed list of different problems of which any number can be asked for, and no problem belongs to two.
func (s *suite) problems() []task.Problem {
	s.Helper()
	ids, asked := map[string]task.Split{}, map[string]task.Split{}
	again := open(s.T, s.Case)
	for _, split := range []task.Split{task.Train, task.Test} {
		list := s.drawn(s.task, split, few)
		if len(list) == 0 {
			s.Fatalf("split %s is empty", split)
		}
		if first := s.drawn(s.task, split, 1); !reflect.DeepEqual(first, list[:1]) {
			s.Errorf("split %s: the first problem alone is %+v, with others %+v", split, first, list[:1])
		}
		if other := s.drawn(again, split, few); !reflect.DeepEqual(other, list) {
			s.Errorf("split %s: opened again, the task has other problems", split)
		}
		for _, p := range list {
			if p.ID == "" || strings.TrimSpace(p.Question) == "" || p.Truth == "" && s.Type.Answers {
				s.Errorf("split %s: problem %+v", split, p)
			}
			if by, taken := ids[p.ID]; taken {
				s.Errorf("problem %s is in splits %s and %s", p.ID, by, split)
			}
			if by, taken := asked[s.asked(p)]; taken && by != split {
				s.Errorf("splits %s and %s both ask what problem %s does", by, split, p.ID)
			}
			ids[p.ID], asked[s.asked(p)] = split, split
		}
	}
	if _, err := s.task.Problems("no such split", 1); err == nil {
		s.Error("a split that does not exist has problems")
	}
	return s.drawn(s.task, task.Train, few)
}

// asked is all that prompts can say of a problem.
func (s *suite) asked(p task.Problem) string {
	all := []string{task.Key(p.Question)}
	for _, name := range s.Type.FieldNames(s.Agents) {
		all = append(all, p.Fields[name])
	}
	return strings.Join(all, "\n")
}

func (s *suite) drawn(from task.Task, split task.Split, n int) []task.Problem {
	s.Helper()
	list, err := from.Problems(split, n)
	if err != nil || len(list) > n {
		s.Fatalf("%d problems of split %s, want %d: %v", len(list), split, n, err)
	}
	return list
}

// fields: every problem has the fields that the traits promise to prompts.
func (s *suite) fields(problems []task.Problem) {
	for _, p := range problems {
		for _, name := range s.Type.FieldNames(s.Agents) {
			if _, ok := p.Fields[name]; !ok {
				s.Errorf("problem %s has no field %s", p.ID, name)
			}
		}
	}
}

// answers: the right answer is read from a text that states it, in its own form, and nothing is read from nothing.
func (s *suite) answers(problems []task.Problem) {
	reader, ok := s.task.(task.Answerer)
	if !ok {
		return
	}
	for _, p := range problems {
		if got, ok := task.AnswerTo(reader, p, `So it is. Answer: \boxed{`+p.Truth+`}`); !ok || got != p.Right() {
			s.Errorf("problem %s: the right answer %q is read as %q, %v", p.ID, p.Truth, got, ok)
		}
	}
	for _, text := range texts[:2] {
		if got, ok := reader.Answer(text); ok {
			s.Errorf("the answer of %q is %q", text, got)
		}
	}
}

// texts are what models may write.
var texts = []string{"", "nothing of use", "\\boxed{7}", "def aux(x):\n    return x", "/setblock 0 0 0 stone", "[PARAGRAPH_SPLIT]", "\x00\ufffd\u202e{{.}}", strings.Repeat("word ", 300)}

// scores: whatever was written, the joint reward is a number inside its range, and the same each time.
func (s *suite) scores(p task.Problem) {
	scorer, ok := s.task.(task.JointScorer)
	if !ok {
		return
	}
	least, most := scorer.Range()
	if !(least < most) {
		s.Errorf("rewards from %v to %v", least, most)
	}
	for i := range texts {
		responses := s.responses(i)
		first, second := s.score(scorer, p, responses), s.score(scorer, p, responses)
		if !reflect.DeepEqual(first, second) {
			s.Errorf("responses %q earn %+v, then %+v", responses, first, second)
		}
		if x := first.Reward; math.IsNaN(x) || x < least-1e-9 || x > most+1e-9 {
			s.Errorf("responses %q earn %v, outside of %v to %v", responses, x, least, most)
		}
	}
}

func (s *suite) score(scorer task.JointScorer, p task.Problem, responses []string) task.Score {
	s.Helper()
	score, err := scorer.Score(s.Context(), p, responses)
	if err != nil {
		s.Fatalf("responses %q: %v", responses, err)
	}
	return score
}

// responses are a text of each agent, the i-th and those after it.
func (s *suite) responses(i int) []string {
	n := min(max(s.Agents, s.Type.Responses.Least), s.Type.Responses.Most)
	out := make([]string, n)
	for agent := range out {
		out[agent] = texts[(i+agent)%len(texts)]
	}
	return out
}

// reports: the task writes every report that its traits name, one for each response.
func (s *suite) reports(p task.Problem) {
	own, _ := s.task.(task.Reporter)
	others, _ := s.task.(task.Reporters)
	for _, r := range s.Type.Reports {
		writer := own
		if others != nil {
			if other := others.Reporter(r.Name); other != nil {
				writer = other
			}
		}
		if writer == nil {
			s.Errorf("nobody writes report %s", r.Name)
			continue
		}
		for _, shown := range []int{0, 1, -1} {
			responses := s.responses(shown + 1)
			written, err := writer.Report(s.Context(), p, responses, shown)
			if err != nil || len(written) != len(responses) {
				s.Errorf("report %s about %d responses: %q, %v", r.Name, len(responses), written, err)
			}
		}
	}
}

// items: a single record can be read and scored without the rest of its data set, and what is no record is an error.
func (s *suite) items() {
	scorer, err := s.Type.Items(s.Context(), s.Settings)
	if err != nil {
		s.Fatal(err)
	}
	defer func() {
		if err := scorer.End(); err != nil {
			s.Error(err)
		}
	}()
	for _, wrong := range []string{"{", s.Wrong} {
		if p, err := scorer.Read([]byte(wrong), len(s.Good)); err == nil && wrong != "" {
			s.Errorf("%s is read as problem %+v", wrong, p)
		}
	}
	p, err := scorer.Read([]byte(s.Item), len(s.Good))
	if err != nil {
		s.Fatalf("item %s: %v", s.Item, err)
	}
	for _, responses := range [][]string{s.Good, make([]string, len(s.Good))} {
		score, err := scorer.Score(s.Context(), p, responses)
		if err != nil || math.IsNaN(score.Reward) || responses[0] != "" && score.Reward <= 0 {
			s.Errorf("responses %q to %s earn %+v, %v", responses, s.Item, score, err)
		}
	}
}
