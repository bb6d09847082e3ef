package chatsession

import (
	"context"

	"parley/internal/usererror"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
	"parley/train/together"
)

// writeTogether makes the team one that gives one text to a question, and tells who wrote what of it.
func (t *Loaded) writeTogether(ctx context.Context, r *rollout.Runner) error {
	if t.lineup.Recipe.Reward.Source == "label" {
		return usererror.Errorf("recipe %s chooses tokens by reward.source label, which compares with a right answer, and a conversation has none: set reward.source to user, trained, program or server", t.lineup.Recipe.Name)
	}
	agents, err := together.Open(ctx, t.lineup)
	if err != nil {
		return err
	}
	t.Protocol = oneVoice{r.Protocol}
	t.Names = []string{"together"}
	t.Settings = Settings{Sampling: r.Settings.Sampling, MaxTokens: r.Settings.MaxTokens, MinTokens: r.Settings.MinTokens, Stop: t.lineup.Recipe.Sampling.Stop}
	t.Speaker = func(int, int) Voice { return choir{agents} }
	return nil
}

// oneVoice is a protocol whose agents answer as one.
type oneVoice struct{ team.Protocol }

// Agents implements [team.Protocol].
func (oneVoice) Agents() int { return 1 }

// Next implements [team.Protocol]. What they wrote together is what each of them has said.
func (v oneVoice) Next(p task.Problem, h team.History) ([]team.Ask, error) {
	var said team.History
	for _, a := range h {
		for a.Agent = range v.Protocol.Agents() {
			said = append(said, a)
		}
	}
	asks, err := v.Protocol.Next(p, said)
	return asks[:min(1, len(asks))], err
}

// A choir is a [chatsession.Voice] of agents who write one text. What it is asked, each agent is asked in its own way; it remembers nothing.
type choir struct{ *together.Team }

// Say implements [chatsession.Voice].
func (v choir) Say(ctx context.Context, dialogue []team.Message, s Settings, say func(text string) error) (Reply, error) {
	if s.Problem.Question == "" { // a conversation by itself
		s.Problem = task.Problem{ID: "question", Question: dialogue[len(dialogue)-1].Content}
	}
	w, err := v.Write(ctx, s.Problem, nil)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Text: w.Text, Tokens: len(w.Tokens), Stop: w.Stop, Beside: w.Told()}, say(w.Text)
}
