package launch

import "fmt"

// slurm is a batch script for the training server, and one for each frozen model. They listen on loopback of their node: ssh leads there.
func (l *Layout) slurm() (Files, error) {
	name := slug(l.Job.Name)
	at := home(name)
	at.part = onSlurm
	start, err := l.start(at)
	if err != nil {
		return nil, err
	}
	files := Files{{"skyrl.sbatch", batch(name, l.Job.machines(), l.Job.GPUs, l.Job.Port) + l.install(at) + l.step(start)}}
	for i, f := range l.Job.Frozen {
		own := fmt.Sprintf("%s-vllm-%d", name, i+1)
		at := home(own)
		files = append(files, File{fmt.Sprintf("vllm-%d.sbatch", i+1), batch(own, 1, f.GPUs, f.Port) + installVLLM(at) + l.startVLLM(at, f)})
	}
	return files, nil
}

// batch is the head of a batch script.
func batch(name string, nodes, gpus, port int) string {
	return fmt.Sprintf(`#!/bin/bash
#SBATCH --job-name=%[1]s
#SBATCH --nodes=%[7]d
#SBATCH --ntasks=%[7]d
#SBATCH --cpus-per-task=%[2]d
#SBATCH --gpus-per-node=%[3]d
#SBATCH --mem=%[4]dG
#SBATCH --time=24:00:00
#SBATCH --output=%%x-%%j.log
# %[5]s
echo "from where parley runs: ssh -N -L %[6]d:127.0.0.1:%[6]d $(hostname)"
`, name, 8*gpus, gpus, 64*gpus, madeBy, port, nodes)
}
