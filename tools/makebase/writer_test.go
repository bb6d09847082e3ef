package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/seed"
	"parley/model/shipped"
	"parley/task"
	"parley/task/blocks"
)

var update = flag.Bool("update", false, "write the made problems that tasks bring along again")

// madeFiles are the problems that tasks bring along, by their files, in the forms that their readers know.
func madeFiles(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for name, folder := range map[string]string{humanEval: "code", coopHumanEval: "code", mbpp: "code", classEval: classEval} {
		out[filepath.Join("..", "..", "task", folder, "data", name+"-made.jsonl.gz")] = madeSet(name)
	}
	post := func(rng *rand.Rand, i int) any {
		_, text := postOf(rng)
		return map[string]string{"id": fmt.Sprintf("made-%d", i), "prompt": "SUBREDDIT: r/advice\n\nTITLE: What now?\n\nPOST: " + text + "\n\nTL;DR:"}
	}
	abstract := func(rng *rand.Rand, i int) any {
		_, text := abstractOf(rng)
		return map[string]string{"article_id": fmt.Sprintf("made-%d", i), "abstract_text": text}
	}
	for name, draw := range map[string]func(*rand.Rand, int) any{"tldr": post, "arxiv": abstract} {
		for split, n := range map[string]int{"train": 160, "test": 60} {
			var file bytes.Buffer
			lines := json.NewEncoder(&file)
			for i := range n {
				if err := lines.Encode(draw(seed.Stream(seed.Derive(0, "made "+name+" "+split, i)), i+1)); err != nil {
					t.Fatal(err)
				}
			}
			out[filepath.Join("..", "..", "task", "textstats", "data", name+"-made-"+split+".jsonl.gz")] = file.Bytes()
		}
	}
	return out
}

// TestMadeProblems: the files that ship are those that the generators write.
func TestMadeProblems(t *testing.T) {
	for file, want := range madeFiles(t) {
		if *update {
			var packed bytes.Buffer
			w := must(gzip.NewWriterLevel(&packed, gzip.BestCompression))
			must(w.Write(want))
			if err := errors.Join(w.Close(), os.WriteFile(file, packed.Bytes(), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := os.Open(file)
		if err != nil {
			t.Fatalf("%v: make it with -update", err)
		}
		defer r.Close()
		if got, err := io.ReadAll(must(gzip.NewReader(r))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: make it with -update (%v)", file, err)
		}
	}
}

// held are the held-out problems of all four recipes.
func held() map[string]bool {
	out := map[string]bool{}
	for _, w := range allWritings() {
		for _, p := range must(w.task.Problems(task.Test, 1<<20)) {
			out[p.Question+p.Fields[blocks.FieldBlocks]] = true
		}
	}
	return out
}

// TestHeldOutWritingsNeverOccur: no document asks what is held out. Of houses the blocks count too, which stand behind the layers.
func TestHeldOutWritingsNeverOccur(t *testing.T) {
	asked := held()
	if len(asked) != 64+97+60+60 {
		t.Fatalf("%d problems are held out", len(asked))
	}
	w := houses()
	for _, p := range append(w.problems, drawings().problems...) {
		if asked[p.Question+p.Fields[blocks.FieldBlocks]] {
			t.Errorf("%s is held out and drawn from", p.ID)
		}
	}
	for i := range 3000 {
		rng := seed.Stream(seed.Derive(3, "held", i))
		_, post := postOf(rng)
		if _, abstract := abstractOf(rng); asked[post] || asked[abstract] {
			t.Errorf("%q or %q is held out", post, abstract)
		}
	}
}

// TestHabits: people of such habits earn from a tenth to six tenths of what can be earned, so that training has something to find.
func TestHabits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, w := range allWritings() {
		var problems []task.Problem
		var texts [][]string
		for range 500 {
			p, write := w.pose(rng)
			problems, texts = append(problems, p), append(texts, []string{write(rng, 0, sloppy), write(rng, 1, sloppy)})
		}
		mean, said, err := w.earned(t.Context(), problems, texts)
		if _, most := w.scorer.Range(); err != nil || mean < 0.1*most || mean > 0.6*most {
			t.Errorf("%s: %s, %v", w.task.Name(), said, err)
		}
	}
}

// TestGoodTeams: who divide the work well earn all that can be earned, so that it is the habits that cost.
func TestGoodTeams(t *testing.T) {
	for _, p := range must(drawings().task.Problems(task.Test, 20)) {
		d, texts := itemOf[blocks.Drawing](p), []string{"", ""}
		for agent := range texts {
			texts[agent] = setBlocks(d, choices[agent].way, agent, 2, 100)
		}
		if s, err := drawings().scorer.Score(t.Context(), p, texts); err != nil || s.Reward != 2 {
			t.Errorf("%s: %+v, %v", p.ID, s, err)
		}
	}
	for _, p := range must(houses().task.Problems(task.Test, 20)) {
		h := itemOf[blocks.House](p)
		x, z := len(h.Layers[0][0]), len(h.Layers[0])
		texts := []string{named(front(x, z), h), fight + "\n" + named(back(x, z), h)}
		if s, err := houses().scorer.Score(t.Context(), p, texts); err != nil || s.Reward != 1 {
			t.Errorf("%s: %+v, %v", p.ID, s, err)
		}
	}
}

// TestWriterBase: pairs over the base that ships earn from a tenth to six tenths of what can be earned.
func TestWriterBase(t *testing.T) {
	m, err := modelOf(shipped.FS(shipped.Writer))
	if err != nil {
		t.Fatal(err)
	}
	defer m.engine.Close()
	for _, w := range allWritings() {
		problems := must(w.task.Problems(task.Test, 40))
		texts, err := m.answers(t.Context(), w, problems, 1)
		if err != nil {
			t.Fatal(err)
		}
		mean, said, err := w.earned(t.Context(), problems, texts)
		if _, most := w.scorer.Range(); err != nil || mean < 0.1*most || mean > 0.6*most {
			t.Errorf("%s: %s, %v", w.task.Name(), said, err)
		}
	}
}
