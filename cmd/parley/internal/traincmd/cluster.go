package traincmd

// The verb cluster: files that start a training cluster, and what starts and stops it.
//
//	cluster.go   flags, and what is printed
//	job.go       what a recipe needs of a cluster
//	start.go     servers are started, waited for and measured, and stopped again

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/usererror"
	"parley/model"
	"parley/train/launch"
)

// Cluster is the verb cluster.
type Cluster struct {
	Write writeCmd `cmd:"" help:"Write the files that start a training cluster for a recipe."`
	Start startCmd `cmd:"" help:"Write the files, start what they say, and wait until the server can be measured."`
	Stop  stopCmd  `cmd:"" help:"Stop what cluster start has started."`
}

type writeCmd struct {
	Kind   string `arg:"" enum:"skypilot,kuberay,slurm,compose,process" help:"For what: skypilot (machines of a cloud), kuberay (Kubernetes), slurm (a cluster with a queue), compose (one machine with Docker) or process (this machine without Docker)."`
	Recipe string `arg:"" optional:"" help:"Name of a shipped recipe, or a recipe file. Default: ${default_recipe}."`
	serverFlags
	JSON bool `name:"json" help:"Print one JSON object: the files, and how the base is laid out."`
}

// serverFlags say where files go, and what the servers are.
type serverFlags struct {
	Out            string   `placeholder:"DIR" default:"cluster" help:"Folder of the files."`
	Replace        bool     `help:"Write over files that are there."`
	Set            []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable."`
	Base           string   `placeholder:"MODEL" help:"The base: a name on the Hugging Face Hub, or a folder on the cluster. Default: the recipe's engine.tinker.model, or else its model."`
	GPUs           int      `name:"gpus" default:"1" placeholder:"N" help:"GPUs of the training server, on each of its machines."`
	Nodes          int      `default:"1" placeholder:"N" help:"Machines of the training server, for bases that outgrow one. The backend is jax then."`
	GPUType        string   `name:"gpu-type" default:"H100" placeholder:"NAME" help:"Kind of GPU, as SkyPilot writes it."`
	GPUMemory      float64  `name:"gpu-memory" placeholder:"GIB" help:"Memory of a GPU, for kinds that parley does not know."`
	Backend        string   `enum:"auto,jax,megatron,fsdp" default:"auto" help:"SkyRL's backend: jax, megatron, or auto for the first that trains the base. fsdp trains no teams."`
	TensorParallel int      `name:"tensor-parallel" placeholder:"N" help:"GPUs that share each layer of the base. Default: as few as fit."`
	Length         int      `placeholder:"N" help:"Tokens of the longest sequence. Default: what the recipe can need."`
	Sequences      int      `placeholder:"N" help:"Sequences sampled at once. Default: as many as fit, up to 256."`
	Port           int      `default:"8000" placeholder:"N" help:"Port of the training server."`
	FrozenGPUs     int      `name:"frozen-gpus" default:"1" placeholder:"N" help:"GPUs of each vLLM server, for agents that are not trained and have a model of their own."`
	SkyRL          string   `name:"skyrl" placeholder:"REF" help:"Commit or tag of SkyRL's source, for megatron. Default: the one that the files were made for."`

	cli.Overlays
}

func (writeCmd) Help() string {
	return `Writes the files that start SkyRL's server of the Tinker protocol for the base of a recipe, and vLLM for agents that are not trained and have a model of their own: agents with an endpoint on this machine, and frozen ones with another model. Nothing is started, and no server is asked.

Memory is estimated. What cannot work is refused with numbers: a family that no backend trains, GPUs that are too small, layers that do not divide.

No file has a secret. HF_TOKEN and VLLM_API_KEY come from the environment; in Kubernetes from objects of kind Secret. SkyRL asks for no key, so it listens where only you get to it. docs/cluster.md says how.

Examples:

    parley cluster write compose mine.yaml --gpus 2 --gpu-type L4
    parley cluster write skypilot magrpo-paper --gpu-type A100-80GB --out cloud
    parley cluster write kuberay mine.yaml --base Qwen/Qwen2.5-7B-Instruct --gpus 4
    parley cluster write slurm mine.yaml --base /models/llama-70b --gpus 8 --nodes 2

Exit codes: 0 written; 1 the files cannot be written; 2 it cannot work, or files are in the way, and nothing was written.`
}

