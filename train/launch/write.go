package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/usererror"
)

// A TakenError names files that are there already.
type TakenError struct{ Names []string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s: there already, and nothing was written", strings.Join(e.Names, ", "))
}

// Write puts files into a folder, which it makes. It spares what is there: unless replace is set, one file with another text is an error, and
// nothing is written. It returns where they are.
func Write(dir string, files Files, replace bool) ([]string, error) {
	var paths, taken []string
	same := map[string]bool{}
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		paths = append(paths, path)
		if text, err := os.ReadFile(path); err == nil && string(text) != f.Text {
			taken = append(taken, path)
		} else if err == nil {
			same[path] = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("write files of a cluster: %w", err)
		}
	}
	if len(taken) > 0 && !replace {
		return nil, &TakenError{slices.Compact(taken)}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("write files of a cluster: %w", err)
	}
	for i, f := range files {
		if same[paths[i]] {
			continue
		}
		if err := writeFile(paths[i], f.Text, replace); err != nil {
			return nil, fmt.Errorf("write files of a cluster: %w", err)
		}
	}
	return paths, nil
}

// writeFile writes a file. Unless replace is set, it is an error if the file exists, also if it was made in the
// meantime.
func writeFile(path, text string, replace bool) error {
	if replace {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// A Command is how one of the files starts, and how what it has started ends.
type Command struct {
	Start []string
	Alone []string // further words where nobody answers questions or waits
	Stop  []string // nil: it is a process of this machine, and ends with it
	// Lead leads its port to this machine, as a line for the shell. A line that begins with # is said and not run.
	Lead string
	Port int
}

// Commands are those of the files of a kind, in their order.
func (l *Layout) Commands(kind string, files []string) (out []Command) {
	name := slug(l.Job.Name)
	ports := []int{l.Job.Port}
	for _, f := range l.Job.Frozen {
		ports = append(ports, f.Port)
	}
	for i, file := range files {
		c := Command{Port: ports[min(i, len(ports)-1)]}
		own := name
		if i > 0 {
			own = fmt.Sprintf("%s-vllm-%d", name, i)
		}
		switch kind {
		case "skypilot":
			c.Start, c.Alone, c.Stop = []string{"sky", "launch", "-c", own, file, "--secret", "HF_TOKEN"}, []string{"--yes", "--detach-run"}, []string{"sky", "down", "--yes", own}
			if i > 0 {
				c.Start = append(c.Start, "--secret", "VLLM_API_KEY")
			}
			c.Lead = fmt.Sprintf("ssh -N -L %[1]d:127.0.0.1:%[1]d %[2]s", c.Port, own)
		case "kuberay":
			c.Start, c.Stop = []string{"kubectl", "apply", "-f", file}, []string{"kubectl", "delete", "-f", file}
			c.Lead = fmt.Sprintf("kubectl port-forward $(kubectl get pod -l ray.io/node-type=head -o name) %[1]d:%[1]d", c.Port)
		case "slurm":
			c.Start, c.Stop, c.Lead = []string{"sbatch", file}, []string{"scancel", "--me", "--name", own}, "# the log says the ssh command"
		case "compose":
			c.Start, c.Alone, c.Stop = []string{"docker", "compose", "-f", file, "up"}, []string{"--detach"}, []string{"docker", "compose", "-f", file, "down"}
			c.Lead = "# it is on this machine's loopback already"
		case "process":
			c.Start, c.Lead = []string{"bash", file}, "# it is on this machine's loopback already"
		}
		out = append(out, c)
	}
	return out
}

// Start is what starts the files of a kind and leads the ports of their servers to this machine, as lines for the shell.
func (l *Layout) Start(kind string, files []string) (lines []string) {
	for _, c := range l.Commands(kind, files) {
		lines = append(lines, usererror.Quote(c.Start...), c.Lead)
	}
	return lines
}
