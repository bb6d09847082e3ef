package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/cmd/parley/internal/cli"
	"parley/model/weights/safetensors"
)

// The lines of the verbs, as docs/models.md has them.
type (
	idsLine struct {
		IDs []int `json:"ids"`
	}
	scoring struct {
		Logprobs []*float32 `json:"logprobs"`
	}
	weighted struct {
		IDs     []int     `json:"ids"`
		Weights []float32 `json:"weights"`
	}
	tokenizing struct {
		Text *string `json:"text,omitempty"`
		IDs  *[]int  `json:"ids,omitempty"`
	}
	generated struct {
		Samples []struct {
			IDs      []int     `json:"ids"`
			Logprobs []float32 `json:"logprobs"`
			Text     *string   `json:"text,omitempty"`
			Stop     string    `json:"stop"`
		} `json:"samples"`
	}
)

// goldens holds tiny checkpoints and what the reference implementations compute with them.
const goldens = "../../engine/native/testdata/goldens"

// parley runs a command in this process, which must succeed, and decodes each line of its output into a T.
func parley[T any](t *testing.T, input string, args ...string) []T {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(input), &stdout, &stderr); code != 0 {
		t.Fatalf("parley %s: exit code %d: %s", strings.Join(args, " "), code, stderr.String())
	}
	var all []T
	for dec := json.NewDecoder(&stdout); dec.More(); {
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// jsonl is one JSON line for each value.
func jsonl[T any](t *testing.T, values []T) string {
	t.Helper()
	var b bytes.Buffer
	if err := cli.WriteLines(&b, values); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A packed golden is several sequences one after the other.
type packed struct {
	*testing.T
	*safetensors.File
}

func openPacked(t *testing.T, name string) packed {
	t.Helper()
	f, err := safetensors.Open(filepath.Join(goldens, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return packed{t, f}
}

func (p packed) array(name string) []float32 {
	x, err := p.Read(name)
	if err != nil {
		p.Fatal(err)
	}
	return x
}

// sequences calls f with the ids of each sequence and where it begins.
func (p packed) sequences(f func(at int, ids []int)) {
	all, cu := p.array("input_ids"), p.array("cu_seqlens")
	for i := 1; i < len(cu); i++ {
		var ids []int
		for _, id := range all[int(cu[i-1]):int(cu[i])] {
			ids = append(ids, int(id))
		}
		f(int(cu[i-1]), ids)
	}
}

// TestModelScore compares log-probabilities with the reference, for checkpoints without tokenizers.
func TestModelScore(t *testing.T) {
	for _, name := range []string{"llama2", "qwen2"} {
		g := openPacked(t, "forward/"+name+".safetensors")
		var lines []idsLine
		var want [][]float32
		g.sequences(func(at int, ids []int) {
			lines, want = append(lines, idsLine{IDs: ids}), append(want, g.array("logprob_f64")[at:at+len(ids)-1])
		})
		answers := parley[scoring](t, jsonl(t, lines), "model", "score", filepath.Join(goldens, "models", name))
		if len(answers) != len(lines) {
			t.Fatalf("%s: %d answers for %d lines", name, len(answers), len(lines))
		}
		for i, a := range answers {
			if len(a.Logprobs) != len(lines[i].IDs) || a.Logprobs[0] != nil {
				t.Fatalf("%s: line %d: %d log-probabilities for %d ids, or no null at first", name, i+1, len(a.Logprobs), len(lines[i].IDs))
			}
			for j, lp := range a.Logprobs[1:] {
				if d := math.Abs(float64(*lp - want[i][j])); d > 1e-4 {
					t.Errorf("%s: line %d: logprobs[%d] is off by %g", name, i+1, j+1, d)
				}
			}
		}
	}
}

// TestModelGrad compares loss and gradients with the reference.
func TestModelGrad(t *testing.T) {
	const dir = goldens + "/train/lora-llama3"
	g := openPacked(t, "train/lora-llama3/golden.safetensors")
	var lines []weighted
	g.sequences(func(at int, ids []int) {
		w := append([]float32{77}, g.array("weights")[at:at+len(ids)-1]...) // the first counts for nothing
		lines = append(lines, weighted{IDs: ids, Weights: w})
	})
	answers := parley[struct {
		Loss  float64
		Grads map[string][][]float32
	}](t, jsonl(t, lines), "model", "grad", goldens+"/models/llama3", "--adapter", dir)
	var golden struct {
		Losses []float64 `json:"loss_per_step"`
	}
	if data, err := os.ReadFile(dir + "/golden.json"); err != nil || json.Unmarshal(data, &golden) != nil {
		t.Fatal(err)
	}
	if len(answers) != 1 || math.Abs(answers[0].Loss-golden.Losses[0]) > 1e-2 {
		t.Fatalf("%d answers, loss %v, want %v", len(answers), answers[0].Loss, golden.Losses[0])
	}
	compared := 0
	for _, tensor := range g.Tensors() {
		if name, ok := strings.CutPrefix(tensor.Name, "grad."); ok {
			compared++
			checkGradient(t, name, answers[0].Grads[name], g.array(tensor.Name), tensor.Shape)
		}
	}
	if compared == 0 || compared != len(answers[0].Grads) {
		t.Errorf("%d gradients compared, %d answered", compared, len(answers[0].Grads))
	}
}

func checkGradient(t *testing.T, name string, got [][]float32, want []float32, shape []int) {
	t.Helper()
	if len(got) != shape[0] {
		t.Fatalf("%s: %d rows, want shape %v", name, len(got), shape)
	}
	largest, worst := 0.0, 0.0
	for i, row := range got {
		if len(row) != shape[1] {
			t.Fatalf("%s: row %d has %d values, want shape %v", name, i, len(row), shape)
		}
		for j, x := range row {
			w := float64(want[i*shape[1]+j])
			largest, worst = max(largest, math.Abs(w)), max(worst, math.Abs(float64(x)-w))
		}
	}
	if worst > 1e-4*largest {
		t.Errorf("%s is off by %g of its largest value", name, worst/largest)
	}
}

// TestModelGenerateGreedy compares greedy continuations with the reference.
func TestModelGenerateGreedy(t *testing.T) {
	var golden struct {
		Greedy []struct {
			Prompt    []int
			NewTokens []int `json:"new_tokens"`
		}
	}
	data, err := os.ReadFile(filepath.Join(goldens, "forward", "llama2.json"))
	if err != nil || json.Unmarshal(data, &golden) != nil || len(golden.Greedy) == 0 {
		t.Fatalf("%d prompts, %v", len(golden.Greedy), err)
	}
	var input strings.Builder
	for _, g := range golden.Greedy {
		ids, _ := json.Marshal(g.Prompt)
		fmt.Fprintf(&input, `{"ids":%s,"max_new_tokens":%d,"temperature":0,"ignore_eos":true}`+"\n", ids, len(g.NewTokens))
	}
	answers := parley[generated](t, input.String(), "model", "generate", goldens+"/models/llama2")
	for i, g := range golden.Greedy {
		s := answers[i].Samples
		if len(s) != 1 || !reflect.DeepEqual(s[0].IDs, g.NewTokens) || s[0].Stop != "length" || s[0].Text != nil {
			t.Errorf("prompt %v: %+v, want %v", g.Prompt, s, g.NewTokens)
		}
	}
}

const base = "parley-base"

// TestModelGenerateIsItsOwn checks that a sample is a function of its line and its place in n: neither other lines nor a larger
// n change it; and that seeds do.
func TestModelGenerateIsItsOwn(t *testing.T) {
	line := func(n, seed int) string {
		return fmt.Sprintf(`{"text":"Ana has","max_new_tokens":12,"temperature":3,"n":%d,"seed":%d}`, n, seed)
	}
	alone := parley[generated](t, line(3, 7), "model", "generate", base)[0].Samples
	among := parley[generated](t, line(1, 8)+"\n"+line(4, 7)+"\n", "model", "generate", base)
	if len(alone) != 3 || len(among) != 2 || len(among[1].Samples) != 4 {
		t.Fatalf("%d samples, %d answers", len(alone), len(among))
	}
	if !reflect.DeepEqual(alone, among[1].Samples[:3]) {
		t.Errorf("alone %+v, among others %+v", alone, among[1].Samples[:3])
	}
	if reflect.DeepEqual(alone[0], alone[1]) && reflect.DeepEqual(alone[1], alone[2]) {
		t.Error("all samples are the same")
	}
	if reflect.DeepEqual(alone[0], among[0].Samples[0]) {
		t.Error("another seed gives the same sample")
	}
}

// TestModelGenerateScores checks that `model score` gives the log-probabilities that tokens were drawn with, bit for bit.
func TestModelGenerateScores(t *testing.T) {
	prompt := parley[tokenizing](t, `{"text":"Tom has 7 apples."}`, "model", "tokenize", base)[0]
	ids, _ := json.Marshal(*prompt.IDs)
	sample := parley[generated](t, fmt.Sprintf(`{"ids":%s,"max_new_tokens":20,"seed":3}`, ids), "model", "generate", base)[0].Samples[0]
	whole := idsLine{IDs: append(*prompt.IDs, sample.IDs...)}
	scores := parley[scoring](t, jsonl(t, []idsLine{whole}), "model", "score", base)[0].Logprobs[len(*prompt.IDs):]
	if len(sample.IDs) == 0 || len(scores) != len(sample.IDs) {
		t.Fatalf("%d ids, %d scores", len(sample.IDs), len(scores))
	}
	for i, lp := range sample.Logprobs {
		if *scores[i] != lp {
			t.Errorf("token %d was drawn with %v and is scored with %v", i, lp, *scores[i])
		}
	}
}

// TestModelDType checks that each format changes scores, and by no more than such a format should.
func TestModelDType(t *testing.T) {
	const line = `{"ids":[1,2,3,4,5,6,7,8,9,10,11,12]}`
	dir := goldens + "/models/qwen2"
	exact := parley[scoring](t, line, "model", "score", dir)[0].Logprobs
	for dtype, most := range map[string]float64{"bf16": 0.5, "int8": 0.5, "nf4": 4} {
		worst := 0.0
		for i, lp := range parley[scoring](t, line, "model", "score", dir, "--dtype", dtype)[0].Logprobs[1:] {
			worst = max(worst, math.Abs(float64(*lp-*exact[i+1])))
		}
		if worst == 0 || worst > most {
			t.Errorf("%s: log-probabilities differ by %g, want above 0 and at most %g", dtype, worst, most)
		}
	}
}

// TestModelVerbMistakes checks exit code and message of what a user can get wrong, and that lines before it were answered.
func TestModelVerbMistakes(t *testing.T) {
	llama2 := goldens + "/models/llama2"
	for name, c := range map[string]struct {
		input, args string
		answered    int
		want        string
	}{
		"no JSON":          {"{\"ids\":[1]}\n\n{\"ids\":[1,\n{\"ids\":[2]}", "score " + llama2, 1, "input line 3: "},
		"no object":        {"[1]", "score " + llama2, 0, "one JSON object"},
		"two objects":      {`{"ids":[1]}{"ids":[1]}`, "score " + llama2, 0, "more after the JSON object"},
		"unknown field":    {`{"id":[1]}`, "score " + llama2, 0, `unknown field "id"`},
		"no ids":           {`{}`, "score " + llama2, 0, "at least one token"},
		"unknown id":       {`{"ids":[1,128]}`, "score " + llama2, 0, "ids[1] is 128"},
		"negative id":      {`{"ids":[-1]}`, "score " + llama2, 0, "ids[0] is -1"},
		"too long":         {`{"ids":[1` + strings.Repeat(",1", 4096) + `]}`, "score " + llama2, 0, "context"},
		"no weights":       {`{"ids":[1,2]}`, "grad " + goldens + "/models/llama3 --adapter " + goldens + "/train/lora-llama3", 0, "2 ids, but 0 weights"},
		"no adapter":       {`{"ids":[1,2]}`, "grad " + llama2, 0, "--adapter"},
		"alien adapter":    {"", "score " + llama2 + " --adapter " + goldens + "/train/lora-llama3", 0, "--adapter"},
		"no such adapter":  {"", "score " + llama2 + " --adapter nowhere", 0, "--adapter nowhere"},
		"dtype":            {"", "score " + llama2 + " --dtype fp8", 0, "--dtype"},
		"no tokenizer":     {`{"text":"a"}`, "generate " + llama2, 0, "no tokenizer"},
		"no template":      {`{"messages":[]}`, "generate " + llama2, 0, "no chat template"},
		"render without":   {`{"messages":[]}`, "render " + llama2, 0, "no chat template"},
		"tokenize without": {`{"text":"a"}`, "tokenize " + llama2, 0, "tokenizer.json"},
		"two prompts":      {`{"text":"a","ids":[1]}`, "generate " + llama2, 0, "one of"},
		"temperature":      {`{"ids":[1],"temperature":-1}`, "generate " + llama2, 0, "temperature"},
		"tiny temperature": {`{"ids":[1],"temperature":1e-60}`, "generate " + llama2, 0, "temperature"},
		"top_p":            {`{"ids":[1],"top_p":1.5}`, "generate " + llama2, 0, "top_p"},
		"top_k":            {`{"ids":[1],"top_k":-1}`, "generate " + llama2, 0, "top_k"},
		"n":                {`{"ids":[1],"n":0}`, "generate " + llama2, 0, "n is 0"},
		"both ways":        {`{"text":"a","ids":[1]}`, "tokenize " + base, 0, "either"},
		"no messages":      {`{"tools":[]}`, "render " + base, 0, "messages"},
		"messages":         {`{"messages":"Hi"}`, "render " + base, 0, "messages"},
		"no model":         {"", "score no-such-model", 0, "no model"},
		"no file":          {"", "score " + llama2 + " --in no-such-file", 0, "no-such-file"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := append([]string{"model"}, strings.Fields(c.args)...)
			if code := run(context.Background(), args, strings.NewReader(c.input), &stdout, &stderr); code != cli.ExitUsage {
				t.Errorf("exit code %d, want 2", code)
			}
			if !strings.Contains(stderr.String(), c.want) {
				t.Errorf("message %q, want %q", stderr.String(), c.want)
			}
			if n := strings.Count(stdout.String(), "\n"); n != c.answered {
				t.Errorf("%d lines were answered, want %d: %s", n, c.answered, stdout.String())
			}
		})
	}
}
