package launch

import (
	"fmt"
	"strings"

	"parley/internal/shell"
)

// kuberay is a Ray cluster of one pod with the GPUs, the job that starts the training server on it, the disk of its checkpoints, and a deployment
// with a service for each frozen model. The training server listens on the pod's loopback: kubectl port-forward leads there.
func (l *Layout) kuberay() (Files, error) {
	name := slug(l.Job.Name)
	at := place{folder: "/files", host: "127.0.0.1", part: l.onRay()}
	start, err := l.start(at)
	if err != nil {
		return nil, err
	}
	parts := []mapping{l.disk(name), l.cluster(name, at), l.rayJob(name, start)}
	text := header("SkyRL for parley, on a Ray cluster of KubeRay")
	for i, f := range l.Job.Frozen {
		own := fmt.Sprintf("%s-vllm-%d", name, i+1)
		parts = append(parts, l.deployment(own, f), service(own, f.Port))
	}
	for i, part := range parts {
		if i > 0 {
			text += "---\n"
		}
		text += document(part)
	}
	return Files{{"cluster.yaml", text}}, nil
}

func (l *Layout) disk(name string) mapping {
	return mapping{
		{"apiVersion", "v1"},
		{"kind", "PersistentVolumeClaim"},
		{"metadata", mapping{{"name", name + "-files"}}},
		{"spec", mapping{
			{"accessModes", list{"ReadWriteOnce"}},
			{"resources", mapping{{"requests", mapping{{"storage", "256Gi"}}}}},
		}},
	}
}

func (l *Layout) cluster(name string, at place) mapping {
	resources := mapping{{"cpu", fmt.Sprint(8 * l.Job.GPUs)}, {"memory", fmt.Sprintf("%dGi", 64*l.Job.GPUs)}, {"nvidia.com/gpu", fmt.Sprint(l.Job.GPUs)}}
	install := mapping{
		{"name", "install"},
		{"image", l.image()},
		{"command", list{"bash", "-c", script(expanded(l.install(at)))}},
		{"volumeMounts", list{mapping{{"name", "files"}, {"mountPath", at.folder}}}},
	}
	head := mapping{
		{"name", "ray-head"},
		{"image", l.image()},
		{"env", list{hubToken(), mapping{{"name", "HF_HOME"}, {"value", at.folder + "/models"}}}},
		{"ports", list{mapping{{"containerPort", 6379}, {"name", "gcs"}}, mapping{{"containerPort", 8265}, {"name", "dashboard"}}}},
		{"resources", mapping{{"requests", resources}, {"limits", resources}}},
		{"volumeMounts", list{mapping{{"name", "files"}, {"mountPath", at.folder}}, mapping{{"name", "shm"}, {"mountPath", "/dev/shm"}}}},
	}
	first := mapping{{"dashboard-host", "0.0.0.0"}}
	if l.Job.machines() > 1 {
		first = append(first, field{"resources", `"{\"` + onFirst + `\": 1}"`})
	}
	pod := mapping{
		{"initContainers", list{install}},
		{"containers", list{head}},
		{"securityContext", mapping{{"fsGroup", 100}}}, // of the image's user, who writes to the disk
		{"volumes", list{
			mapping{{"name", "files"}, {"persistentVolumeClaim", mapping{{"claimName", name + "-files"}}}},
			sharedMemory(),
		}},
	}
	spec := mapping{
		{"rayVersion", rayVersion},
		{"headGroupSpec", mapping{
			{"rayStartParams", first},
			{"template", mapping{{"spec", pod}}},
		}},
	}
	if l.Job.machines() > 1 {
		worker := append(mapping{{"name", "ray-worker"}}, head[1:3]...)
		spec = append(spec, field{"workerGroupSpecs", list{l.workers(install, append(worker, head[4:]...))}})
	}
	return mapping{
		{"apiVersion", "ray.io/v1"},
		{"kind", "RayCluster"},
		{"metadata", mapping{{"name", name}}},
		{"spec", spec},
	}
}

func sharedMemory() mapping {
	return mapping{{"name", "shm"}, {"emptyDir", mapping{{"medium", "Memory"}, {"sizeLimit", "16Gi"}}}}
}

// rayJob starts the server on the cluster. JAX takes the GPUs from Ray; Megatron's workers ask Ray for theirs.
func (l *Layout) rayJob(name, start string) mapping {
	spec := mapping{
		{"clusterSelector", mapping{{"ray.io/cluster", name}}},
		{"submissionMode", "HTTPMode"},
		{"entrypoint", script("bash -c " + shell.Quote(start) + "\n")},
	}
	if l.Backend == JAX {
		spec = append(spec, field{"entrypointNumGpus", l.Job.GPUs})
	}
	if l.Job.machines() > 1 {
		spec = append(spec, field{"entrypointResources", `{"` + onFirst + `": 1}`})
	}
	return mapping{{"apiVersion", "ray.io/v1"}, {"kind", "RayJob"}, {"metadata", mapping{{"name", name}}}, {"spec", spec}}
}

func (l *Layout) deployment(name string, f Frozen) mapping {
	var args list
	for _, word := range append([]string{"--model", f.Model}, l.vllmFlags(f, "0.0.0.0")...) {
		args = append(args, expanded(word))
	}
	labels := mapping{{"app", name}}
	container := mapping{
		{"name", "vllm"},
		{"image", "vllm/vllm-openai:v" + VLLMVersion},
		{"args", args},
		{"env", list{hubToken(), secret("VLLM_API_KEY", name, "key", false)}},
		{"ports", list{mapping{{"containerPort", f.Port}}}},
		{"resources", mapping{{"limits", mapping{{"nvidia.com/gpu", fmt.Sprint(f.GPUs)}}}}},
		{"volumeMounts", list{mapping{{"name", "shm"}, {"mountPath", "/dev/shm"}}}},
	}
	return mapping{
		{"apiVersion", "apps/v1"},
		{"kind", "Deployment"},
		{"metadata", mapping{{"name", name}}},
		{"spec", mapping{
			{"replicas", 1},
			{"selector", mapping{{"matchLabels", labels}}},
			{"template", mapping{
				{"metadata", mapping{{"labels", labels}}},
				{"spec", mapping{
					{"containers", list{container}},
					{"volumes", list{sharedMemory()}},
				}},
			}},
		}},
	}
}

func service(name string, port int) mapping {
	return mapping{
		{"apiVersion", "v1"},
		{"kind", "Service"},
		{"metadata", mapping{{"name", name}}},
		{"spec", mapping{{"selector", mapping{{"app", name}}}, {"ports", list{mapping{{"port", port}, {"targetPort", port}}}}}},
	}
}

// hubToken is the token for gated models, from an object that need not be there.
func hubToken() mapping { return secret("HF_TOKEN", "huggingface", "token", true) }

func secret(variable, object, key string, optional bool) mapping {
	return mapping{{"name", variable}, {"valueFrom", mapping{{"secretKeyRef", mapping{{"name", object}, {"key", key}, {"optional", optional}}}}}}
}

// expanded writes a text that Kubernetes puts no variables into.
func expanded(text string) string { return strings.ReplaceAll(text, "$", "$$") }
