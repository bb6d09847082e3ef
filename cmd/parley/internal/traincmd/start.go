package traincmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/internal/folder"
	"parley/internal/service"
	"parley/internal/service/web"
	"parley/internal/usererror"
	"parley/train/launch"
)

type startCmd struct {
	Recipe string `arg:"" optional:"" help:"Name of a shipped recipe, or a recipe file. Default: ${default_recipe}."`
	Kind   string `enum:"auto,compose,process,skypilot,kuberay,slurm" default:"auto" help:"Where: compose (Docker on this machine), process (this machine without Docker), skypilot, kuberay or slurm. auto: compose, or process where there is no Docker."`
	serverFlags
	Wait time.Duration `default:"30m" help:"Longest time until the server answers."`
}

func (startCmd) Help() string {
	return `Writes the files of cluster write, starts what they say, waits until the training server answers, measures it as doctor --engine does, and prints the command that trains.

Docker, sky, kubectl and sbatch are the machine's own, and so are their accounts. A process of this machine logs to skyrl.log in the folder of the files. A job in a queue of Slurm is started and not waited for: its log says the ssh command that leads its port here.

^C stops the waiting and leaves what was started; cluster stop ends it.

Examples:

    parley cluster start mine.yaml
    parley cluster start mine.yaml --kind process --gpus 2 --gpu-type L4
    parley cluster stop mine.yaml

Exit codes: 0 the server answers, or the job is in the queue; 1 a command failed, or the server does not answer in time; 2 it cannot work, or something runs already.`
}

type stopCmd struct {
	Recipe string `arg:"" optional:"" help:"The recipe that it was started for; without one, whatever was started from the folder."`
	Out    string `placeholder:"DIR" default:"cluster" help:"Folder of the files."`
}

func (stopCmd) Help() string {
	return `Stops what cluster start has started from a folder: Docker's services, processes of this machine with what leads ports here, machines of a cloud, objects of Kubernetes, your jobs of that name in a queue. Files and what was installed stay.

Examples:

    parley cluster stop mine.yaml
    parley cluster stop mine.yaml --out cloud

Exit codes: 0 stopped; 1 a command failed; 2 nothing was started from there.`
}

// startedFile is where a folder has what was started from it.
const startedFile = "started.json"

// started is what runs.
type started struct {
	Recipe    string           `json:"recipe"`
	Kind      string           `json:"kind"`
	Commands  []launch.Command `json:"commands"`
	Processes []process        `json:"processes"` // of this machine
}

// A process may have ended, and its number may be another's: when it began says so.
type process struct {
	PID   int    `json:"pid"`
	Began string `json:"began"` // as ps prints it
	Log   string `json:"log"`
}

// began is when a process began; empty: there is none.
func began(pid int) string {
	out, _ := exec.Command("ps", "-o", "lstart=", "-p", fmt.Sprint(pid)).Output() // it fails where there is none
	return strings.TrimSpace(string(out))
}

func (p process) alive() bool { return p.Began != "" && began(p.PID) == p.Began }

