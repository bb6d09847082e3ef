package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/team"
	"parley/train/record"
)

// parrot says who it is and how often it was asked at once, and fails where it is asked about a problem.
type parrot struct {
	fails string // ID of the problem; empty: none
	asked *[]team.SpeakerAsk
}

func (p parrot) Kind() string { return "parrot" }

func (p parrot) Speak(_ context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	replies := make([]team.Reply, len(asks))
	for i, a := range asks {
		replies[i].Text = fmt.Sprintf("%s to %q, seed %d", a.Agent, a.Messages[len(a.Messages)-1].Content, a.Draw())
		if a.Problem.ID == p.fails {
			replies[i] = team.Reply{Text: "half a", Err: errors.New("no voice")}
		}
	}
	if p.asked != nil {
		*p.asked = append(*p.asked, asks...)
	}
	return replies, nil
}

// texts are what an agent said first in every episode.
func texts(episodes []*rollout.Episode, agent int) (list []string) {
	for _, e := range episodes {
		for _, c := range e.Nodes[0].Agents[agent].Completions {
			list = append(list, c.Text)
		}
	}
	return list
}

// TestSpeakers: an agent that is no model is asked once for each completion, with a stream of its own; what it says has no tokens, reaches the
// others, and changes nothing of how they are sampled.
func TestSpeakers(t *testing.T) {
	settings := rollout.Settings{Group: 3, Joint: credit.Aligned, MaxTokens: 5}
	models := play(t, runner(t, &dice{}, 3, 2, settings), 4)
	var asked []team.SpeakerAsk
	r := runner(t, &dice{}, 3, 2, settings)
	r.Actors[1].Name, r.Actors[1].Speaker = "bird", parrot{asked: &asked}
	episodes := play(t, r, 4)
	for _, agent := range []int{0, 2} {
		if got, want := texts(episodes, agent), texts(models, agent); !reflect.DeepEqual(got, want) {
			t.Errorf("agent %d says %q beside a speaker, %q beside a model", agent+1, got, want)
		}
	}
	seeds := map[uint64]bool{}
	for _, a := range asked {
		seeds[a.Seed] = true
	}
	if want := 4 * (3 + 3*3); len(asked) != want || len(seeds) != want {
		t.Errorf("%d asks with %d streams, want %d", len(asked), len(seeds), want)
	}
	for _, e := range episodes {
		for _, n := range e.Nodes {
			bird := n.Agents[1]
			if bird.Speaker != "parrot" || bird.Policy != "" || bird.Prompt != nil || len(bird.Completions) != 3 || len(bird.Completions[0].Tokens) > 0 {
				t.Fatalf("it is recorded as %+v", bird)
			}
			if n.Turn == 1 && !strings.Contains(n.Agents[0].Messages[len(n.Agents[0].Messages)-1].Content, "bird to ") {
				t.Errorf("the others read %q", n.Agents[0].Messages)
			}
		}
	}
	if c := record.CostsOf(episodes); c.Tokens != 4*2*3*(3+9) {
		t.Errorf("%d tokens, want three of each completion of two models", c.Tokens)
	}
}

// TestSpeakersAlone: a turn that asks nobody else has one completion, and the next one groups again.
func TestSpeakersAlone(t *testing.T) {
	r := runner(t, &dice{}, 1, 2, rollout.Settings{Group: 3, Joint: credit.Aligned, MaxTokens: 5})
	r.Actors[0].Speaker = parrot{}
	for _, e := range play(t, r, 2) {
		if len(e.Nodes) != 2 || len(e.Nodes[0].Joint) != 1 || len(e.Nodes[1].Agents[0].Completions) != 1 {
			t.Errorf("%d nodes, %v", len(e.Nodes), e.Nodes[0].Joint)
		}
	}
}

// TestSpeakerFails: the episode of a speaker that fails has failed, says whose fault it was, and is read back; the others go on.
func TestSpeakerFails(t *testing.T) {
	for name, r := range map[string]*rollout.Runner{
		"debate": runner(t, &dice{}, 2, 2, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 5}),
		"tree":   runner(t, &dice{}, 2, 2, rollout.Settings{Group: 2, Joint: credit.Cross, MaxTokens: 5}),
	} {
		r.Actors[1].Name, r.Actors[1].Speaker = "bird", parrot{fails: "1"}
		for i, e := range play(t, r, 3) {
			if why := e.Failed(); (why != "") != (i == 1) || i == 1 && why != "agent bird, turn 1: no voice" {
				t.Errorf("%s: episode %d: %q", name, i, why)
			}
			if i == 1 && (len(e.Nodes) != 1 || e.Nodes[0].Rewards != nil || e.Nodes[0].Agents[1].Completions[0].Text != "") {
				t.Errorf("%s: it goes on: %+v", name, e.Nodes[0])
			}
			if _, err := rollout.ReadEpisode(asJSON(t, e)); err != nil {
				t.Errorf("%s: episode %d: %v", name, i, err)
			}
		}
	}
}

// TestSpeakerInterrupted: an error of the context ends the rollout.
func TestSpeakerInterrupted(t *testing.T) {
	r := runner(t, &dice{}, 2, 1, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 5})
	r.Actors[0].Speaker = interrupted{}
	if _, err := r.Run(t.Context(), "test", 1, problems(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

type interrupted struct{ parrot }

func (interrupted) Speak(context.Context, []team.SpeakerAsk) ([]team.Reply, error) {
	return nil, context.Canceled
}

func asJSON(t *testing.T, e *rollout.Episode) []byte {
	t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
