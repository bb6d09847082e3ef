// Package peft reads low-rank adapters in the layout of Hugging Face's peft, and adds them to the weights of their base.
//
// An adapter is a folder with adapter_config.json and adapter_model.safetensors. [Parse] reads the first into a [Config],
// which says by peft's own rules which modules are adapted ([Config.Adapts]) and with what rank and scale ([Config.Of]).
// [Open] opens the folder, [Adapter.Check] compares it with the modules of a model, and [Merge] gives the checkpoint that the
// adapted model is.
//
// peft knows many relatives of LoRA (Hu et al. 2021) and many ways to begin one. What computes plain low-rank products is
// read; everything else is refused by the name of its field, with what to do instead. Fields that no one here has heard of
// are refused too, unless they are empty: an adapter is never silently computed wrongly.
package peft

import "strings"

// The files of an adapter.
const (
	ConfigFile  = "adapter_config.json"
	WeightsFile = "adapter_model.safetensors"
	pickleFile  = "adapter_model.bin"
)

// prefix begins the names of an adapter's tensors.
const prefix = "base_model.model."

// A Module is a linear layer of a model, under its name in the checkpoint without ".weight".
type Module struct {
	Name    string
	Out, In int
}

// A and B name the tensors [rank, in] and [out, rank] of the module's adapter.
func (m Module) A() string { return prefix + m.Name + ".lora_A.weight" }

// B names the tensor [out, rank]; see [Module.A].
func (m Module) B() string { return prefix + m.Name + ".lora_B.weight" }

// target is the last part of the module's name.
func (m Module) target() string { return m.Name[strings.LastIndexByte(m.Name, '.')+1:] }

// targets lists the last parts of the modules' names, each once, in order.
func targets(modules []Module) []string {
	var names []string
	seen := map[string]bool{}
	for _, m := range modules {
		if t := m.target(); !seen[t] {
			seen[t] = true
			names = append(names, t)
		}
	}
	return names
}
