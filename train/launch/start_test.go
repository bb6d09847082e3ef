package launch

import (
	"os"
	"strings"
	"testing"
)

// TestStartIsDocumented: what is printed for each kind stands in the documentation, word by word.
func TestStartIsDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	l := &Layout{Job: Job{Name: "magrpo-paper", Port: 8000}}
	for kind, file := range map[string]string{
		"compose": "on-one-machine/compose.yaml", "skypilot": "in-a-cloud/skyrl.sky.yaml", "kuberay": "on-kubernetes/cluster.yaml", "slurm": "in-a-queue/skyrl.sbatch",
		"process": "without-docker/skyrl.sh",
	} {
		lines := l.Start(kind, []string{file})
		if len(lines) != 2 {
			t.Errorf("%s: %q, want a command that starts it and one that leads there", kind, lines)
		}
		for _, line := range lines {
			if !strings.Contains(strings.ReplaceAll(string(docs), "`", ""), strings.ReplaceAll(strings.TrimPrefix(line, "# "), "`", "")) {
				t.Errorf("%s: docs/cluster.md has no %q", kind, line)
			}
		}
	}
	l.Job.Frozen = []Frozen{{Port: 8001}}
	got := strings.Join(l.Start("skypilot", []string{"skyrl.sky.yaml", "vllm-1.sky.yaml"}), "\n")
	if want := "sky launch -c magrpo-paper-vllm-1 vllm-1.sky.yaml --secret HF_TOKEN --secret VLLM_API_KEY\nssh -N -L 8001:127.0.0.1:8001 magrpo-paper-vllm-1"; !strings.Contains(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
