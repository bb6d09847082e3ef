package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/model/shipped"
	"parley/task/sums"
)

// makeTiny runs the command with -tiny and returns the files that it wrote.
func makeTiny(t *testing.T, out string, args ...string) map[string]string {
	t.Helper()
	var log bytes.Buffer
	if err := run(t.Context(), append([]string{"-tiny", "-out", out}, args...), &log, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	files := map[string]string{}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(out, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(data)
	}
	return files
}

// The same seed makes the same bytes, another seed other weights, and nothing is left beside the model.
func TestSameSeedSameBytes(t *testing.T) {
	dir := t.TempDir()
	first, again := makeTiny(t, filepath.Join(dir, "a")), makeTiny(t, filepath.Join(dir, "b"))
	if len(first) != 6 || len(again) != len(first) {
		t.Fatalf("%d and %d files", len(first), len(again))
	}
	for name, data := range first {
		if again[name] != data {
			t.Errorf("%s differs", name)
		}
	}
	if other := makeTiny(t, filepath.Join(dir, "a"), "-seed", "2"); other["model.safetensors"] == first["model.safetensors"] {
		t.Error("seed 2 makes the weights of seed 1")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// The cards that ship are those that the command writes.
func TestShippedCards(t *testing.T) {
	for _, name := range shipped.Names() {
		b, err := baseOf(name)
		if err != nil {
			t.Fatal(err)
		}
		readme, err := fs.ReadFile(shipped.FS(b.name), "README.md")
		if err != nil || !bytes.Equal(readme, b.card) {
			t.Errorf("%s/README.md is not the card: copy it, or make the model again (%v)", b.out, err)
		}
	}
}

func TestMeasure(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	makeTiny(t, dir)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-measure", "-out", dir, "-problems", "3"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "right 0."); n != 6 {
		t.Errorf("%d lines of accuracy, want 6:\n%s", n, out.String())
	}
	out.Reset()
	makeTiny(t, dir, "-base", shipped.Games)
	if err := run(t.Context(), []string{"-measure", "-base", shipped.Games, "-out", dir, "-problems", "3"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\nbase: "); n != 4 {
		t.Errorf("%d lines on the base, want 5:\n%s", n+1, out.String())
	}
	out.Reset()
	makeTiny(t, dir, "-base", shipped.Cards)
	if err := run(t.Context(), []string{"-measure", "-base", shipped.Cards, "-out", dir, "-problems", "2"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), ": legal 0."); n != 3 {
		t.Errorf("%d games, want 3:\n%s", n, out.String())
	}
	if err := run(t.Context(), []string{"-base", "none"}, &out, &out); err == nil || !strings.Contains(err.Error(), "parley-games") {
		t.Errorf("an unknown base: %v", err)
	}
}

func TestCorpusFlag(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-corpus", "3"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	var spans []span
	if err := json.Unmarshal([]byte(lines[0]), &spans); err != nil || len(spans) == 0 {
		t.Errorf("%v: %s", err, lines[0])
	}
}

func TestWayOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := sums.Sum{Start: 28, Steps: []sums.Step{{Op: '+', N: 15}, {Op: '-', N: 9}}}
	for want, text := range map[string]string{
		"careful": careful(rng, s).text, "brisk": brisk(rng, s).text, "I guess": guess("I guess ")(rng, s).text,
		"Same": keep(rng, s, brisk(rng, s), nil).text, "Check": recheck(rng, s, solution{}, nil).text,
		"Altogether": explain(rng, s).text, "other": "",
	} {
		if got := wayOf(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// The rate warms up to the peak and falls to a hundredth of it.
func TestRate(t *testing.T) {
	p := plan{updates: 100, warmup: 10, peak: 1}
	for u, want := range map[int]float64{0: 0.1, 9: 1, 10: 1, 55: 0.505} {
		if got := p.rate(u); math.Abs(got-want) > 1e-9 {
			t.Errorf("update %d: %g, want %g", u, got, want)
		}
	}
	if last := p.rate(99); last < 0.01 || last > 0.02 {
		t.Errorf("last rate %g", last)
	}
}
