package train_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/rl/rollout"
	"parley/runs"
	"parley/train/shortrun"
)

// episodesOf reads the episodes of update 1.
func episodesOf(t *testing.T, dir string) []*rollout.Episode {
	t.Helper()
	var out []*rollout.Episode
	err := runs.ReadEpisodes(dir, 1, func(line []byte) error {
		e := new(rollout.Episode)
		out = append(out, e)
		return json.Unmarshal(line, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFeedbackModes: what later prompts say in each mode, and what of the dialogue they hold.
// TestLongFeedbackModes has the other modes.
func TestFeedbackModes(t *testing.T) {
	feedbackModes(t,
		feedbackMode{"score", "magrpo-tiny", []string{"team.feedback=score"}, 3, " of at most 2.\n\nImprove"},
		feedbackMode{"position", "magrpo-strbuild-tiny", []string{"team.feedback=position"}, 3, "no two of them side by side; the others do the rest.\n\nImprove"},
		feedbackMode{"no previous answers", "magrpo-tiny", []string{"team.feedback=self", "team.chat_memory.previous=false"}, 1, "Improve your previous answer"})
}

// A feedbackMode is what the second turn of a run says.
type feedbackMode struct {
	name     string
	recipe   string
	sets     []string
	messages int
	last     string // in the last message
}

func feedbackModes(t *testing.T, modes ...feedbackMode) {
	t.Helper()
	for _, c := range modes {
		t.Run(c.name, func(t *testing.T) {
			o := quick(t, c.recipe, append([]string{"team.turns=2", "training.updates=1", "training.checkpoint=1", "group.size=2", "training.problems=2", "sampling.max_tokens=12", "eval.problems=1"}, c.sets...)...)
			result, _ := shortrun.Run(t, o.Recipe)
			for _, e := range episodesOf(t, result.Dir) {
				for _, n := range e.Nodes {
					m := n.Agents[1].Messages
					if n.Turn == 1 && (len(m) != c.messages || !strings.Contains(m[len(m)-1].Content, c.last)) {
						t.Fatalf("agent 2 is told %q", m)
					}
				}
			}
		})
	}
}

// TestCentral: one model answers for both agents. What it does not put between tags earns nothing, every token of it is trained,
// tags and the last one too, and a group of two are two environment steps.
func TestCentral(t *testing.T) {
	o := quick(t, "magrpo-tiny", "team.protocol=central", "policies.sharing=shared", "training.updates=1", "group.size=2", "training.problems=1", "sampling.max_tokens=12")
	result, metrics := shortrun.Run(t, o.Recipe)
	if m := metrics[0]; m.Counts.Steps != 2 || m.Counts.Generations != 2 || len(m.GradNorm) != 1 {
		t.Errorf("%d environment steps, %d generations, gradients of %v", m.Counts.Steps, m.Counts.Generations, m.GradNorm)
	}
	n := episodesOf(t, result.Dir)[0].Nodes[0]
	if len(n.Agents) != 1 || !strings.Contains(n.Agents[0].Messages[0].Content, "<agent_2>") {
		t.Fatalf("asked %q", n.Agents[0].Messages)
	}
	for k, score := range n.Scored {
		if score.Reward != 0 || len(score.Flags) != 1 || score.Flags[0] != "unparsable" {
			t.Errorf("%q is scored %+v", n.Agents[0].Completions[k].Text, score)
		}
		if tokens := len(n.Agents[0].Completions[k].Tokens); tokens > 12 {
			t.Errorf("%d tokens, more than the total of 12", tokens)
		}
	}
}

// TestPublishedRows: padded rows and log-probabilities of the whole vocabulary train as the published code does, and otherwise than
// exact ones.
func TestPublishedRows(t *testing.T) {
	losses := map[float64]bool{}
	for _, sets := range [][]string{nil, {"group.padding=padded", "group.ratio_cap=0"}, {"group.logprobs_at=full"}} {
		o := quick(t, "magrpo-tiny", append([]string{"training.updates=1", "sampling.top_p=0.9"}, sets...)...)
		_, metrics := shortrun.Run(t, o.Recipe)
		losses[metrics[0].PolicyLoss] = true
	}
	if len(losses) != 3 {
		t.Errorf("losses %v, want three different ones", losses)
	}
}

// TestWarmUp: the first updates play one turn, those behind them all. TestLongWarmUp: the diagnosis compares the two.
func TestWarmUp(t *testing.T) {
	o := quick(t, "magrpo-tiny", "team.turns=2", "team.warm_up=1", "training.updates=2", "group.size=2")
	_, metrics := shortrun.Run(t, o.Recipe)
	if a, b := metrics[0].Counts, metrics[1].Counts; a.Nodes != 4 || b.Nodes != 4*3 {
		t.Errorf("%d nodes during the warm-up, %d behind it, want 4 and 12", a.Nodes, b.Nodes)
	}
}
