// Package launch writes the files that start a training cluster: SkyRL behind the Tinker protocol for what is trained, and vLLM for agents that
// speak behind servers of their own.
//
// [New] lays a [Job] out over GPUs: it chooses SkyRL's backend, splits the base, counts the memory, and refuses what cannot work, with numbers.
// The [Layout] says what was chosen, and [Layout.Files] are the files for one kind of machine room. [Write] puts them on disk and spares what is
// there. Nothing here asks a server or starts anything.
//
//	job.go       what is wanted
//	backend.go   which of SkyRL's backends trains a family
//	gpu.go       what is known of GPUs
//	layout.go    what goes where; memory.go counts what it takes
//	settings.go  what SkyRL is told
//	templates/   each file as it is written, with gaps; the scripts in it, and the versions that they install
//	server.go    what fills the gaps
//	files.go     files from templates; yaml.go quotes names for YAML, in which every one means itself
//	start.go     the commands that start what the files say
//	write.go     files on disk
//
// Names come from users: a base, an agent, a run. Each is quoted for all that reads it, inside out: the shell, Kubernetes or Compose, YAML. No file
// holds a secret; tokens come from the environment, and in Kubernetes from objects of kind Secret.
package launch
