package launch

import (
	"fmt"
	"slices"
)

// A Layout is a job over its GPUs. Its sizes are estimated.
type Layout struct {
	Job Job `json:"-"`

	Backend        string     `json:"backend"`
	TensorParallel int        `json:"tensor_parallel"` // of training
	DataParallel   int        `json:"data_parallel"`   // of training; the JAX backend splits the base over it too
	SamplingGPUs   int        `json:"sampling_gpus"`   // GPUs that sample and do not train; 0: all do both
	Slots          int        `json:"adapter_slots"`
	Rank           int        `json:"rank"`
	MicroBatch     int        `json:"micro_batch"` // sequences of one pass of training
	Sequences      int        `json:"sequences"`   // sampled at once
	Memory         []DeviceGB `json:"memory"`      // estimated, of a GPU of each sort
}

// A DeviceGB is what one GPU of a sort holds, in GiB. One that trains and samples does so in turn: of passes and keys and values, the total has the
// larger.
type DeviceGB struct {
	Role     string  `json:"role"`
	Base     float64 `json:"base_gib"`
	Adapters float64 `json:"adapters_gib"`
	Passes   float64 `json:"passes_gib"` // activations and logits
	Cache    float64 `json:"keys_and_values_gib"`
	Reserve  float64 `json:"reserve_gib"`
	Total    float64 `json:"total_gib"`
	Has      float64 `json:"has_gib"` // memory of the GPU
}

func (d *DeviceGB) add() { d.Total = d.Base + d.Adapters + d.Passes + d.Cache + d.Reserve }

func (d *DeviceGB) fits() bool { return d.Total <= d.Has }

const (
	mostSequences  = 256
	fewSequences   = 8
	mostMicroBatch = 8
)

// New lays a job out, or says why it cannot be done.
func New(j Job) (*Layout, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	b, err := j.choose()
	if err != nil {
		return nil, err
	}
	if j.GPU.Old {
		return nil, fmt.Errorf("GPUs of type %s have no bfloat16, in which bases are trained: take one that is newer, such as L4", j.GPU.Name)
	}
	if err := j.checkHeads(j.TensorParallel); err != nil {
		return nil, err
	}
	l := &Layout{Job: j, Backend: b.name, Rank: slices.Max(j.Ranks), Slots: slots(j.Policies)}
	for _, tp := range j.splits() {
		if l.place(tp); l.fits() {
			return l, l.checkFrozen()
		}
	}
	return nil, l.tooLarge()
}

// slots are adapters at once: those of the policies, twice, since a session that broke off keeps its own for minutes; the base's own, one that
// scores for it, and one that measures the server.
func slots(policies int) int { return max(8, 2*policies+3) }

// checkHeads refuses to split a layer where its heads do not divide.
func (j *Job) checkHeads(tp int) error {
	c := j.Config
	switch {
	case tp == 0:
		return nil
	case tp > j.GPUs:
		return fmt.Errorf("%d GPUs are to share a layer, but there are %d on a machine", tp, j.GPUs)
	case tp > c.KVHeads || c.KVHeads%tp != 0 || c.Heads%tp != 0:
		return fmt.Errorf("%d GPUs cannot share a layer of %s: it has %d heads for queries and %d for keys, and both must divide by the GPUs", tp, j.Base, c.Heads, c.KVHeads)
	case j.GPUs%tp != 0:
		return fmt.Errorf("%d GPUs cannot be divided into groups of %d that share a layer", j.GPUs, tp)
	}
	return nil
}

// splits are the numbers of GPUs that may share a layer, the smallest first.
func (j *Job) splits() (out []int) {
	if j.TensorParallel > 0 {
		return []int{j.TensorParallel}
	}
	for tp := 1; tp <= j.GPUs; tp *= 2 {
		if j.checkHeads(tp) == nil {
			out = append(out, tp)
		}
	}
	return out
}

