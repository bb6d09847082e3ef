package studycmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/service"
	"parley/runs"
	"parley/train/provenance"
	"parley/train/study"
)

// A trainer does runs, each by a process of its own: so the memory that a run reports is its own, and one that crashes ends no other.
type trainer struct {
	folder  *studyFolder
	program string
	threads int // of a run
	byName  map[string]study.Run
}

func newTrainer(f *studyFolder, threads int) (*trainer, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program parley: %w", err)
	}
	t := &trainer{folder: f, program: program, threads: threads, byName: map[string]study.Run{}}
	for _, run := range f.plan.Runs {
		t.byName[run.Name] = run
	}
	return t, nil
}

// patience is how long a run may take to save its state and end.
const patience = time.Minute

// do begins a run, or goes on with it.
func (t *trainer) do(ctx context.Context, name string) error {
	args, err := t.args(name)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(t.folder.dir, "logs", name+".txt"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer log.Close()
	var last tail
	cmd := exec.CommandContext(ctx, t.program, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", t.threads))
	cmd.Stdout, cmd.Stderr = log, &tee{log, &last}
	cmd.Cancel = func() error { // a run that does not react is killed after a while
		_, err := service.Interrupt(cmd.Process)
		return err
	}
	cmd.WaitDelay = patience
	service.Apart(cmd)
	if in, err := cmd.StdinPipe(); err == nil { // open as long as this process lives: what runs are told of the program that started it
		defer in.Close()
	}
	err = cmd.Run()
	t.folder.note(name, cmd.ProcessState)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s (%w; %s has all that it said)", last.message(err), err, log.Name())
	}
	return nil
}

// args are those of the process that does a run.
func (t *trainer) args(name string) ([]string, error) {
	dir := t.folder.runDir(name)
	_, err := runs.Read(dir)
	if none := new(runs.NotRunError); !errors.As(err, &none) {
		return append([]string{"train", "--resume", dir}, t.places(name)...), nil
	}
	file := t.folder.recipeFile(name)
	if err := os.WriteFile(file, t.byName[name].Recipe.YAML(), 0o666); err != nil {
		return nil, err
	}
	return []string{"train", file, "--out", dir}, nil
}

// places are the flags that say where the files of a begun run are, if that is elsewhere now.
func (t *trainer) places(name string) (flags []string) {
	now := t.byName[name].Recipe
	begun, err := t.folder.begun(now.Language(), name)
	if err != nil || begun == nil || slices.Equal(begun.NamedFiles(), now.NamedFiles()) {
		return nil
	}
	for _, set := range provenance.Places(now) {
		flags = append(flags, "--set", set)
	}
	return flags
}

// tee writes to a log and to a tail.
type tee struct {
	log  *os.File
	last *tail
}

// Write implements [io.Writer].
func (t *tee) Write(p []byte) (int, error) {
	t.last.add(p)
	return t.log.Write(p)
}

// A tail keeps the end of what a process says.
type tail struct{ text []byte }

// keptTail bytes of a tail.
const keptTail = 4096

func (t *tail) add(p []byte) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-keptTail):]
}

// message is what the process printed about its end: from the last line on that begins with parley's name. A process that was killed
// printed nothing.
func (t *tail) message(err error) string {
	text := "\n" + strings.TrimSpace(string(t.text))
	const mark = "\nparley: "
	if at := strings.LastIndex(text, mark); at >= 0 {
		return text[at+len(mark):]
	}
	if end := new(exec.ExitError); errors.As(err, &end) && end.ExitCode() < 0 {
		return "its process was killed, by a lack of memory for example"
	}
	if line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n'):]); line != "" {
		return line
	}
	return "it ended without a word"
}
