package launch

import (
	"fmt"

	"parley/internal/usererror"
)

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
