package launch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Names of SkyRL's backends.
const (
	JAX      = "jax"
	Megatron = "megatron"
	FSDP     = "fsdp"
)

// A backend is one of SkyRL's ways to train.
type backend struct {
	name     string
	families []string // model_type of what it loads
	why      string   // it loads nothing else
}

// backends are those that can train a team, the better known one first.
var backends = []backend{
	{JAX, []string{"llama", "qwen3"}, "it has Llama and Qwen3"},
	{Megatron, []string{"llama", "mistral", "ministral", "qwen2", "qwen3", "gemma2", "gemma3_text"}, "it needs a bridge of Megatron-Bridge, which has Llama, Mistral, Qwen2, Qwen3 and Gemma"},
}

// noFSDP is why SkyRL's third backend trains no team.
const noFSDP = "SkyRL's FSDP backend holds one adapter at a time, and parley keeps more at once: its policies, and an untouched one that scores for the base"

// choose returns the backend of a job.
func (j *Job) choose() (backend, error) {
	family := j.Config.ModelType
	if j.Backend == FSDP {
		return backend{}, fmt.Errorf("backend fsdp: %s", noFSDP)
	}
	var reasons []string
	for _, b := range backends {
		if j.Backend != "" && j.Backend != b.name {
			continue
		}
		if slices.Contains(b.families, family) && (b.name != Megatron || j.Backend != "" || !j.Critics) {
			return b, j.suits(b)
		}
		why := b.why
		if slices.Contains(b.families, family) {
			why = noCritics
		}
		reasons = append(reasons, fmt.Sprintf("%s: %s", b.name, why))
	}
	if j.Backend != "" && len(reasons) == 0 {
		return backend{}, fmt.Errorf("there is no backend %q: write %s or %s", j.Backend, JAX, Megatron)
	}
	if j.Backend == "" {
		reasons = append(reasons, "fsdp: "+noFSDP)
	}
	return backend{}, fmt.Errorf("no backend of SkyRL trains a team over %s, whose family is %s:\n  %s\ntrain it on this machine (leave out engine.tinker), or on another server of the protocol, such as TuFT",
		j.Base, family, strings.Join(reasons, "\n  "))
}

const noCritics = "it scores only tokens that come next, and the recipe has critics, whose values need others"

// suits refuses what a backend cannot do with a family that it has.
func (j *Job) suits(b backend) error {
	if b.name != Megatron {
		return nil
	}
	if j.machines() > 1 {
		return errors.New("backend megatron: files are written for one machine; several machines are for the backend jax")
	}
	if j.Critics {
		return fmt.Errorf("backend megatron: %s; use an algorithm without critics", noCritics)
	}
	if low, high := slices.Min(j.Ranks), slices.Max(j.Ranks); low != high {
		return fmt.Errorf("backend megatron: all adapters must have one rank, and the recipe has %d and %d", low, high)
	}
	if j.GPUs < 2 {
		return fmt.Errorf("backend megatron needs 2 GPUs at least, one that trains and one that samples, and there is %d", j.GPUs)
	}
	return nil
}
