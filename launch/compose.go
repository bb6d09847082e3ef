package launch

import (
	"fmt"
	"strings"
)

// image has uv, Ray and CUDA.
func (l *Layout) image() string {
	image := "novaskyai/skyrl-train-ray-" + rayVersion + "-py3.12-cu13.0"
	if l.Backend == Megatron {
		image += "-megatron"
	}
	return image
}

// compose is a file with a service for each server. Their ports are on this machine's loopback alone.
func (l *Layout) compose() (Files, error) {
	if l.Job.machines() > 1 {
		return nil, errOneMachine
	}
	name := slug(l.Job.Name)
	at := place{folder: "/files", host: "0.0.0.0"} // of the container
	start, err := l.start(at)
	if err != nil {
		return nil, err
	}
	training := mapping{
		{"image", l.image()},
		{"user", "root"},
		{"entrypoint", list{"bash", "-c", script(interpolated(l.install(at) + start))}},
		{"environment", mapping{{"HF_TOKEN", "${HF_TOKEN:-}"}, {"HF_HOME", "/models"}, {"HOME", "/root"}}},
		{"ports", list{fmt.Sprintf("127.0.0.1:%[1]d:%[1]d", l.Job.Port)}},
		{"volumes", list{"skyrl:/files", "models:/models"}},
		{"shm_size", "16gb"},
		{"deploy", devices(0, l.Job.GPUs)},
	}
	services := mapping{{"skyrl", training}}
	next := l.Job.GPUs
	for i, f := range l.Job.Frozen {
		var command list
		for _, word := range append([]string{f.Model}, l.vllmFlags(f, "0.0.0.0")...) {
			command = append(command, interpolated(word))
		}
		services = append(services, field{fmt.Sprintf("vllm-%d", i+1), mapping{
			{"image", "vllm/vllm-openai:v" + VLLMVersion},
			{"command", command},
			{"environment", mapping{{"HF_TOKEN", "${HF_TOKEN:-}"}, {"VLLM_API_KEY", "${VLLM_API_KEY:?a key of your own for vLLM}"}, {"HF_HOME", "/models"}}},
			{"ports", list{fmt.Sprintf("127.0.0.1:%[1]d:%[1]d", f.Port)}},
			{"volumes", list{"models:/models"}},
			{"shm_size", "16gb"},
			{"deploy", devices(next, f.GPUs)},
		}})
		next += f.GPUs
	}
	file := mapping{{"name", name}, {"services", services}, {"volumes", mapping{{"skyrl", mapping{}}, {"models", mapping{}}}}}
	return Files{{"compose.yaml", header("SkyRL for parley, and vLLM for agents that are not trained") + document(file)}}, nil
}

// interpolated writes a text that Compose puts no variables into.
func interpolated(text string) string { return strings.ReplaceAll(text, "$", "$$") }

// devices reserves GPUs by their numbers, so that no two services have one.
func devices(first, n int) mapping {
	var ids list
	for i := range n {
		ids = append(ids, fmt.Sprint(first+i))
	}
	return mapping{{"resources", mapping{{"reservations", mapping{{"devices", list{
		mapping{{"driver", "nvidia"}, {"device_ids", ids}, {"capabilities", list{"gpu"}}},
	}}}}}}}
}
