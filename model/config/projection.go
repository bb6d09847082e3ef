package config

import "strings"

// A Projection is one of the weight matrices of a layer. Adapters draw their first values from streams that these numbers name:
// they stay as they are.
type Projection int

const (
	QProj Projection = iota
	KProj
	VProj
	OProj
	GateProj
	UpProj
	DownProj
	QKVProj        // q, k and v in one
	GateUpProj     // gate and up in one
	NumProjections // how many there are
)

// modules are the names of the projections inside a layer, as Hugging Face has them.
var modules = [NumProjections]string{
	"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
	"mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "self_attn.qkv_proj", "mlp.gate_up_proj",
}

// Module is the name of the projection inside a layer: self_attn.q_proj.
func (p Projection) Module() string { return modules[p] }

// Target is the last part of the module's name, as targets of adapters have it: q_proj.
func (p Projection) Target() string { return modules[p][strings.IndexByte(modules[p], '.')+1:] }
