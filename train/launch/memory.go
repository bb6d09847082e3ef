package launch

import "parley/model/config"

const (
	gib       = 1 << 30
	half      = 2.0 // bytes of a bfloat16
	full      = 4.0 // bytes of a float32
	lossChunk = 1024
)

// count estimates what GPUs hold.
func (l *Layout) count() []DeviceGB {
	if l.Backend == Megatron {
		return []DeviceGB{l.megatron(), serving(&l.Job.Config, l.TensorParallel, l.Job.GPU, l.Job.Length, l.Sequences)}
	}
	return []DeviceGB{l.jax()}
}

// jax is a GPU of the JAX backend, which trains and samples. The base is split over all of them. Each optimizer has moments of every adapter there
// is, so adapters take slots times models.
func (l *Layout) jax() DeviceGB {
	j, c := &l.Job, &l.Job.Config
	all := float64(l.TensorParallel * l.DataParallel)
	adapter := half * float64(c.AdapterParameters(l.Rank, nil)) * float64(l.Slots)
	tokens := float64(l.MicroBatch * j.Length)
	train := tokens*layerBytes(c) + lossChunk*float64(c.Vocab)*3*full
	each := float64(l.Sequences) / float64(l.DataParallel)
	d := DeviceGB{
		Role:     "trains and samples",
		Base:     half * float64(c.Parameters()) / all / gib,
		Adapters: adapter * float64(2+2*j.Policies) / gib,
		Passes:   train / gib,
		Cache:    (each*float64(j.Length)*cacheBytes(c)/float64(l.TensorParallel) + each*float64(c.Vocab)*2*full) / gib,
		Reserve:  1.5 + 0.05*j.GPU.GiB,
		Has:      j.GPU.GiB,
	}
	if d.add(); d.Passes < d.Cache { // it trains or samples, one after the other
		d.Total -= d.Passes
	} else {
		d.Total -= d.Cache
	}
	return d
}

// megatron is a GPU of the Megatron backend that trains. One adapter at a time is there, and those that wait are in the computer's memory.
func (l *Layout) megatron() DeviceGB {
	j, c := &l.Job, &l.Job.Config
	tp := float64(l.TensorParallel)
	tokens := float64(l.MicroBatch * j.Length)
	d := DeviceGB{
		Role:     "trains",
		Base:     half * float64(c.Parameters()) / tp / gib,
		Adapters: float64(c.AdapterParameters(l.Rank, nil)) * (half + 4*full) / gib,
		Passes:   (tokens*layerBytes(c)/tp + tokens*float64(c.Vocab)*2*full/tp) / gib,
		Reserve:  2.5 + 0.05*j.GPU.GiB,
		Has:      j.GPU.GiB,
	}
	d.add()
	return d
}

// serving is a GPU of vLLM, of which so many share a base.
func serving(c *config.Config, tp int, g GPU, length, sequences int) DeviceGB {
	d := DeviceGB{
		Role:    "samples",
		Base:    half * float64(c.Parameters()) / float64(tp) / gib,
		Cache:   float64(sequences*length) * cacheBytes(c) / float64(tp) / gib,
		Reserve: 2 + 0.15*g.GiB, // vLLM leaves what is above its share, and captures graphs
		Has:     g.GiB,
	}
	d.add()
	return d
}

// cacheBytes are the keys and values of one token.
func cacheBytes(c *config.Config) float64 { return float64(2*c.Layers*c.KeyWidth()) * half }

// layerBytes is what training keeps of one token where layers are computed again on the way back: what goes into each, and all of one of them.
func layerBytes(c *config.Config) float64 {
	one := 8*c.Hidden + 4*c.Intermediate + 4*(c.QueryWidth()+c.KeyWidth())
	return float64(c.Layers*c.Hidden)*half + float64(one)*(half+full)
}
