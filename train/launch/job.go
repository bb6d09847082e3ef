// Package launch writes the files that start a training cluster: SkyRL behind the Tinker protocol for what is trained, and vLLM for agents that
// speak behind servers of their own.
//
// [New] lays a [Job] out over GPUs: it chooses SkyRL's backend, splits the base, counts the memory, and refuses what cannot work, with numbers.
// The [Layout] says what was chosen, and [Layout.Files] are the files for one kind of machine room. [Write] puts them on disk and spares what is
// there. Nothing here asks a server or starts anything.
//
//	job.go       what is wanted
//	backend.go   which of SkyRL's backends trains a family
//	gpu.go       what is known of GPUs
//	layout.go    what goes where; memory.go counts what it takes
//	settings.go  what SkyRL is told
//	templates/   each file as it is written, with gaps; the scripts in it, and the versions that they install
//	server.go    what fills the gaps
//	files.go     files from templates; yaml.go quotes names for YAML, in which every one means itself
//	write.go     files on disk; the commands that start what the files say
//
// Names come from users: a base, an agent, a run. Each is quoted for all that reads it, inside out: the shell, Kubernetes or Compose, YAML. No file
// holds a secret; tokens come from the environment, and in Kubernetes from objects of kind Secret.
package launch

import (
	"errors"
	"fmt"
	"strings"

	"parley/model/config"
)

// A Job is what a cluster is for.
type Job struct {
	Name    string // of the recipe or the base; files and objects are called after it
	Base    string // what SkyRL loads: a name on the Hub, or a folder there
	Config  config.Config
	GPUs    int // of the training server, on each of its machines
	Nodes   int // machines of the training server; 0: one
	GPU     GPU
	Backend string // [JAX], [Megatron] or [FSDP]; empty: the first that trains the family

	TensorParallel int // GPUs that share one layer of the base; 0: chosen
	Policies       int // adapters that are trained, critics included
	Ranks          []int
	Critics        bool
	Length         int // tokens of the longest sequence
	Sequences      int // sampled at once; 0: as many as fit, up to [mostSequences]

	Port   int // of the training server
	Frozen []Frozen
	SkyRL  string // the commit or tag of SkyRL's source; empty: the one that templates/common names
}

// A Frozen is a model behind vLLM, for agents that are not trained.
type Frozen struct {
	Agents []string
	Model  string
	Port   int
	GPUs   int            // that share it
	Config *config.Config // nil: its shape is not known, and its memory is not counted
}

// check refuses what no layout can have.
func (j *Job) check() error {
	for _, name := range []string{j.Name, j.Base, j.SkyRL} {
		if strings.ContainsRune(name, 0) {
			return fmt.Errorf("the name %q has a zero byte, which no file can hold", name)
		}
	}
	switch {
	case j.Base == "":
		return errors.New("no base is named")
	case strings.HasPrefix(j.SkyRL, "-"):
		return fmt.Errorf("the commit or tag %q of SkyRL begins with a dash", j.SkyRL)
	case j.GPUs < 1 || j.GPUs > mostGPUs:
		return fmt.Errorf("%d GPUs: a machine has 1 to %d; several machines have more of them (Nodes)", j.GPUs, mostGPUs)
	case j.Nodes < 0 || j.Nodes > mostNodes:
		return fmt.Errorf("%d machines: expected 1 to %d", j.Nodes, mostNodes)
	case j.Policies < 1 || len(j.Ranks) == 0:
		return errors.New("nothing is trained, so there is nothing to start a training server for")
	case j.Length < 1 || j.Sequences < 0 || j.TensorParallel < 0:
		return fmt.Errorf("a length of %d, %d sequences and %d GPUs a layer: numbers must not be below 1", j.Length, j.Sequences, j.TensorParallel)
	case j.Length > j.Config.Context:
		return fmt.Errorf("sequences of %d tokens are longer than the context of %s, which is %d", j.Length, j.Base, j.Config.Context)
	}
	return j.checkFrozen()
}

// machines are those of the training server.
func (j *Job) machines() int { return max(1, j.Nodes) }

// total are the GPUs of the training server.
func (j *Job) total() int { return j.GPUs * j.machines() }

func (j *Job) checkFrozen() error {
	taken := map[int]string{j.Port: "the training server"}
	for _, f := range j.Frozen {
		if strings.ContainsRune(f.Model, 0) {
			return fmt.Errorf("the name %q has a zero byte, which no file can hold", f.Model)
		}
		if f.GPUs < 1 || f.GPUs > mostGPUs {
			return fmt.Errorf("%d GPUs for %s: the files are for one machine, which has 1 to %d", f.GPUs, f.Model, mostGPUs)
		}
		if other, is := taken[f.Port]; is {
			return fmt.Errorf("%s and %s both have port %d: give one of them another", other, f.Model, f.Port)
		}
		taken[f.Port] = f.Model
	}
	return nil
}

const (
	mostGPUs  = 8 // of one machine
	mostNodes = 16
)

// slug is a name that Kubernetes, SkyPilot, Slurm and Compose all take: small letters, digits and single dashes, a letter first.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	out := b.String()
	if out == "" || out[0] < 'a' {
		out = "team-" + out
	}
	return strings.Trim(out[:min(len(out), longestSlug)], "-")
}

// longestSlug leaves room for what KubeRay puts behind names of at most 63 letters.
const longestSlug = 40
