package rollout_test

import (
	"context"
	"fmt"
	"testing"

	"parley/engine"
	"parley/rl/rollout"
	"parley/team"
	"parley/team/workflow"
)

// counting is a codec that counts the dialogues it renders.
type counting struct {
	letters
	rendered *int
}

func (c counting) Prompt(dialogue []team.Message) ([]int, error) {
	*c.rendered++
	return c.letters.Prompt(dialogue)
}

// ring is a workflow of agents who go on with a chat of their own for some turns.
func ring(t *testing.T, agents, turns int) team.Protocol {
	t.Helper()
	spec := workflow.Spec{Answer: workflow.Answer{Kind: workflow.Vote}}
	var names []string
	for i := range agents {
		names = append(names, fmt.Sprintf("agent%d", i+1))
		spec.Agents = append(spec.Agents, workflow.Agent{Name: names[i]})
	}
	for turn := range turns {
		spec.Steps = append(spec.Steps, workflow.Step{
			Place: fmt.Sprintf("team.workflow[%d]", turn), Ask: names, Continue: true,
			Prompts: []string{"{{.Agent}}: {{range .Others}}{{.Text}}{{end}}{{.Question}}"},
		})
	}
	w, err := workflow.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A workflow of 16 agents renders a dialogue for each of its asks, once: 16 in every turn, of two as of 16. Whether the episode is over is found out
// without.
func TestTurnsRenderWhatIsNew(t *testing.T) {
	for _, turns := range []int{2, 16} {
		rendered, e := 0, &dice{}
		r := &rollout.Runner{Protocol: ring(t, 16, turns), Settings: rollout.Settings{Group: 1, MaxTokens: 3}, Scorer: finals{}}
		for range r.Protocol.Agents() {
			r.Actors = append(r.Actors, rollout.Actor{Engine: e, Codec: counting{rendered: &rendered}, Policy: func(int) engine.Policy { return "p" }})
		}
		if play(t, r, 1); rendered != 16*turns {
			t.Errorf("%d turns of 16 agents render %d dialogues, want %d", turns, rendered, 16*turns)
		}
	}
}

// finals is a scorer that asks of each node whether its episode is over.
type finals struct{}

func (finals) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, item := range turn {
		item.Node.Rewards = make([]float64, len(item.Node.Joint))
		for action := range item.Node.Joint {
			if _, _, err := item.Final(action); err != nil {
				return err
			}
		}
	}
	return nil
}
