package train_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine"
	"parley/train"
	"parley/train/shortrun"
)

// TestRivalModel: another base, with a tokenizer of its own, writes half of the candidates in the tokens of the team's base, and pairs
// are between it and the team.
func TestRivalModel(t *testing.T) {
	o := quick(t, "madpo-tiny", "training.updates=1", "training.problems=4", "preference.candidates=8", "preference.iterations=1",
		"preference.comparator=model", "preference.model=testdata/tiny-base")
	result, metrics := shortrun.Run(t, o.Recipe)
	if m := metrics[0]; m.Pairs == 0 || m.PairSteps != 2*m.Pairs || len(m.GradNorm) != 2 {
		t.Errorf("%d pairs in %d steps, gradients of %v", m.Pairs, m.PairSteps, m.GradNorm)
	}
	for _, e := range episodesOf(t, result.Dir) {
		for _, agentTurn := range e.Nodes[0].Agents {
			if n := len(agentTurn.Completions); n != 8 {
				t.Fatalf("%d candidates, want 8", n)
			}
			for k, c := range agentTurn.Completions {
				if (c.Logprobs == nil) != (k >= 4) || len(c.Tokens) == 0 && c.Text != "" {
					t.Errorf("candidate %d has %d tokens and log-probabilities %v", k, len(c.Tokens), c.Logprobs)
				}
			}
		}
	}
}

