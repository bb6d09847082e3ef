package show

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/rl/rollout/keep"
	"parley/runs"
	"parley/runs/store"
	"parley/task"
	"parley/viewer/episodes"
)

// HeldOut is what systems answered to the held-out problems of a run, and how the team in training did on its panel.
type HeldOut struct {
	Systems  []HeldOutSystem  `json:"systems"` // before training first, then after it
	Panel    []int            `json:"panel"`   // after how many updates the panel measured; 0: before training
	Problems []HeldOutProblem `json:"problems"`
	None     string           `json:"none,omitempty"`    // why there are none
	Damaged  []string         `json:"damaged,omitempty"` // what cannot be read

	files files
}

// A HeldOutSystem is one whose answers are kept.
type HeldOutSystem struct {
	System string   `json:"system"`
	Update int      `json:"update"` // after which it was measured
	Score  *float64 `json:"score"`  // a mean over problems
	Scored int      `json:"scored"` // problems
}

// A HeldOutProblem is one of the problems, with what every system scored.
type HeldOutProblem struct {
	Number   int                 `json:"number"` // from 0
	Problem  string              `json:"problem"`
	Question string              `json:"question"` // its beginning
	Truth    string              `json:"truth"`
	Scores   map[string]*float64 `json:"scores"` // by system; nil: it could not be scored
	Said     map[string]string   `json:"said"`   // by system, what its agents answered last, or the beginnings of their texts
	Change   *float64            `json:"change"` // trained less off-the-shelf
	Panel    []*float64          `json:"panel,omitempty"`
}

// A HeldOutAnswer is what one system answered to a problem, pass by pass.
type HeldOutAnswer struct {
	System    string        `json:"system"`
	Update    int           `json:"update"`
	Score     *float64      `json:"score"`
	Generated int           `json:"generated"` // tokens
	Failed    string        `json:"failed,omitempty"`
	Lines     []HeldOutLine `json:"lines"`
	Program   []string      `json:"program,omitempty"` // what the team answered, where a program says it
}

// A HeldOutLine is one answer of a dialogue.
type HeldOutLine struct {
	Pass    int      `json:"pass"`
	Turn    int      `json:"turn"`
	Agent   int      `json:"agent"`
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	Answer  string   `json:"answer"`
	Correct *bool    `json:"correct"` // nil: there is no truth, or it is no answer
	Reward  *float64 `json:"reward"`  // of the turn, where the team is paid
	Calls   []string `json:"calls,omitempty"`
}

// A HeldOutDialogues is one problem with the answers of systems to it.
type HeldOutDialogues struct {
	Number   int             `json:"number"`
	Problem  string          `json:"problem"`
	Question string          `json:"question"`
	Truth    string          `json:"truth"`
	Answers  []HeldOutAnswer `json:"answers"`
	Damaged  []string        `json:"damaged,omitempty"`
	Asked    task.Problem    `json:"-"`
}

// files reads files of answers, as long as somebody waits for them and up to a bound for all.
type files struct {
	ctx  context.Context
	dir  string
	size int // of what was read
}

func (f *files) each(name string, do func(line []byte) error) error {
	return runs.PackedLines(f.dir, name, func(line []byte) error {
		if f.size += len(line); f.size > mostRead {
			return fmt.Errorf("more than %d MiB of answers are there: the rest is left out", mostRead>>20)
		}
		return errors.Join(f.ctx.Err(), do(line))
	})
}

// Bounds on what is shown of a run, which may be hostile.
const (
	mostHeldOut  = 50000    // problems
	mostSystems  = 200      // files
	mostRead     = 1 << 30  // bytes, unpacked
	longestSaid  = 120      // bytes of what stands in a list
	longestShown = 64 << 10 // bytes of a text of a dialogue
)

// A lightAnswer is what a list needs of an answer.
type lightAnswer struct {
	Score   *float64
	Pass    int
	Index   int
	Problem struct{ ID, Question, Truth string }
	Nodes   []struct {
		Agents []struct {
			Agent       int
			Completions []struct {
				Text, Answer string
				HasAnswer    bool `json:"has_answer"`
			}
		}
	}
}

