package launch

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"parley/model"
	"parley/model/config"
)

var update = flag.Bool("update", false, "write the golden files")

func shape(t *testing.T, name string) config.Config {
	t.Helper()
	text, _, err := model.Shape(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func gpu(t *testing.T, name string) GPU {
	t.Helper()
	g, err := FindGPU(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// job is a pair of policies of rank 16 over a base.
func job(t *testing.T, base, kind string, gpus int) Job {
	t.Helper()
	return Job{Name: "pair", Base: base, Config: shape(t, base), GPUs: gpus, GPU: gpu(t, kind), Policies: 2, Ranks: []int{16, 16}, Length: 2048, Port: 8000}
}

func laidOut(t *testing.T, j Job) *Layout {
	t.Helper()
	l, err := New(j)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestGolden: the files for several bases, kind by kind.
func TestGolden(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	withFrozen := job(t, "meta-llama/Meta-Llama-3-8B-Instruct", "A100-80GB", 4)
	judge := shape(t, "Qwen/Qwen3-4B")
	withFrozen.Frozen = []Frozen{{Agents: []string{"judge"}, Model: "Qwen/Qwen3-4B", Port: 8001, GPUs: 1, Config: &judge}}
	machines := job(t, "meta-llama/Meta-Llama-3-8B-Instruct", "L4", 2)
	machines.Nodes = 2
	for name, j := range map[string]Job{
		"two-machines": machines,
		"qwen3-1.7b":   job(t, "Qwen/Qwen3-1.7B", "L4", 1),
		"qwen2.5-7b":   job(t, "Qwen/Qwen2.5-7B-Instruct", "A100-80GB", 2),
		"llama-3-8b":   withFrozen,
	} {
		l := laidOut(t, j)
		for _, kind := range Kinds() {
			files, err := l.Files(kind)
			if (kind == "compose" || kind == "process") && j.Nodes > 1 {
				if err == nil || !strings.Contains(err.Error(), "one machine") {
					t.Errorf("%s for %d machines: %v", kind, j.Nodes, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				path := filepath.Join("testdata", name, kind, f.Name)
				if *update {
					if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(f.Text), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil || string(want) != f.Text {
					t.Errorf("%s is another (%v); go test ./train/launch -update writes it:\n%s", path, err, f.Text)
				}
			}
		}
	}
}

// TestRefused: what cannot work is refused with what stands against it.
func TestRefused(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	qwen3 := func(change func(*Job)) Job {
		j := job(t, "Qwen/Qwen3-1.7B", "H100", 4)
		change(&j)
		return j
	}
	for want, j := range map[string]Job{
		"no backend of SkyRL trains a team over microsoft/Phi-3-mini-128k-instruct, whose family is phi3": job(t, "microsoft/Phi-3-mini-128k-instruct", "H100", 2),
		"jax: it has Llama and Qwen3":                                withBackend(job(t, "Qwen/Qwen2.5-7B-Instruct", "H100", 2), "jax"),
		"fsdp: SkyRL's FSDP backend holds one":                       qwen3(func(j *Job) { j.Backend = "fsdp" }),
		"there is no backend \"torch\"":                              qwen3(func(j *Job) { j.Backend = "torch" }),
		"needs 2 GPUs at least":                                      withBackend(job(t, "Qwen/Qwen2.5-7B-Instruct", "H100", 1), ""),
		"all adapters must have one rank":                            qwen3(func(j *Job) { j.Backend, j.Ranks = "megatron", []int{8, 16} }),
		"it scores only tokens that come next":                       qwen3(func(j *Job) { j.Backend, j.Critics = "megatron", true }),
		"3 GPUs cannot share a layer":                                qwen3(func(j *Job) { j.TensorParallel = 3 }),
		"16 GPUs are to share a layer, but there are 4 on a machine": qwen3(func(j *Job) { j.TensorParallel = 16 }),
		"9 GPUs: a machine has 1 to 8":                               qwen3(func(j *Job) { j.GPUs = 9 }),
		"17 machines: expected 1 to 16":                              qwen3(func(j *Job) { j.Nodes = 17 }),
		"several machines are for the backend jax":                   qwen3(func(j *Job) { j.Backend, j.Nodes = "megatron", 2 }),
		"longer than the context of Qwen/Qwen3-1.7B":                 qwen3(func(j *Job) { j.Length = 1 << 20 }),
		"GPUs of type T4 have no bfloat16":                           qwen3(func(j *Job) { j.GPU = gpu(t, "T4") }),
		"a zero byte":                                                qwen3(func(j *Job) { j.Base = "a\x00b" }),
		"both have port 8000":                                        qwen3(func(j *Job) { j.Frozen = []Frozen{{Model: "m", Port: 8000, GPUs: 1}} }),
		"begins with a dash":                                         qwen3(func(j *Job) { j.SkyRL = "--upload-pack=x" }),
	} {
		if _, err := New(j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func withBackend(j Job, name string) Job {
	j.Backend = name
	return j
}

// TestTooLarge: 8 billion parameters in bfloat16 are 15 GiB, which one L4 of 22.5 has no room beside for a long sequence's keys and values; the
// refusal says how many would do, and so many do.
func TestTooLarge(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	j := job(t, "meta-llama/Meta-Llama-3-8B-Instruct", "L4", 1)
	j.Length = 8192
	_, err := New(j)
	if err == nil || !strings.Contains(err.Error(), "(base 15.0,") || !strings.Contains(err.Error(), "and it has 22.5: 2 of them would do") {
		t.Fatalf("%v", err)
	}
	j.GPUs = 2
	l := laidOut(t, j)
	for _, d := range l.Memory {
		if d.Total > d.Has {
			t.Errorf("%+v", d)
		}
	}
}

// TestFits: whatever is laid out keeps to the memory, and what is split divides.
func TestFits(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	bases := []config.Config{shape(t, "Qwen/Qwen3-1.7B"), shape(t, "Qwen/Qwen2.5-7B-Instruct"), shape(t, "meta-llama/Meta-Llama-3-8B-Instruct")}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(bases).Draw(t, "base")
		n := rapid.IntRange(1, 12).Draw(t, "policies")
		j := Job{
			Name: "x", Base: "b", Config: c, GPUs: rapid.IntRange(1, 8).Draw(t, "gpus"), GPU: rapid.SampledFrom(gpus).Draw(t, "gpu"), Policies: n,
			Ranks: []int{rapid.IntRange(1, 64).Draw(t, "rank")}, Length: rapid.IntRange(1, 8192).Draw(t, "length"), Port: 1,
			Sequences: rapid.IntRange(0, 64).Draw(t, "sequences"), TensorParallel: rapid.IntRange(0, 8).Draw(t, "split"),
		}
		l, err := New(j)
		if err != nil {
			return
		}
		for _, d := range l.Memory {
			if !(d.Total <= d.Has) || d.Base <= 0 {
				t.Fatalf("%+v", d)
			}
		}
		used := l.TensorParallel*l.DataParallel + l.SamplingGPUs
		if c.KVHeads%l.TensorParallel != 0 || used > j.GPUs || l.Slots < n+3 || j.Sequences > 0 && l.Sequences != j.Sequences {
			t.Fatalf("%+v of %+v", l, j)
		}
	})
}

// hostile are names that mean something to a shell, to YAML, to Compose and to Kubernetes.
var hostile = rapid.Custom(func(t *rapid.T) string {
	parts := []string{"it's", `"q"`, "\n", " ", "$HOME", "${HF_TOKEN}", "$(touch x)", "$$", "`id`", "é", "世", "\\", ": ", "#", "- ", "|", "\t", "\r", "\u2028", "\x1b", "😀", "END\n", "'", "{{.Name}}", "{{", "a"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(t, "parts"), "")
})

// TestHostileNames: through YAML, through Compose or Kubernetes, and through a real shell, a server is told the base's very name.
func TestHostileNames(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	small := job(t, "Qwen/Qwen3-1.7B", "H100", 1)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		j := small
		j.Base, j.Name = hostile.Draw(rt, "base"), hostile.Draw(rt, "name")
		j.Frozen = []Frozen{{Agents: []string{"a"}, Model: hostile.Draw(rt, "frozen"), Port: 8001, GPUs: 1}}
		l, err := New(j)
		if err != nil {
			rt.Fatal(err)
		}
		kind := rapid.SampledFrom(Kinds()).Draw(rt, "kind")
		files, err := l.Files(kind)
		if err != nil {
			rt.Fatal(err)
		}
		start, models := read(rt, kind, files)
		if base := told(rt, bash, dir, start); base != j.Base {
			rt.Fatalf("%s: SkyRL is told %q, want %q", kind, base, j.Base)
		}
		for _, m := range models {
			if m != j.Frozen[0].Model {
				rt.Fatalf("%s: vLLM is told %q, want %q", kind, m, j.Frozen[0].Model)
			}
		}
	})
}

// read returns the script that starts the training server, and vLLM's model as words of a command, as a machine room reads its files.
func read(t *rapid.T, kind string, files Files) (start string, models []string) {
	parse := func(text string, into any) {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	switch kind {
	case "slurm", "process":
		return files[0].Text, nil
	case "skypilot":
		var task struct{ Run string }
		parse(files[0].Text, &task)
		return task.Run, nil
	case "compose":
		var c struct {
			Services map[string]struct{ Entrypoint, Command []string }
		}
		parse(files[0].Text, &c)
		one := func(s string) string { return strings.ReplaceAll(s, "$$", "$") }
		return one(c.Services["skyrl"].Entrypoint[2]), []string{one(c.Services["vllm-1"].Command[0])}
	}
	for _, part := range strings.Split(files[0].Text, "\n---\n") {
		var o struct {
			Kind string
			Spec struct {
				Entrypoint string
				Template   struct {
					Spec struct{ Containers []struct{ Args []string } }
				}
			}
		}
		parse(part, &o)
		switch o.Kind {
		case "RayJob":
			start = o.Spec.Entrypoint
		case "Deployment":
			models = append(models, strings.ReplaceAll(o.Spec.Template.Spec.Containers[0].Args[1], "$$", "$"))
		}
	}
	return start, models
}

// told runs the end of a script with a program in Python's place, and returns the base that it is told.
func told(t *rapid.T, bash, dir, text string) string {
	if err := os.MkdirAll(filepath.Join(dir, "skyrl", "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "skyrl", "bin", "python"), []byte("#!/bin/sh\nprintf %s \"$2\" >told\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if at := strings.LastIndex(text, "set -euo pipefail"); !strings.HasPrefix(text, "bash -c") {
		text = text[at:]
	}
	for _, line := range strings.Split(text, "\n") {
		if folder, is := strings.CutPrefix(line, "cd "); is {
			text = strings.Replace(text, "\ncd "+folder+"\n", "\ncd '"+dir+"'\n", 1)
			if strings.HasPrefix(text, "bash -c") {
				text = strings.Replace(text, "\ncd '"+dir+"'\n", "\ncd "+dir+"\n", 1)
			}
			break
		}
	}
	cmd := exec.Command(bash, "-c", text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, text)
	}
	data, err := os.ReadFile(filepath.Join(dir, "told"))
	if err != nil {
		t.Fatal(err)
	}
	var s settings
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return s.Base
}

// TestWrite: what is there stays, unless it is to go.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	files := Files{{"a", "1"}, {"b", "2"}}
	paths, err := Write(dir, files, false)
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	files[1].Text = "3"
	if _, err := Write(dir, files, false); err == nil || !strings.Contains(err.Error(), paths[1]) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(paths[0]); err == nil {
		t.Error("one file was written though another was in the way")
	}
	if _, err := Write(dir, files, true); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(paths[1]); err != nil || string(got) != "3" {
		t.Error(string(got), err)
	}
}

// TestNoSecrets: tokens of the environment of whoever writes are in no file.
func TestNoSecrets(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_TOKEN", "hf_secret")
	t.Setenv("VLLM_API_KEY", "vllm_secret")
	j := job(t, "Qwen/Qwen3-1.7B", "H100", 1)
	j.Frozen = []Frozen{{Model: "m", Port: 8001, GPUs: 1}}
	l := laidOut(t, j)
	for _, kind := range Kinds() {
		files, err := l.Files(kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.Contains(f.Text, "_secret") {
				t.Errorf("%s:\n%s", f.Name, f.Text)
			}
		}
	}
}

// TestSlug: names of objects are such as Kubernetes takes.
func TestSlug(t *testing.T) {
	for name, want := range map[string]string{"Qwen/Qwen3-1.7B": "qwen-qwen3-1-7b", "": "team", "8b": "team-8b", "é--": "team", "a_b": "a-b", strings.Repeat("x", 100): strings.Repeat("x", 40)} {
		if got := slug(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestSeveralMachines: a base that fits on no machine of 8 GPUs is refused with how many machines would do, and is split over so many.
func TestSeveralMachines(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	j := job(t, "meta-llama/Meta-Llama-3-8B-Instruct", "L4", 8)
	j.Policies, j.Ranks = 1, []int{1}
	j.Config.Layers *= 10
	_, err := New(j)
	if err == nil || !strings.Contains(err.Error(), "16 of them on 2 machines would do") {
		t.Fatalf("%v", err)
	}
	j.Nodes = 2
	l := laidOut(t, j)
	if d := l.Memory[0]; l.TensorParallel*l.DataParallel != 16 || !d.fits() || l.TensorParallel > 8 {
		t.Errorf("%+v", l)
	}
	text, err := l.Settings()
	if err != nil || !strings.Contains(text, `"num_processes":2`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestGPUMemory: the memory of a GPU is a number that GPUs can have.
func TestGPUMemory(t *testing.T) {
	for _, gib := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), -1, 1e9} {
		for _, name := range []string{"H100", "mine"} {
			if _, err := FindGPU(name, gib); err == nil || !strings.Contains(err.Error(), "expected a number above 0") {
				t.Errorf("%s with %g GiB: %v", name, gib, err)
			}
		}
	}
	if g, err := FindGPU("mine", 12.5); err != nil || g.GiB != 12.5 {
		t.Errorf("%+v, %v", g, err)
	}
}
