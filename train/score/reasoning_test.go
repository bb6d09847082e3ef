package score

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
	"parley/recipe"
	"parley/rl/rollout"
	"parley/team"
)

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

// A critic is an engine that finds reasoning where there is a because.
type critic struct {
	engine.Engine
	batches []int
}

func (c *critic) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	c.batches = append(c.batches, len(reqs))
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		reply := "No."
		if strings.Contains(bytesCodec{}.Text(r.Prompt), "because") || r.Policy != engine.Base {
			reply = "Yes, no doubt."
		}
		out[i].Tokens, _ = bytesCodec{}.Prompt([]team.Message{{Content: reply}})
	}
	return out, nil
}

// TestUnreasonedAnswersAreFlagged: the base is asked once a turn, about training answers only; one too long to ask about passes.
func TestUnreasonedAnswersAreFlagged(t *testing.T) {
	c := &critic{}
	actor := rollout.Actor{Engine: c, Codec: bytesCodec{}, Context: 400}
	s := &Scorer{recipe: new(recipe.Recipe), untrained: []rollout.Actor{actor, actor}}
	nodes := turn([2]string{"neutral because of it", "neutral"}, [2]string{strings.Repeat("long", 100), "entailment"})
	if err := s.flagUnreasoned(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	var flags [][]string
	for _, n := range nodes {
		for a := range n.Node.Agents {
			flags = append(flags, n.Node.Agents[a].Completions[0].Flags)
		}
	}
	no := []string{"no_reasoning"}
	if want := [][]string{nil, no, nil, no}; !reflect.DeepEqual(flags, want) || !reflect.DeepEqual(c.batches, []int{3}) {
		t.Errorf("flags %v, want %v; batches %v", flags, want, c.batches)
	}
	s.inference = true
	if err := s.flagUnreasoned(t.Context(), nodes); err != nil || len(c.batches) != 1 {
		t.Errorf("asked in an evaluation: %v, %v", c.batches, err)
	}
}
