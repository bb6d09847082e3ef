package traincmd

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"

	"parley/cmd/parley/internal/cli"
	"parley/model"
	"parley/model/config"
	"parley/model/shipped"
	"parley/recipe"
	"parley/rl/learn"
	"parley/train/estimate"
	"parley/train/launch"
	"parley/train/plan"
)

// job is what a recipe needs of a cluster, and what there is to say about it.
func (c *serverFlags) job(r *recipe.Recipe, name string) (*launch.Job, []string, error) {
	if err := plan.Trains(r, name); err != nil {
		return nil, nil, err
	}
	base := cmp.Or(c.Base, r.Engine.Tinker.Model, trainedBase(r))
	if shipped.FS(base) != nil {
		return nil, nil, cli.Usagef("%s ships in parley, and a cluster has none of it: write --base MODEL, with a name on the Hugging Face Hub or a folder on the cluster", base)
	}
	shape, err := shapeOf(base)
	if err != nil && base != trainedBase(r) && c.Base == "" { // the server's own name for the recipe's model
		shape, err = shapeOf(trainedBase(r))
	}
	if err != nil {
		return nil, nil, cli.Usagef("the shape of %s is not known here (%v): pull it, or write --base with the name on the Hub", base, err)
	}
	if c.Nodes < 1 {
		return nil, nil, cli.Usagef("--nodes %d: there is one machine at least", c.Nodes)
	}
	if c.Length < 0 || c.Sequences < 0 || c.TensorParallel < 0 || !validPort(c.Port) {
		return nil, nil, cli.Usagef("--length %d, --sequences %d, --tensor-parallel %d and --port %d must not be negative, and a port is at most 65535", c.Length, c.Sequences, c.TensorParallel, c.Port)
	}
	gpu, err := launch.FindGPU(c.GPUType, c.GPUMemory)
	if err != nil {
		return nil, nil, cli.Usagef("%v (--gpu-memory)", err)
	}
	j := &launch.Job{
		Name: r.Name, Base: base, Config: *shape, GPUs: c.GPUs, Nodes: c.Nodes, GPU: gpu, TensorParallel: c.TensorParallel, Sequences: c.Sequences,
		Length: cmp.Or(c.Length, estimate.Longest(r, shape.Context)), Port: c.Port, SkyRL: c.SkyRL,
	}
	if c.Backend != "auto" {
		j.Backend = c.Backend
	}
	for _, p := range plan.Policies(r, r.Sharing(), r.Team.Turns) {
		j.Policies++
		j.Ranks = append(j.Ranks, p.Spec.Rank)
		j.Critics = j.Critics || p.Spec.ValueHead
	}
	notes := c.frozen(j, r)
	if r.Critics() == learn.CriticsOnPolicies {
		notes = append(notes, "servers have no critics on policies: the recipe needs critic.head: separate")
	}
	return j, notes, nil
}

// trainedBase is the base of the agents that are trained.
func trainedBase(r *recipe.Recipe) string { return r.Bases()[r.Soloist()] }

func shapeOf(name string) (*config.Config, error) {
	text, _, err := model.Shape(name)
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(text)
	return &c, err
}

func validPort(n int) bool { return n > 0 && n < 1<<16 }

// frozen adds the servers of agents that are not trained and have a model of their own.
func (c *serverFlags) frozen(j *launch.Job, r *recipe.Recipe) (notes []string) {
	trained, port := trainedBase(r), c.Port+1
	add := func(name, agent string, at int) int {
		for i, f := range j.Frozen {
			if f.Model == name && (at == 0 || f.Port == at) {
				j.Frozen[i].Agents = append(f.Agents, agent)
				return f.Port
			}
		}
		if at == 0 {
			for at = port; slices.ContainsFunc(j.Frozen, func(f launch.Frozen) bool { return f.Port == at }); at++ {
			}
		}
		f := launch.Frozen{Agents: []string{agent}, Model: name, Port: at, GPUs: c.FrozenGPUs}
		f.Config, _ = shapeOf(name) // unknown: its memory is not counted
		if f.Config == nil {
			notes = append(notes, fmt.Sprintf("the shape of %s is not known here: whether it fits was not looked at", name))
		}
		j.Frozen = append(j.Frozen, f)
		return at
	}
	for agent := range r.Seats() {
		own := plan.Agent(r, agent)
		name := cmp.Or(own.Name, fmt.Sprintf("agent %d", agent+1))
		switch e := own.Endpoint; {
		case e.URL != "":
			if at, here := loopback(e.URL); here {
				add(e.Model, name, at)
			} else {
				notes = append(notes, fmt.Sprintf("%s speaks behind %s, which is elsewhere: no file is written for it", name, e.URL))
			}
		case own.Speaker() == "" && r.Policies.IsFrozen(agent) && r.Bases()[agent] != trained:
			at := add(r.Bases()[agent], name, 0)
			notes = append(notes, fmt.Sprintf("%s has a base of its own, and a training server has one: give it endpoint: {url: \"http://127.0.0.1:%d/v1\", model: %q, token_env: VLLM_API_KEY} in the place of its model",
				name, at, r.Bases()[agent]))
		}
	}
	return notes
}

// loopback says whether an address is one of this machine, and its port.
func loopback(address string) (port int, is bool) {
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" {
		return 0, false
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return 0, false
	}
	port, err = strconv.Atoi(u.Port())
	return port, err == nil
}

// sets are the keys that a recipe has to have for the server, where it has other values.
func sets(r *recipe.Recipe, l *launch.Layout) (out []string) {
	want := func(is bool, set string) {
		if !is {
			out = append(out, set)
		}
	}
	t := r.Engine.Tinker
	address := fmt.Sprintf("http://127.0.0.1:%d", l.Job.Port)
	want(t.URL == address, "engine.tinker.url="+address)
	want(t.Model == l.Job.Base, "engine.tinker.model="+l.Job.Base)
	want(trainedBase(r) == l.Job.Base || t.Model == l.Job.Base, "model="+l.Job.Base)
	want(r.Sampling.Temperature == 1, "sampling.temperature=1")
	want(r.Sampling.TopK == 0, "sampling.top_k=0")
	want(r.Sampling.TopP == 1, "sampling.top_p=1")
	want(r.Sampling.MinTokens == 0, "sampling.min_tokens=0")
	want(r.Eval.Temperature == 0 || r.Eval.Temperature == 1, "eval.temperature=1")
	want(r.Policies.Alpha == skyrlAlpha, fmt.Sprintf("policies.alpha=%g", float64(skyrlAlpha)))
	if l.Job.Policies > 1 {
		want(r.Optimizer.WeightDecay == 0, "optimizer.weight_decay=0")
	}
	want(r.Optimizer.ClipNorm == 0, "optimizer.clip_norm=0")
	return out
}

// skyrlAlpha is that of SkyRL's adapters.
const skyrlAlpha = 32