// A written is what --json prints.
type written struct {
	Kind   string         `json:"kind"`
	Files  []string       `json:"files"`
	Base   string         `json:"base"`
	GPU    string         `json:"gpu"`
	GPUs   int            `json:"gpus"`
	Nodes  int            `json:"nodes"`
	Layout *launch.Layout `json:"layout"`
	Sets   []string       `json:"set"` // what the recipe has to say
	Notes  []string       `json:"notes"`
}

func (c *writeCmd) Run(a *cli.App) error {
	w, err := c.write(a, c.Kind, c.Recipe)
	if err != nil {
		return err
	}
	return c.print(a, *w)
}

// write writes the files of a kind for a recipe.
func (c *serverFlags) write(a *cli.App, kind, recipe string) (*written, error) {
	r, err := a.LoadRecipe(recipe, c.Set, nil, c.Overlay...)
	if err != nil {
		return nil, err
	}
	job, notes, err := c.job(r, recipe)
	if err != nil {
		return nil, err
	}
	layout, err := launch.New(*job)
	if err != nil {
		return nil, cli.Usagef("%v", err)
	}
	files, err := layout.Files(kind)
	if err != nil {
		return nil, err
	}
	paths, err := launch.Write(c.Out, files, c.Replace)
	if _, ok := errors.AsType[*launch.TakenError](err); ok {
		return nil, cli.Usagef("%v; --replace writes over them, --out DIR writes elsewhere", err)
	}
	if err != nil {
		return nil, err
	}
	return &written{kind, paths, job.Base, job.GPU.Name, job.GPUs * job.Nodes, job.Nodes, layout, sets(r, layout), append([]string{}, notes...)}, nil
}

// print says what was written and what comes next.
func (c *writeCmd) print(a *cli.App, w written) error {
	if c.JSON {
		return a.PrintJSON(w)
	}
	l := w.Layout
	err := a.Table(func(out io.Writer) {
		for _, f := range w.Files {
			cli.Row(out, "file", f)
		}
		cli.Row(out, "server", fmt.Sprintf("SkyRL's %s backend over %s, %d × %s%s, %d of them to a layer", l.Backend, w.Base, w.GPUs, w.GPU, machines(w.Nodes), l.TensorParallel))
		cli.Row(out, "adapters", fmt.Sprintf("%d slots of rank %d", l.Slots, l.Rank))
		cli.Row(out, "at once", fmt.Sprintf("%d sequences of %d tokens are sampled, %d are trained on", l.Sequences, l.Job.Length, l.MicroBatch))
		for _, d := range l.Memory {
			cli.Row(out, "memory", fmt.Sprintf("estimated: a GPU that %s needs %.1f of %.1f GiB (base %.1f, adapters %.1f, passes %.1f, keys and values %.1f, reserve %.1f)",
				d.Role, d.Total, d.Has, d.Base, d.Adapters, d.Passes, d.Cache, d.Reserve))
		}
		for _, note := range w.Notes {
			cli.Row(out, "note", note)
		}
	})
	if err != nil {
		return err
	}
	return a.PrintText("\n" + c.next(w))
}

func machines(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" on %d machines", n)
}

// next are the commands that start the server and the training.
func (c *writeCmd) next(w written) string {
	port := c.Port
	then := append([]string{fmt.Sprintf("parley doctor --engine http://127.0.0.1:%d", port)}, c.training(&w, c.Recipe)...)
	return fmt.Sprintf("Start it, and lead port %d of this machine to it (docs/cluster.md):\n\n    %s\n\nThen:\n\n    %s\n",
		port, strings.Join(w.Layout.Start(c.Kind, w.Files), "\n    "), strings.Join(then, "\n    "))
}

// training is how the training of a recipe begins, once its server is there.
func (c *serverFlags) training(w *written, recipe string) (then []string) {
	train := []string{"parley", "train"}
	if recipe != "" {
		train = append(train, recipe)
	}
	for _, set := range append(c.Set, w.Sets...) {
		train = append(train, "--set", set)
	}
	if _, here, err := model.Shape(w.Base); err == nil && !here { // its tokenizer and its template are read here
		then = append(then, usererror.Quote("parley", "model", "pull", w.Base))
	}
	return append(then, usererror.Quote(train...))
}
