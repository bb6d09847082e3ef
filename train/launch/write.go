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

// Write puts files into a folder, which it makes. It spares what is there: unless replace is set, one file in the way is an error, and nothing is
// written. It returns where they are.
func Write(dir string, files Files, replace bool) ([]string, error) {
	var paths, taken []string
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		paths = append(paths, path)
		if _, err := os.Lstat(path); err == nil {
			taken = append(taken, path)
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

// Start is the commands that start what the files of a kind say, and that lead the ports of the servers to this machine where they listen elsewhere. files are
// those that were written, in their order. Lines that begin with # are said and not run.
func (l *Layout) Start(kind string, files []string) (lines []string) {
	q, name := usererror.Quote, slug(l.Job.Name)
	ports := []int{l.Job.Port}
	for _, f := range l.Job.Frozen {
		ports = append(ports, f.Port)
	}
	for i, file := range files {
		switch kind {
		case "skypilot":
			own, secrets := name, []string{"--secret", "HF_TOKEN"}
			if i > 0 {
				own, secrets = fmt.Sprintf("%s-vllm-%d", name, i), append(secrets, "--secret", "VLLM_API_KEY")
			}
			lines = append(lines, q(append([]string{"sky", "launch", "-c", own, file}, secrets...)...), fmt.Sprintf("ssh -N -L %[1]d:127.0.0.1:%[1]d %[2]s", ports[min(i, len(ports)-1)], own))
		case "kuberay":
			lines = append(lines, q("kubectl", "apply", "-f", file), fmt.Sprintf("kubectl port-forward $(kubectl get pod -l ray.io/node-type=head -o name) %[1]d:%[1]d", l.Job.Port))
		case "slurm":
			lines = append(lines, q("sbatch", file), "# the log says the ssh command")
		case "compose":
			lines = append(lines, q("docker", "compose", "-f", file, "up"), "# it is on this machine's loopback already")
		}
	}
	return lines
}
