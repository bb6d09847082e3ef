package launch

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"parley/internal/usererror"
)

// A File is a name without folders, and a text.
type File struct{ Name, Text string }

// Files are what one kind of machine room takes.
type Files []File

// Kinds are the kinds of files, in the order in which help lists them.
func Kinds() []string { return []string{"skypilot", "kuberay", "slurm", "compose", "process"} }

// made are the files of each kind, and the templates that they are made of: one for the training server, and one for each frozen model unless the first
// has all.
var made = map[string]struct{ own, frozen string }{
	"skypilot": {"skyrl.sky.yaml", "vllm.sky.yaml"},
	"kuberay":  {"cluster.yaml", ""},
	"slurm":    {"skyrl.sbatch", "vllm.sbatch"},
	"compose":  {"compose.yaml", ""},
	"process":  {"skyrl.sh", "vllm.sh"},
}

// Files writes the files of one of [Kinds].
func (l *Layout) Files(kind string) (Files, error) {
	names, is := made[kind]
	if !is {
		return nil, fmt.Errorf("there are no files of kind %q: write %s", kind, strings.Join(Kinds(), ", "))
	}
	if (kind == "compose" || kind == "process") && l.Job.machines() > 1 {
		return nil, fmt.Errorf("the files of %s are for one machine: write skypilot, kuberay or slurm", kind)
	}
	s, err := l.server(kind)
	if err != nil {
		return nil, err
	}
	text, err := fill()(names.own, s)
	if err != nil {
		return nil, err
	}
	files := Files{{names.own, text}}
	if names.frozen == "" {
		return files, nil
	}
	for i, own := range s.Frozen {
		text, err := fill()(names.frozen, own)
		if err != nil {
			return nil, err
		}
		files = append(files, File{strings.Replace(names.frozen, "vllm", fmt.Sprintf("vllm-%d", i+1), 1), text})
	}
	return files, nil
}

//go:embed templates
var folder embed.FS

// fill returns what fills a template. The functions that templates have are told of in templates/common.
var fill = sync.OnceValue(func() func(name string, s *server) (string, error) {
	t := template.New("")
	text := func(name string, s *server) (string, error) {
		var b strings.Builder
		err := t.ExecuteTemplate(&b, name, s)
		return b.String(), err
	}
	dollars := func(text string) string { return strings.ReplaceAll(text, "$", "$$") }
	t.Funcs(template.FuncMap{"text": text, "shell": usererror.Quote, "yaml": word, "literal": literal, "dollars": dollars})
	template.Must(t.ParseFS(folder, "templates/*"))
	return text
})