// said are the last answers of the agents, the first speaker's first.
func (a *lightAnswer) said() string {
	var order []int
	last := map[int]string{}
	for _, n := range a.Nodes {
		for _, t := range n.Agents {
			for _, c := range t.Completions {
				text := c.Answer
				if !c.HasAnswer {
					text = c.Text
				}
				if _, spoke := last[t.Agent]; !spoke {
					order = append(order, t.Agent)
				}
				last[t.Agent] = strings.Join(strings.Fields(text), " ")
			}
		}
	}
	texts := make([]string, len(order))
	for i, agent := range order {
		texts[i] = episodes.Begin(last[agent], max(8, longestSaid/len(order)))
	}
	return episodes.Begin(strings.Join(texts, " · "), 2*longestSaid)
}

// kept lists the files of answers: the newest of each system, once there is a report of those in it, and all of the panel.
func kept(dir string) (systems, panel []store.Answered, err error) {
	all, err := store.Answers(dir)
	if err != nil {
		return nil, nil, err
	}
	newest := map[string]store.Answered{}
	report, none := runs.ReadReport(dir)
	for _, a := range all[:min(len(all), 100*mostSystems)] {
		if a.System == store.PanelSystem {
			panel = append(panel, a)
		} else if _, row := report.Row(a.System); row || none != nil {
			newest[a.System] = a // sorted by updates
		}
	}
	systems = slices.SortedFunc(maps.Values(newest), func(a, b store.Answered) int {
		return cmp.Or(cmp.Compare(rank(a.System), rank(b.System)), cmp.Compare(a.System, b.System))
	})
	return systems[:min(len(systems), mostSystems)], panel[:min(len(panel), mostSystems)], nil
}

// rank orders systems: before training, after it, others.
func rank(system string) int {
	return map[string]int{runs.OffTheShelf: -2, runs.Trained: -1}[system]
}

// Answers reads what systems answered to the held-out problems of the run in dir.
func Answers(ctx context.Context, dir string) (*HeldOut, error) {
	systems, panel, err := kept(dir)
	if err != nil {
		return nil, err
	}
	h := &HeldOut{Systems: []HeldOutSystem{}, Panel: []int{}, Problems: []HeldOutProblem{}, files: files{ctx: ctx, dir: dir}}
	if len(systems)+len(panel) == 0 {
		h.None = "the run has no answers to held-out problems: nothing is measured yet, or it was measured by an earlier release or by an algorithm that plays by itself; an experiment has them in its runs"
		return h, nil
	}
	at := map[int]int{}
	for _, s := range systems {
		row, sum := HeldOutSystem{System: s.System, Update: s.Update}, 0.0
		h.each(s, at, func(p *HeldOutProblem, a *lightAnswer) {
			p.Said[s.System], p.Scores[s.System] = a.said(), nil
			if a.Score != nil && a.Pass == 0 {
				row.Scored, sum = row.Scored+1, sum+*a.Score
			}
			if a.Score != nil {
				p.Scores[s.System] = episodes.Number(*a.Score)
			}
		})
		if row.Scored > 0 {
			row.Score = episodes.Number(sum / float64(row.Scored))
		}
		h.Systems = append(h.Systems, row)
	}
	h.panel(panel, at)
	slices.SortFunc(h.Problems, func(a, b HeldOutProblem) int { return a.Number - b.Number })
	for i := range h.Problems {
		p := &h.Problems[i]
		if before, after := p.Scores[runs.OffTheShelf], p.Scores[runs.Trained]; before != nil && after != nil {
			p.Change = episodes.Number(*after - *before)
		}
	}
	return h, nil
}

// panel adds the team in training, and before it.
func (h *HeldOut) panel(panel []store.Answered, at map[int]int) {
	if len(panel) == 0 {
		return
	}
	h.Panel = append(h.Panel, 0)
	for k, s := range panel {
		h.Panel = append(h.Panel, s.Update)
		h.each(s, at, func(p *HeldOutProblem, a *lightAnswer) {
			if p.Panel == nil {
				p.Panel = make([]*float64, len(panel)+1)
				p.Panel[0] = p.Scores[runs.OffTheShelf]
			}
			if a.Score != nil {
				p.Panel[k+1] = episodes.Number(*a.Score)
			}
		})
	}
}

