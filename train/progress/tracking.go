package progress

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"parley/recipe"
	"parley/runs"
	"parley/runs/scalars"
)

// Track lets the tools that the recipe names follow the run. note is called from the goroutine that writes to the run. Call it before the run
// is restored.
func Track(ctx context.Context, run *runs.Run, r *recipe.Recipe, note func(string)) {
	said := &notes{tell: note}
	if dir := eventFolder(r.Training.TensorBoard, run.Dir()); dir != "" {
		run.Follow(scalars.FollowTensorBoard(dir, run.Meta().Created, said.add))
	}
	if m := r.Training.MLflow; m.URL != "" {
		run.Follow(scalars.FollowMLflow(ctx, run.Dir(), scalars.MLflowOptions{URL: m.URL, Experiment: m.Experiment, Name: filepath.ToSlash(TrackedName(run.Dir())), Token: token(m.TokenEnv)}, said.add))
	}
	run.Follow(said)
}

func token(variable string) string {
	if variable == "" {
		return ""
	}
	return os.Getenv(variable)
}

// eventFolder is where the event files of the run in dir belong: in itself, or in the folder that the recipe names, under the run's name;
// empty: nowhere.
func eventFolder(asked, dir string) string {
	switch asked {
	case "":
		return ""
	case "true":
		return filepath.Join(dir, "tensorboard")
	}
	return filepath.Join(asked, TrackedName(dir))
}

// TrackedName is what a run is called beside others: the name of its folder, that of an experiment's or of a run's inner runs with the outer one's.
func TrackedName(dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	name := filepath.Base(dir)
	if _, err := runs.Read(filepath.Dir(dir)); err == nil {
		return filepath.Join(TrackedName(filepath.Dir(dir)), name)
	}
	return name
}

// notes hands on what followers say, from the goroutine that writes to the run. It implements [runs.Follower].
type notes struct {
	mutex sync.Mutex
	list  []string
	tell  func(string)
}

func (n *notes) add(note string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.list = append(n.list, note)
}

func (n *notes) handOn() {
	n.mutex.Lock()
	list := n.list
	n.list = nil
	n.mutex.Unlock()
	for _, note := range list {
		n.tell(note)
	}
}

// Metrics implements [runs.Follower].
func (n *notes) Metrics(int, []byte) { n.handOn() }

// Timing implements [runs.Follower].
func (n *notes) Timing(int, []byte) { n.handOn() }

// Restored implements [runs.Follower].
func (n *notes) Restored(int) { n.handOn() }

// Finished implements [runs.Follower].
func (n *notes) Finished(runs.Report) { n.handOn() }

// Close implements [runs.Follower].
func (n *notes) Close() error {
	n.handOn()
	return nil
}
