package recipecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"parley/engine/openai"
	"parley/internal/plainfile"
	"parley/model"
	"parley/model/shipped"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/rollout/tools"
	"parley/rl/verifier"
	"parley/serve"
	"parley/task/dataset"
	"parley/task/sandbox"
	"parley/team/speaker/external"
	"parley/train/plan"
)

// files opens what the runs of a recipe read, without the network. A file that several runs read is opened once. An error is a
// [recipe.Errors] with all that is wrong, unless ctx ends.
func files(ctx context.Context, name string, r *recipe.Recipe) error {
	trials, err := r.Trials()
	if err != nil {
		return err
	}
	f := fileCheck{name: name, done: map[string]bool{}}
	for _, t := range trials {
		for _, n := range t.Recipe.NamedFiles() {
			f.once(n.Key, n.Kind+" "+n.Path, func() error { return opened(ctx, t.Recipe, n) })
		}
		f.command("reward.scoring.command", t.Recipe.Reward.Scoring.Command)
		f.command("reward.user.command", t.Recipe.Reward.User.Command)
		for _, agent := range t.Recipe.Team.Agents.Named {
			f.agent(agent)
		}
		f.data(ctx, "task", t.Recipe, t.Recipe.Task)
		if measured := t.Recipe.Eval.Task; measured.Settings != nil {
			f.data(ctx, "eval.task", t.Recipe, t.Recipe.Measured())
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("check the files of %s: %w", name, err)
	}
	if len(f.list) == 0 {
		return nil
	}
	return &recipe.Errors{List: f.list}
}

// A fileCheck collects what is wrong with files.
type fileCheck struct {
	name string // of the recipe
	done map[string]bool
	list []recipe.Error
}

// once opens something for a key, unless it was opened before.
func (f *fileCheck) once(key, what string, open func() error) {
	if f.done[key+" "+what] {
		return
	}
	f.done[key+" "+what] = true
	if err := open(); err != nil {
		f.list = append(f.list, recipe.Error{File: f.name, Message: fmt.Sprintf("%s: %v", key, err)})
	}
}

// command looks for the program of a command.
func (f *fileCheck) command(key string, command []string) {
	if len(command) > 0 {
		f.once(key, "program "+command[0], func() error { _, err := exec.LookPath(command[0]); return err })
	}
}

// agent looks for the program of an agent, and reads its script. A script file that cannot be read is reported
// elsewhere.
func (f *fileCheck) agent(a keys.Agent) {
	key := "team.agents." + a.Name
	f.command(key+".program", a.Program)
	if a.Script == "" {
		return
	}
	f.once(key+".script", "script "+a.Script, func() error {
		place, text, err := plan.Script(key+".script", a.Script)
		if err != nil {
			return nil //nolint:nilerr // its file has been read for itself
		}
		_, err = external.Open(external.Settings{Place: place, Script: text})
		return err
	})
}

// data reads the data set of a task as training would: every row of it.
func (f *fileCheck) data(ctx context.Context, key string, r *recipe.Recipe, t keys.Task) {
	kind, known := r.Language().Task(t.Name)
	if !known || plan.DataSet(kind, t) == "" {
		return
	}
	f.once(key+".path", fmt.Sprintf("%s %+v %v", t.Name, t.Settings, plan.ShownFields(r)), func() error {
		opened, err := plan.OpenTask(ctx, r, t, false)
		if err != nil {
			f.others(ctx, key+".path", plan.DataSet(kind, t), err)
			return err
		}
		if closer, ok := opened.(io.Closer); ok {
			return closer.Close()
		}
		return nil
	})
}

// others adds what is wrong with other files of a data set than the one that ended its reading.
func (f *fileCheck) others(ctx context.Context, key, name string, first error) {
	set, err := dataset.Open(name, model.CacheRoot())
	if err != nil {
		return
	}
	seen, err := set.Survey(ctx, dataset.SurveyOptions{})
	if err != nil {
		return
	}
	for _, file := range seen.Files {
		if file.Error != "" && file.Use != dataset.UseNone && !strings.Contains(first.Error(), file.Path) {
			f.list = append(f.list, recipe.Error{File: f.name, Message: key + ": " + file.Error})
		}
	}
}

// opened opens what a key names. Data sets and programs are looked for by themselves.
func opened(ctx context.Context, r *recipe.Recipe, n keys.Named) error {
	switch {
	case n.Kind == "model":
		m, err := model.Open(n.Path)
		if err != nil {
			return err
		}
		return m.Source.Close()
	case n.Kind == "folder" && !shipped.Ships(n.Path):
		_, err := verifier.Read(n.Path)
		return err
	case n.Kind == "policy" && !shipped.Ships(n.Path):
		_, err := os.ReadDir(n.Path)
		return err
	case n.Key == "team.expert.recording":
		return recorded(n.Path, r.Team.Expert.URL == "")
	case n.Key == "servers.recording":
		return recorded(n.Path, r.Servers.Replay)
	case n.Kind == "tool":
		return callable(ctx, n.Path)
	case strings.HasSuffix(n.Key, "sampling.schema"):
		data, err := plainfile.Read(n.Path)
		if err == nil {
			_, err = serve.SchemaForm(data)
		}
		return err
	case n.Kind == "file":
		return readable(n.Path)
	}
	return nil
}

// callable reads the functions of a tool. A machine without a sandbox is not reported: that is no fault of the file.
func callable(ctx context.Context, name string) error {
	f, err := tools.Open(ctx, []string{name}, tools.Limits{})
	switch {
	case errors.As(err, new(*sandbox.Unavailable)) && strings.HasSuffix(name, ".py"):
		return readable(name)
	case errors.As(err, new(*sandbox.Unavailable)):
		return nil
	case err != nil:
		return err
	}
	return f.Close()
}

// recorded reads what servers answered before. Where they can be asked, and nothing else answers, the file need not be there yet.
func recorded(file string, alone bool) error {
	if _, err := os.Stat(file); alone && err != nil {
		return err
	}
	_, err := openai.OpenRecording(file)
	return err
}

// readable says why a file cannot be read.
func readable(name string) error {
	f, err := plainfile.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, f)
	return errors.Join(err, f.Close())
}