// TestServerRival: a model behind a server writes half of the candidates, in the tokens of the team's base; an answer that it finished ends with the
// end token, and one that was cut does not.
func TestServerRival(t *testing.T) {
	url := chats(t, func(w http.ResponseWriter, a ask) {
		finish := map[bool]string{true: "stop", false: "length"}[a.Seed%2 == 0]
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"The sum is \\\\boxed{%d}."},"finish_reason":%q}]}`, a.Seed%9, finish)
	})
	o := quick(t, "madpo-tiny", "training.updates=1", "training.problems=4", "preference.candidates=8", "preference.iterations=1",
		"preference.comparator=server", "preference.server.url="+url+"/v1", "preference.server.model=big")
	result, metrics := shortrun.Run(t, o.Recipe)
	if m := metrics[0]; m.Pairs == 0 || len(m.GradNorm) != 2 || m.Servers == nil || m.Servers.Requests != 4*2*4 {
		t.Errorf("%d pairs, gradients of %v, servers %+v", m.Pairs, m.GradNorm, m.Servers)
	}
	ends := map[engine.StopReason]int{}
	for _, e := range episodesOf(t, result.Dir) {
		for _, agentTurn := range e.Nodes[0].Agents {
			if n := len(agentTurn.Completions); n != 8 || agentTurn.Speaker != "" {
				t.Fatalf("%d candidates of %q, want 8", n, agentTurn.Speaker)
			}
			for _, c := range agentTurn.Completions[4:] {
				if ends[c.Stop]++; c.Logprobs != nil || len(c.Tokens) == 0 || !strings.HasPrefix(c.Text, "The sum is ") {
					t.Errorf("%q: tokens %v, log-probabilities %v", c.Text, c.Tokens, c.Logprobs)
				}
			}
		}
	}
	if ends[engine.StopEOS] == 0 || ends[engine.StopLength] == 0 {
		t.Errorf("ends %v", ends)
	}
}

// TestCentralRival: one model writes for all agents at once, and each is given its part. A text without a block for every agent is no candidate.
func TestCentralRival(t *testing.T) {
	url := chats(t, func(w http.ResponseWriter, a ask) {
		text := fmt.Sprintf("So. <agent_1>First \\\\boxed{%d}.</agent_1> <agent_2>Second \\\\boxed{3}.</agent_2>", a.Seed%9)
		if a.Seed%3 == 0 {
			text = "<agent_1>only one</agent_1>"
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, text)
	})
	o := quick(t, "madpo-tiny", "training.updates=1", "training.problems=4", "preference.candidates=8", "preference.iterations=1", "preference.central=true",
		"preference.comparator=server", "preference.server.url="+url+"/v1", "preference.server.model=big")
	result, metrics := shortrun.Run(t, o.Recipe)
	if m := metrics[0]; m.Pairs == 0 || len(m.GradNorm) != 2 || m.Servers == nil || m.Servers.Requests != 4*4 {
		t.Errorf("%d pairs, gradients of %v, servers %+v", m.Pairs, m.GradNorm, m.Servers)
	}
	takenApart(t, result.Dir, metrics[0].Dropped)
}

// TestCentralRivalOfForms: a team whose answers have a form is compared with a model that writes for all agents at once, whose text has none. The pairs
// train a reward model (MARLHF).
func TestCentralRivalOfForms(t *testing.T) {
	url := chats(t, func(w http.ResponseWriter, a ask) {
		if a.Forced != nil {
			t.Errorf("the text of all agents is forced to %+v", a.Forced)
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, fmt.Sprintf("<agent_1>on(1)\non(%d)</agent_1><agent_2>on(3)\non(4)</agent_2>", 1+a.Seed%9))
	})
	o := quick(t, "bfcl-tiny", "reward.source=preferences", "reward.model.problems=4", "training.updates=1", "training.problems=2", "preference.candidates=4", "preference.central=true",
		"preference.comparator=server", "preference.server.url="+url+"/v1", "preference.server.model=big")
	if _, metrics := shortrun.Run(t, o.Recipe); len(metrics) != 1 {
		t.Errorf("metrics %+v", metrics)
	}
}

// TestCentralModel: another base writes for all agents at once, in its own tokens, and each agent is given its part in the tokens of the team's base.
// What is no candidate is counted, and the run says so once.
func TestCentralModel(t *testing.T) {
	o := quick(t, "madpo-tiny", "training.updates=2", "training.problems=4", "preference.candidates=8", "preference.iterations=1", "preference.central=true",
		"preference.comparator=model", "preference.model="+says(t, "So. <agent_1>First \\boxed{4}.</agent_1> <agent_2>Second \\boxed{3}.</agent_2>", "<agent_1>only one</agent_1>"))
	var notes []string
	o.Observe = func(e train.Event) {
		if e.Kind == train.Note && strings.Contains(e.Message, "no candidates") {
			notes = append(notes, e.Message)
		}
	}
	result, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	metrics := shortrun.Metrics(t, result.Dir)
	if m := metrics[0]; m.Pairs == 0 || len(m.GradNorm) != 2 || m.Servers != nil {
		t.Errorf("%d pairs, gradients of %v, servers %+v", m.Pairs, m.GradNorm, m.Servers)
	}
	takenApart(t, result.Dir, metrics[0].Dropped)
	if want := fmt.Sprintf("%d of the comparator's 16 texts", metrics[0].Dropped); len(notes) != 1 || !strings.Contains(notes[0], want) {
		t.Errorf("notes %q, want one of %s", notes, want)
	}
}

// takenApart checks the texts that a central comparator wrote for the first update: of 4 for each of 4 problems, so many are no candidates.
func takenApart(t *testing.T, dir string, dropped int) {
	t.Helper()
	written := 0
	for _, e := range episodesOf(t, dir) {
		n := e.Nodes[0]
		if len(n.Joint) != len(n.Rewards) || len(n.Joint) > 8 {
			t.Errorf("%d joint responses, %d rewards", len(n.Joint), len(n.Rewards))
		}
		for agent, begins := range []string{"First ", "Second "} {
			for _, action := range n.Joint[4:] {
				c := n.Agents[agent].Completions[action[agent]]
				if written++; !strings.HasPrefix(c.Text, begins) || c.Stop != engine.StopEOS || len(c.Tokens) == 0 || c.Logprobs != nil {
					t.Errorf("agent %d wrote %+v", agent, c)
				}
			}
		}
	}
	if written == 0 || dropped == 0 || written != 2*(4*4-dropped) {
		t.Errorf("%d parts were taken, %d of 16 texts were dropped", written, dropped)
	}
}

// says is a base that ends whatever it reads with one of two texts, as often with either: the last token alone decides about the next. Everything else
// in it is the useless base of these tests.
func says(t *testing.T, texts ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "says")
	if err := os.CopyFS(dir, os.DirFS("testdata/tiny-base")); err != nil {
		t.Fatal(err)
	}
	first := nameTexts(t, filepath.Join(dir, "tokenizer.json"), texts)
	weights := filepath.Join(dir, "model.safetensors")
	data, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	head := 8 + binary.LittleEndian.Uint64(data)
	var tensors map[string]struct {
		Shape   []int    `json:"shape"`
		Offsets []uint64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(data[8:head], &tensors); err != nil {
		t.Fatal(err)
	}
	// set makes all of a tensor 0, but for what a row has.
	set := func(name string, row func(i int) []float32) {
		at, width := tensors[name], tensors[name].Shape[len(tensors[name].Shape)-1]
		out := data[head+at.Offsets[0] : head+at.Offsets[1]]
		clear(out)
		for i := range len(out) / 2 / width {
			for k, x := range row(i) {
				binary.LittleEndian.PutUint16(out[2*(i*width+k):], uint16(math.Float32bits(x)>>16)) // the numbers are short: nothing is cut
			}
		}
	}
	none := func(int) []float32 { return nil }
	for layer := range 2 {
		set(fmt.Sprintf("model.layers.%d.self_attn.o_proj.weight", layer), none)
		set(fmt.Sprintf("model.layers.%d.mlp.down_proj.weight", layer), none)
	}
	set("model.norm.weight", func(int) []float32 { return []float32{16, 16} })
	set("model.embed_tokens.weight", func(token int) []float32 {
		switch {
		case token == 0: // the end, which only a text points at
			return []float32{0, 16}
		case token >= first && token < first+len(texts):
			return []float32{4, 8}
		}
		return []float32{1, 0}
	})
	if err := os.WriteFile(weights, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// nameTexts gives texts tokens of their own, in the place of the last ones of a tokenizer, and returns the first.
func nameTexts(t *testing.T, file string, texts []string) (first int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	model := all["model"].(map[string]any)
	vocab, merges := model["vocab"].(map[string]any), model["merges"].([]any)
	model["merges"] = merges[:len(merges)-len(texts)]
	first = len(vocab) - len(texts)
	maps.DeleteFunc(vocab, func(_ string, id any) bool { return int(id.(float64)) >= first })
	for i, text := range texts {
		vocab[strings.ReplaceAll(text, " ", "\u0120")] = first + i // as tokens spell a space
	}
	if data, err = json.Marshal(all); err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return first
}
