package launch

import (
	"errors"
	"fmt"

	"parley/internal/shell"
)

// Bases that outgrow one machine are split over several by the JAX backend: the first runs the server, and a process on each other one computes what
// it is sent. They find each other at a port of the first, which asks for no key: it belongs into a network of their own.
const meetingPort = 7777

// meets is what the launcher does with its settings where processes meet; nothing on one machine.
func (l *Layout) meets() string {
	if l.Job.machines() == 1 {
		return ""
	}
	return "settings[\"backend_config\"][\"coordinator_address\"] = os.environ[\"COORDINATOR\"]\n"
}

// joins are the lines by which each machine learns its part, and all but the first become workers. p.part sets RANK and COORDINATOR.
func (l *Layout) joins(p place) string {
	if l.Job.machines() == 1 {
		return ""
	}
	return fmt.Sprintf(`%s[ "$RANK" = 0 ] || exec %s --process-id "$RANK"
`, p.part, l.worker())
}

// worker is the command of a process on another machine, but for its number.
func (l *Layout) worker() string {
	return fmt.Sprintf(`skyrl/bin/python -m skyrl.backends.jax --coordinator-address "$COORDINATOR" --num-processes %d`, l.Job.machines())
}

// onSkyPilot and onSlurm are how machines learn their parts there. The job of Slurm exports COORDINATOR, see [step]. Their first line is taken by sed, which
// reads to the end: head leaves before that, and then pipefail may end the script.
var (
	onSkyPilot = fmt.Sprintf(`RANK="$SKYPILOT_NODE_RANK"
COORDINATOR="$(echo "$SKYPILOT_NODE_IPS" | sed -n 1p):%d"
export COORDINATOR
`, meetingPort)
	onSlurm = `RANK="$SLURM_PROCID"
`
)

// step starts a script on all machines of a job of Slurm.
func (l *Layout) step(start string) string {
	if l.Job.machines() == 1 {
		return start
	}
	return fmt.Sprintf(`COORDINATOR="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p):%d"
export COORDINATOR
exec srun --kill-on-bad-exit=1 bash -c %s
`, meetingPort, shell.Quote(start))
}

// onRay starts the workers as tasks of Ray: each needs all GPUs of a machine, and the server has those of the first.
func (l *Layout) onRay() string {
	return fmt.Sprintf(`COORDINATOR="$(hostname -i):%d"
export COORDINATOR
cat >workers.py <<'END'
import subprocess
import sys

import ray


@ray.remote(num_gpus=%d, max_retries=0)
def work(folder, command, rank):
    subprocess.run([*command, "--process-id", str(rank)], cwd=folder, check=True)


ray.init()
ray.get([work.remote(sys.argv[1], sys.argv[2:], rank) for rank in range(1, %d)])
END
python workers.py "$PWD" %s &
RANK=0
`, meetingPort, l.Job.GPUs, l.Job.machines(), l.worker())
}

// onFirst is the resource of Ray that the first machine alone has, so that the server runs where its files and its port are.
const onFirst = "first"

// workers are the other machines of a Ray cluster. What they install and load stays on their own disks.
func (l *Layout) workers(install, container mapping) mapping {
	pod := mapping{
		{"initContainers", list{install}},
		{"containers", list{container}},
		{"securityContext", mapping{{"fsGroup", 100}}},
		{"volumes", list{mapping{{"name", "files"}, {"emptyDir", mapping{}}}, sharedMemory()}},
	}
	others := l.Job.machines() - 1
	return mapping{
		{"groupName", "others"},
		{"replicas", others},
		{"minReplicas", others},
		{"maxReplicas", others},
		{"rayStartParams", mapping{}},
		{"template", mapping{{"spec", pod}}},
	}
}

// errOneMachine is why Compose has no files for several machines.
var errOneMachine = errors.New("the files of compose are for one machine: write skypilot, kuberay or slurm")