func (c *startCmd) Run(a *cli.App) error {
	if c.Kind == "auto" {
		c.Kind = "compose"
		if _, err := exec.LookPath("docker"); err != nil {
			c.Kind = "process"
		}
	}
	if s, err := readStarted(c.Out); err == nil {
		return cli.Usagef("%s: %s is started from there already: %s stops it", c.Out, s.Kind, usererror.Quote("parley", "cluster", "stop", "--out", c.Out))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w, err := c.write(a, c.Kind, c.Recipe)
	if err != nil {
		return err
	}
	s := &started{Recipe: c.Recipe, Kind: c.Kind, Commands: w.Layout.Commands(c.Kind, w.Files)}
	if err := s.start(a, c.Out); err != nil {
		return fmt.Errorf("%w; %s stops what was started", err, usererror.Quote("parley", "cluster", "stop", "--out", c.Out))
	}
	if c.Kind == "slurm" {
		return a.Printf("The job is in the queue: its log says the ssh command that leads port %d here. Then:\n\n    parley doctor --engine http://127.0.0.1:%[1]d\n    %s\n", c.Port, strings.Join(c.training(w, c.Recipe), "\n    "))
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", c.Port)
	a.Sayf("waiting for %s: a first start installs the server and fetches %s\n", url, w.Base)
	if err := s.wait(a.Ctx, url, c.Wait); err != nil {
		return err
	}
	if err := (&Doctor{Engine: url}).Run(a); err != nil {
		return err
	}
	return a.Printf("\n%s answers. Then:\n\n    %s\n", url, strings.Join(c.training(w, c.Recipe), "\n    "))
}

// start runs the commands one after another, and notes what runs before anything can fail.
func (s *started) start(a *cli.App, out string) error {
	for i, c := range s.Commands {
		var err error
		if c.Stop == nil {
			err = s.begin(out, strings.TrimSuffix(filepath.Base(c.Start[1]), ".sh"), c.Start)
		} else {
			if err = s.note(out); err == nil {
				err = run(a, append(slices.Clone(c.Start), c.Alone...))
			}
			if err == nil && !strings.HasPrefix(c.Lead, "#") {
				err = s.begin(out, fmt.Sprintf("lead-%d", i+1), []string{"bash", "-c", "exec " + c.Lead})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run runs a command, whose words go to stderr.
func run(a *cli.App, words []string) error {
	a.Sayf("%s\n", usererror.Quote(words...))
	cmd := exec.CommandContext(a.Ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = a.Stderr, a.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", usererror.Quote(words...), err)
	}
	return nil
}

// begin starts a process that stays, with a log of its own.
func (s *started) begin(out, name string, words []string) error {
	log := filepath.Join(out, name+".log")
	f, err := os.Create(log)
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	defer f.Close()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = f, f
	service.Apart(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	s.Processes = append(s.Processes, process{cmd.Process.Pid, began(cmd.Process.Pid), log})
	go func() { _ = cmd.Wait() }() // else it would stay among the processes when it ends
	return s.note(out)
}

func (s *started) note(out string) error {
	return folder.WriteJSON(filepath.Join(out, startedFile), s)
}

func readStarted(out string) (*started, error) {
	data, err := os.ReadFile(filepath.Join(out, startedFile))
	if err != nil {
		return nil, err
	}
	var s started
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(out, startedFile), err)
	}
	return &s, nil
}

// wait asks the server whether it is there until it is, a process of it has ended, or the time is over.
func (s *started) wait(ctx context.Context, url string, most time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("%s does not answer after %v", url, most))
	defer cancel()
	for {
		if answers(ctx, url+"/api/v1/healthz") {
			return nil
		}
		for _, p := range s.Processes {
			if !p.alive() {
				said, _ := os.ReadFile(p.Log) // there may be none
				return fmt.Errorf("a process has ended before the server answered; the end of %s:\n%s", p.Log, said[max(0, len(said)-2000):])
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

func answers(ctx context.Context, url string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	answer, err := web.NewClient(10 * time.Second).Do(r)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

func (c *stopCmd) Run(a *cli.App) error {
	s, err := readStarted(c.Out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cli.Usagef("nothing was started from %s: write --out DIR as cluster start had it", c.Out)
	case err != nil:
		return err
	case c.Recipe != "" && c.Recipe != s.Recipe:
		return cli.Usagef("%s was started for %s: name it, or another --out", c.Out, s.Recipe)
	}
	var all error
	for _, p := range slices.Backward(s.Processes) {
		if p.alive() {
			all = errors.Join(all, end(p))
		}
	}
	for _, command := range slices.Backward(s.Commands) {
		if command.Stop != nil {
			all = errors.Join(all, run(a, command.Stop))
		}
	}
	if all != nil {
		return fmt.Errorf("%w; the same command again stops what is left", all)
	}
	if err := os.Remove(filepath.Join(c.Out, startedFile)); err != nil {
		return err
	}
	return a.Printf("stopped: %s of %s\n", s.Kind, c.Out)
}

// end asks a process and those that it has started to end, and does not ask for ever.
func end(p process) error {
	for at := range 100 {
		if err := service.EndGroup(p.PID, at == 99); err != nil || !p.alive() {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}
