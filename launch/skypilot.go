package launch

import "fmt"

// home is where servers live on machines of their own.
func home(name string) place { return place{folder: `"$HOME/parley-` + name + `"`, host: "127.0.0.1"} }

// skypilot is a task for the training server, and one for each frozen model. They listen on loopback: ssh leads there.
func (l *Layout) skypilot() (Files, error) {
	name := slug(l.Job.Name)
	at := home(name)
	at.part = onSkyPilot
	start, err := l.start(at)
	if err != nil {
		return nil, err
	}
	files := Files{{"skyrl.sky.yaml", header("SkyRL for parley") + document(l.task(name, l.Job.machines(), l.Job.GPUs, l.install(at), start, nil))}}
	for i, f := range l.Job.Frozen {
		own := fmt.Sprintf("%s-vllm-%d", name, i+1)
		at := home(own)
		secrets := mapping{{"VLLM_API_KEY", nil}} // whoever launches has to say it
		files = append(files, File{fmt.Sprintf("vllm-%d.sky.yaml", i+1), header("vLLM for agents that are not trained") + document(l.task(own, 1, f.GPUs, installVLLM(at), l.startVLLM(at, f), secrets))})
	}
	return files, nil
}

func (l *Layout) task(name string, nodes, gpus int, setup, run string, secrets mapping) mapping {
	return mapping{
		{"name", name},
		{"resources", mapping{
			{"accelerators", fmt.Sprintf("%s:%d", l.Job.GPU.Name, gpus)},
			{"cpus", fmt.Sprintf("%d+", 8*gpus)},
			{"memory", fmt.Sprintf("%d+", 64*gpus)},
			{"disk_size", 256},
		}},
		{"num_nodes", nodes},
		{"secrets", append(mapping{{"HF_TOKEN", ""}}, secrets...)},
		{"setup", script(setup)},
		{"run", script(run)},
	}
}
