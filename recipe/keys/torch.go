package keys

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/recipe/schema"
)

// Torch is a process of Python that samples and trains in the embedded engine's place, over the same bases: on a GPU, above all.
type Torch struct {
	Device  string  `yaml:"device" default:""`
	Devices Devices `yaml:"devices" default:"1"`
	Python  string  `yaml:"python" names:"interpreter" reach:"runs" default:""`
	DType   string  `yaml:"dtype" default:"auto" oneof:"auto bf16 f32 f16 nf4"`
	Sampler string  `yaml:"sampler" default:"torch" oneof:"torch vllm"`
	Memory  float64 `yaml:"memory" default:"0.9" min:"0.01" max:"1"`
	Timeout float64 `yaml:"timeout" default:"600" min:"1"`
}

// Devices are so many of one kind, or devices by name.
type Devices struct {
	N     int
	Named []string // N of them, or none
}

// mostDevices is more than a machine has.
const mostDevices = 64

// Kind implements [schema.Tree].
func (*Devices) Kind() string { return "whole number, or list of devices" }

// Read implements [schema.Tree].
func (d *Devices) Read(n schema.Node) {
	const hint = "write devices: 2, or devices: [cuda:0, cuda:2]"
	*d = Devices{}
	if number, ok := n.Int(); ok {
		d.N = number
	} else if items, ok := n.Items(); ok {
		for _, item := range items {
			name, ok := item.Text()
			if !ok {
				item.Expect("the name of a device", hint)
			}
			d.Named = append(d.Named, name)
		}
		d.N = len(items)
	} else {
		n.Expect("a whole number, or a list of devices", hint)
		return
	}
	if d.N < 1 || d.N > mostDevices {
		n.Fail(fmt.Sprintf("%s has %d devices, expected 1 to %d", n.Path, d.N, mostDevices), hint)
	}
}

// Write implements [schema.Tree].
func (d *Devices) Write(string) string {
	if len(d.Named) == 0 {
		return fmt.Sprintf(" %d", d.N)
	}
	return " " + schema.FlowList(d.Named)
}

// AutoDevice is the word for the best kind of device that there is.
const AutoDevice = "auto"

// device is the form of names.
var device = regexp.MustCompile(`^(cpu|mps|(cuda|xpu)(:[0-9]{1,3})?)$`)

// Each lists the devices of several workers, one each; nil: there is one worker.
func (t Torch) Each() []string {
	if len(t.Devices.Named) > 0 || t.Devices.N < 2 {
		return t.Devices.Named
	}
	out := slices.Repeat([]string{t.Device}, t.Devices.N)
	for i := range out {
		if t.Device == "cuda" || t.Device == "xpu" {
			out[i] += ":" + strconv.Itoa(i)
		}
	}
	return out
}

// Elsewhere names the engine that computes in the embedded one's place for agents that do not say otherwise: tinker or torch; empty: none does.
func (e Engine) Elsewhere() string {
	switch {
	case e.Tinker.URL != "":
		return "tinker"
	case e.Torch.Device != "":
		return "torch"
	}
	return ""
}

// TorchFault says what does not go together; empty: nothing.
func (e Engine) TorchFault() string {
	t := e.Torch
	const known = "auto, cuda, cuda:0, xpu, mps or cpu"
	for _, name := range append(t.Devices.Named, t.Device) {
		if name != "" && name != AutoDevice && !device.MatchString(name) {
			return fmt.Sprintf("engine.torch has the device %q, expected %s", name, known)
		}
	}
	several := t.Devices.N > 1 && len(t.Devices.Named) == 0
	switch {
	case t.Device == "":
		return ""
	case e.Tinker.URL != "":
		return "engine.torch.device and engine.tinker.url are both set, but one engine computes in the embedded one's place: leave one of them out"
	case slices.Contains(t.Devices.Named, AutoDevice):
		return "engine.torch.devices has auto, expected names such as cuda:0"
	case several && t.Device != "cuda" && t.Device != "xpu" && t.Device != "cpu":
		return fmt.Sprintf("engine.torch.devices is %d, but engine.torch.device is %s: write cuda or xpu, whose first %d are then taken, or name the devices", t.Devices.N, t.Device, t.Devices.N)
	case t.DType == "nf4" && !strings.HasPrefix(t.Device, "cuda") && t.Device != AutoDevice:
		return fmt.Sprintf("engine.torch.dtype is nf4, which needs CUDA, but engine.torch.device is %s: write bf16 or f32", t.Device)
	}
	return ""
}