// place puts the job on its GPUs with so many that share a layer, and takes the greatest numbers of sequences that fit.
func (l *Layout) place(tp int) {
	l.TensorParallel, l.SamplingGPUs, l.DataParallel = tp, 0, l.Job.total()/tp
	if l.Backend == Megatron {
		train := max(tp, l.Job.GPUs/2/tp*tp)
		l.SamplingGPUs = l.Job.GPUs - train
		l.DataParallel = train / tp
	}
	sequences := l.Job.Sequences
	l.Sequences = sequences
	if sequences == 0 {
		l.Sequences = mostSequences
	}
	for l.MicroBatch = mostMicroBatch; ; {
		l.Memory = l.count()
		switch {
		case l.fits():
			return
		case l.MicroBatch > 1 && !l.Memory[0].fits() && l.Memory[0].Passes > l.Memory[0].Cache:
			l.MicroBatch /= 2
		case sequences == 0 && l.Sequences > fewSequences:
			l.Sequences /= 2
		case l.MicroBatch > 1:
			l.MicroBatch /= 2
		default:
			return
		}
	}
}

func (l *Layout) fits() bool {
	if l.Backend == Megatron && l.SamplingGPUs < l.TensorParallel {
		return false
	}
	for i := range l.Memory {
		if !l.Memory[i].fits() {
			return false
		}
	}
	return true
}

// tooLarge says what is missing, and how many GPUs would do.
func (l *Layout) tooLarge() error {
	j := l.Job
	worst := slices.MaxFunc(l.Memory, func(a, b DeviceGB) int { return int(a.Total/a.Has*1000) - int(b.Total/b.Has*1000) })
	more := ""
	for n := 2 * j.GPUs; n <= mostGPUs && more == ""; n *= 2 {
		k := j
		k.GPUs, k.Frozen = n, nil
		if _, err := New(k); err == nil {
			more = fmt.Sprintf("%d of them would do; or ", n)
		}
	}
	for n := 2 * j.machines(); l.Backend == JAX && n <= mostNodes && more == ""; n *= 2 {
		k := j
		k.GPUs, k.Nodes, k.Frozen = mostGPUs, n, nil
		if _, err := New(k); err == nil {
			more = fmt.Sprintf("%d of them on %d machines would do; or ", k.total(), n)
		}
	}
	return fmt.Errorf("%s does not fit on %d × %s: a GPU that %s would need about %.1f GiB (base %.1f, adapters %.1f, passes %.1f, keys and values of %d sequences of %d tokens %.1f, reserve %.1f), and it has %.1f: %stake larger GPUs, shorter sequences or fewer at once",
		j.Base, j.total(), j.GPU.Name, worst.Role, worst.Total, worst.Base, worst.Adapters, worst.Passes, l.Sequences, j.Length, worst.Cache, worst.Reserve, worst.Has, more)
}

// checkFrozen refuses frozen models that do not fit, as far as their shapes are known.
func (l *Layout) checkFrozen() error {
	for _, f := range l.Job.Frozen {
		if f.Config == nil {
			continue
		}
		if f.Config.KVHeads%f.GPUs != 0 || f.Config.Heads%f.GPUs != 0 {
			return fmt.Errorf("%d GPUs cannot share a layer of %s: it has %d heads for queries and %d for keys, and both must divide by the GPUs", f.GPUs, f.Model, f.Config.Heads, f.Config.KVHeads)
		}
		d := serving(f.Config, f.GPUs, l.Job.GPU, l.Job.Length, fewSequences)
		if !d.fits() {
			return fmt.Errorf("%s does not fit on %d × %s: a GPU would need about %.1f GiB (base %.1f, keys and values of %d sequences of %d tokens %.1f, reserve %.1f), and it has %.1f: give it more GPUs",
				f.Model, f.GPUs, l.Job.GPU.Name, d.Total, d.Base, fewSequences, l.Job.Length, d.Cache, d.Reserve, d.Has)
		}
	}
	return nil
}