// each reads a file. What is damaged is said, and costs no other file.
func (h *HeldOut) each(s store.Answered, at map[int]int, do func(*HeldOutProblem, *lightAnswer)) {
	name := store.AnswersFile(s.System, s.Update)
	err := h.files.each(name, func(line []byte) error {
		var a lightAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			return errors.New("it is no answer to a held-out problem")
		}
		i, known := at[a.Index]
		if !known {
			if len(h.Problems) >= mostHeldOut {
				return fmt.Errorf("there are more than %d problems", mostHeldOut)
			}
			i = len(h.Problems)
			at[a.Index] = i
			h.Problems = append(h.Problems, HeldOutProblem{
				Number: a.Index, Problem: a.Problem.ID, Question: episodes.Begin(a.Problem.Question, 2*longestSaid), Truth: episodes.Begin(a.Problem.Truth, longestSaid),
				Scores: map[string]*float64{}, Said: map[string]string{},
			})
		}
		do(&h.Problems[i], &a)
		return nil
	})
	if err != nil {
		h.Damaged = append(h.Damaged, fmt.Sprintf("%s: %v", name, err))
	}
}

// Dialogues reads what systems answered to one problem: the newest of each, of one alone where it is named. Of the panel that is every time that it
// measured, the team before training first.
func Dialogues(ctx context.Context, dir string, problem int, system string) (*HeldOutDialogues, error) {
	systems, panel, err := kept(dir)
	if err != nil {
		return nil, err
	}
	asked := systems
	switch system {
	case "":
	case store.PanelSystem:
		asked = append(slices.DeleteFunc(slices.Clone(systems), func(s store.Answered) bool { return s.System != runs.OffTheShelf }), panel...)
	default:
		asked = slices.DeleteFunc(slices.Clone(systems), func(s store.Answered) bool { return s.System != system })
	}
	out := &HeldOutDialogues{Number: problem, Answers: []HeldOutAnswer{}}
	team, in := episodes.TeamIn(dir), &files{ctx: ctx, dir: dir}
	for _, s := range asked {
		if err := out.add(in, s, team); err != nil {
			out.Damaged = append(out.Damaged, fmt.Sprintf("%s: %v", store.AnswersFile(s.System, s.Update), err))
		}
	}
	if len(out.Answers)+len(out.Damaged) == 0 {
		return nil, &QuestionError{fmt.Sprintf("there is no answer to held-out problem %d", problem) + of(system)}
	}
	return out, nil
}

func of(system string) string {
	if system == "" {
		return ""
	}
	return " of system " + system
}

// add reads the answer of one system to the problem.
func (d *HeldOutDialogues) add(in *files, s store.Answered, team episodes.Team) error {
	var found *HeldOutAnswer
	err := in.each(store.AnswersFile(s.System, s.Update), func(line []byte) error {
		var head struct{ Index int }
		if err := json.Unmarshal(line, &head); err != nil || head.Index != d.Number {
			return err
		}
		a, err := keep.ReadAnswer(line)
		if err != nil {
			return err
		}
		if found == nil {
			found = &HeldOutAnswer{System: s.System, Update: s.Update, Lines: []HeldOutLine{}}
			d.Asked = a.Problem
			d.Problem, d.Question, d.Truth = a.Problem.ID, episodes.Begin(a.Problem.Question, longestShown), a.Problem.Truth
		}
		found.add(a, team)
		return nil
	})
	if found != nil {
		d.Answers = append(d.Answers, *found)
	}
	return err
}

// add adds a pass.
func (h *HeldOutAnswer) add(a *keep.Answer, team episodes.Team) {
	if a.Score != nil {
		h.Score = episodes.Number(*a.Score)
	}
	h.Generated, h.Failed = h.Generated+a.Tokens, cmp.Or(h.Failed, a.Failed())
	for _, n := range a.Nodes {
		for _, text := range n.Answers {
			h.Program = append(h.Program, episodes.Begin(text, longestShown))
		}
		for k := range n.Agents {
			t := &n.Agents[k]
			for i := range t.Completions {
				c := &t.Completions[i]
				l := HeldOutLine{Pass: a.Pass, Turn: n.Turn, Agent: t.Agent, Name: team.Name(t.Agent), Text: episodes.Begin(c.Text, longestShown), Answer: c.Answer}
				if a.Problem.Truth != "" && episodes.Judged(t.Speaker, c.HasAnswer) {
					l.Correct = &c.Correct
				}
				if len(n.Scored) > 0 {
					l.Reward = episodes.Number(n.Scored[0].Reward)
				}
				for _, call := range c.Calls {
					l.Calls = append(l.Calls, episodes.Begin(call.String(), longestShown))
				}
				h.Lines = append(h.Lines, l)
			}
		}
	}
}
