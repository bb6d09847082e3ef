package launch

import (
	"encoding/json"
	"fmt"
)

// A server is what templates know of one. Base, Source, settings, Model and GPU can be any text; the others are words that all readers take as they are,
// except that YAML takes some names, such as true, for no strings.
type server struct {
	Kind    string // of machine room
	Name    string // of its task, job or object
	Folder  string // of what it installs and writes, as the shell reads it
	Port    int
	Nodes   int // its machines
	GPU     string
	GPUs    int   // on each of them
	Devices []int // their numbers where all servers have one machine
	CPUs    int
	GiB     int

	Base          string // of SkyRL
	Backend       string
	Source        string // the commit or tag; empty: the one that the files were made for
	Settings      string // see [Layout.Settings]
	BackendConfig string
	Host          string // to listen on
	Others        int    // machines but the first
	Frozen        []*server

	Model  string // of vLLM
	Number int    // from 1
}

// server is the training server, with those of frozen models.
func (l *Layout) server(kind string) (*server, error) {
	next := 0 // GPU that no server has
	fresh := func(name string, port, nodes, gpus int) *server {
		s := &server{Kind: kind, Name: name, Folder: "/files", Port: port, Nodes: nodes, GPU: l.Job.GPU.Name, GPUs: gpus, CPUs: 8 * gpus, GiB: 64 * gpus}
		if kind == "skypilot" || kind == "slurm" || kind == "process" { // machines of their own, not containers
			s.Folder = `"$HOME/parley-` + name + `"`
		}
		for range gpus {
			s.Devices = append(s.Devices, next)
			next++
		}
		return s
	}
	nodes := l.Job.machines()
	s := fresh(slug(l.Job.Name), l.Job.Port, nodes, l.Job.GPUs)
	s.Base, s.Backend, s.Source, s.Host, s.Others = l.Job.Base, l.Backend, l.Job.SkyRL, "127.0.0.1", nodes-1
	if kind == "compose" { // whose port is on the machine's loopback
		s.Host = "0.0.0.0"
	}
	for i, f := range l.Job.Frozen {
		own := fresh(fmt.Sprintf("%s-vllm-%d", s.Name, i+1), f.Port, 1, f.GPUs)
		own.Model, own.Number = f.Model, i+1
		s.Frozen = append(s.Frozen, own)
	}
	config, err := json.Marshal(l.backendConfig())
	if err != nil {
		return nil, err
	}
	s.BackendConfig = string(config)
	s.Settings, err = l.Settings()
	return s, err
}
