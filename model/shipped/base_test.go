package shipped_test

import (
	"io/fs"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model/shipped"
	"parley/model/tokenizer"
	"parley/model/weights"
	"parley/task"
	"parley/task/sums"
)

// Size limits of the repository: the models must stay small files in git.
func TestSize(t *testing.T) {
	for _, name := range shipped.Names() {
		t.Run(name, func(t *testing.T) { sizeOf(t, name) })
	}
}

func sizeOf(t *testing.T, model string) {
	const most = 4 << 20
	total := int64(0)
	err := fs.WalkDir(shipped.FS(model), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > most || total < 100_000 {
		t.Errorf("the model has %d bytes, want 100 kB to 4 MB", total)
	}
}

func TestFilesOfTheLayout(t *testing.T) {
	for _, model := range shipped.Names() {
		for _, name := range []string{"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md"} {
			if _, err := fs.Stat(shipped.FS(model), name); err != nil {
				t.Error(err)
			}
		}
	}
	if shipped.FS("parley") != nil {
		t.Error("a model ships that has no name")
	}
}

// open returns the model as recipes use it.
func open(t *testing.T) (*native.Engine, *tokenizer.Tokenizer) {
	t.Helper()
	src, err := weights.OpenFS(shipped.FS(shipped.Sums), ".")
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(src, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	file, err := fs.ReadFile(shipped.FS(shipped.Sums), "tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return e, tok
}

// ask samples one answer to each prompt.
func ask(t *testing.T, e *native.Engine, tok *tokenizer.Tokenizer, temperature float64, questions []string) []string {
	t.Helper()
	end, ok := tok.ID("<|end|>")
	if !ok {
		t.Fatal("the tokenizer lacks <|end|>")
	}
	reqs := make([]engine.SampleRequest, len(questions))
	for i, q := range questions {
		prompt := "<|user|>Question: " + q + "\nSolve step by step. Answer: \\boxed{XX}<|end|><|assistant|>"
		ids, err := tok.Encode(prompt, false)
		if err != nil {
			t.Fatal(err)
		}
		reqs[i] = engine.SampleRequest{Prompt: ids, Sampling: engine.Sampling{Temperature: temperature}, MaxTokens: 64, Stop: []int{end}, Seed: uint64(i)}
	}
	samples, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(samples))
	for i, s := range samples {
		if s.Stop != engine.StopEOS {
			t.Errorf("question %q: the answer does not end", questions[i])
		}
		texts[i] = tok.Decode(s.Tokens, false)
	}
	return texts
}

// At its best the model works step by step, in its format, and stops.
func TestAnswers(t *testing.T) {
	e, tok := open(t)
	got := ask(t, e, tok, 0, []string{"Ana has 23 pens. She buys 14 and loses 5. How many pens are left?"})[0]
	if want := "23+14=37\n37-5=32\nAnswer: \\boxed{32}"; got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
}

// At temperature 0.7 it is right on 40 to 60 % of the held-out problems: a signal to learn from, and room to gain.
func TestRoomToGain(t *testing.T) {
	e, tok := open(t)
	s, err := sums.New(sums.Options{})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := s.Problems(task.Test, 400)
	if err != nil {
		t.Fatal(err)
	}
	questions := make([]string, len(problems))
	for i, p := range problems {
		questions[i] = p.Question
	}
	right, readable := 0.0, 0.0
	for i, text := range ask(t, e, tok, 0.7, questions) {
		answer, ok := s.Answer(text)
		if ok {
			readable++
		}
		if answer == problems[i].Truth {
			right++
		}
	}
	n := float64(len(problems))
	if right/n < 0.40 || right/n > 0.60 {
		t.Errorf("right on %.3f of the problems, want 0.40 to 0.60", right/n)
	}
	if readable/n < 0.98 {
		t.Errorf("readable answers to %.3f of the problems", readable/n)
	}
}
