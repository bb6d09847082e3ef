package viewer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/train/provenance"
	"parley/viewer/ask"
	"parley/viewer/episodes"
	"parley/viewer/jobs"
)

// queue lists what was started from pages of this server.
func (s *Server) queue(*http.Request) (any, error) {
	return map[string]any{"jobs": s.jobs()}, nil
}

func (s *Server) jobs() []jobs.Job {
	if s.options.Jobs == nil {
		return []jobs.Job{}
	}
	return s.options.Jobs.List()
}

// add puts work into the queue and answers with the job.
func (s *Server) add(w jobs.Work) (any, error) {
	if s.options.Jobs == nil {
		return nil, fail(http.StatusForbidden, "read_only", "this server starts nothing")
	}
	j, err := s.options.Jobs.Add(w)
	return map[string]any{"job": j}, err
}

// start trains by a recipe that was written on the page. A recipe that reaches outside is for a command line, where its user can read what it
// does.
func (s *Server) start(r *http.Request) (any, error) {
	var body struct {
		YAML string `json:"yaml"`
		Seed *int   `json:"seed"`
	}
	if err := readJSON(r, &body); err != nil {
		return nil, err
	}
	var sets []string
	if body.Seed != nil {
		sets = append(sets, "seed="+strconv.Itoa(*body.Seed))
	}
	parsed, err := s.options.Language.Parse("recipe", []byte(body.YAML), sets)
	if err != nil {
		return nil, bad(err)
	}
	acts, err := provenance.Reach(parsed)
	if err != nil {
		return nil, bad(err)
	}
	if len(acts) > 0 {
		return nil, fail(http.StatusConflict, "refused", "%s: the recipe %s. Start it on a command line: parley train FILE", acts[0].Key, acts[0].What)
	}
	var file string
	return s.add(jobs.Work{
		What: "train", Title: fmt.Sprintf("train %s, seed %d", parsed.Name, parsed.Seed),
		Begin: func() (args []string, run string, err error) {
			if file, err = written(parsed); err != nil {
				return nil, "", err
			}
			if err := os.MkdirAll(s.options.Root, 0o777); err != nil {
				return nil, "", fmt.Errorf("make the runs folder: %w", err)
			}
			dir := runs.FreeDir(s.options.Root, parsed.Name, parsed.Seed)
			return []string{"train", file, "--out", dir}, filepath.Base(dir), nil
		},
		End: func() {
			if file != "" {
				_ = os.Remove(file) // the run has the recipe
			}
		},
	})
}

// written puts a recipe into a file of its own.
func written(r *recipe.Recipe) (string, error) {
	f, err := os.CreateTemp("", "parley-recipe-*.yaml")
	if err != nil {
		return "", fmt.Errorf("write the recipe: %w", err)
	}
	_, err = f.Write(r.YAML())
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write the recipe: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return f.Name(), nil
}

// stop asks a run to save its state and end.
func (s *Server) stop(r *http.Request) (any, error) {
	if s.options.Jobs == nil {
		return nil, fail(http.StatusForbidden, "read_only", "this server starts nothing, and stops nothing")
	}
	return map[string]bool{"ok": true}, s.options.Jobs.Stop(r.PathValue("id"))
}

// work adds a job with a run, unless that is refused.
func (s *Server) work(check func(*recipe.Language, string) error, dir string, command []string, w jobs.Work) (any, error) {
	if err := s.unasked(check, dir, command); err != nil {
		return nil, err
	}
	w.Begin = func() ([]string, string, error) { return command, w.Run, nil }
	return s.add(w)
}

// unasked refuses a run that was made elsewhere and does something outside, as the job's command does. Nobody can allow it on the page: the answer says
// what the run does, and the command that allows it. The command checks once more.
func (s *Server) unasked(check func(*recipe.Language, string) error, dir string, command []string) error {
	err := check(s.options.Language, dir)
	var refused *provenance.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	verb := 1
	if command[0] == "run" {
		verb = 2
	}
	command = slices.Insert(slices.Clone(command), verb, "--trust")
	return fail(http.StatusConflict, "refused", "%sIf you trust who made it, do this on a command line: parley %s", refused.Says, usererror.Quote(command...))
}

// resume goes on with a run.
func (s *Server) resume(r *http.Request) (any, error) {
	id := r.PathValue("id")
	dir, err := s.root.Path(id)
	if err != nil {
		return nil, err
	}
	if err := s.unresumed(r.Context(), dir); err != nil {
		return nil, err
	}
	args := []string{"train", "--resume", dir}
	return s.work(provenance.CheckTrust, dir, args, jobs.Work{What: "resume", Title: "go on with " + id, Run: id})
}

// unresumed says why a run cannot go on here; nil: nothing is known that keeps it from that.
func (s *Server) unresumed(ctx context.Context, dir string) error {
	err := s.unasked(provenance.CheckTrust, dir, []string{"train", "--resume", dir})
	if err != nil {
		return err
	}
	meta, err := runs.Read(dir)
	if err != nil {
		return err
	}
	r, err := s.options.Language.Parse(filepath.Join(dir, runs.MetaFile), []byte(meta.Recipe), nil)
	if err == nil {
		err = provenance.Elsewhere(ctx, dir, meta, r, s.options.Backend, s.options.Version)
	}
	if err != nil {
		return fail(http.StatusConflict, "refused", "%v", err)
	}
	return nil
}

// about reads the body of a request about a run, and finds the run.
func (s *Server) about(r *http.Request, body any) (id, dir string, err error) {
	if err := readJSON(r, body); err != nil {
		return "", "", err
	}
	id = r.PathValue("id")
	dir, err = s.root.Path(id)
	return id, dir, err
}

// swap plays a problem again with somebody else in an agent's place.
func (s *Server) swap(r *http.Request) (any, error) {
	var body struct {
		Update int `json:"update"`
		Index  int `json:"index"`
		Swaps  []struct {
			Agent      int    `json:"agent"` // from 0
			With       string `json:"with"`  // untrained, left-out, checkpoint or run
			Checkpoint int    `json:"checkpoint"`
			Run        string `json:"run"`
		} `json:"swaps"`
	}
	id, dir, err := s.about(r, &body)
	if err != nil {
		return nil, err
	}
	if len(body.Swaps) == 0 {
		return nil, bad(errors.New("swaps is empty: name an agent"))
	}
	args := []string{"run", "swap", dir, "--update", strconv.Itoa(body.Update), "--episode", strconv.Itoa(body.Index)}
	var what []string
	for _, x := range body.Swaps {
		with := x.With
		switch x.With {
		case ask.Untrained, ask.LeftOut:
		case "checkpoint":
			with = ask.Earlier + strconv.Itoa(x.Checkpoint)
		case "run":
			if with, err = s.root.Path(x.Run); err != nil {
				return nil, err
			}
		default:
			return nil, bad(fmt.Errorf("with is %q, expected untrained, left-out, checkpoint or run", x.With))
		}
		args = append(args, strconv.Itoa(x.Agent+1)+"="+with)
		what = append(what, fmt.Sprintf("agent %d %s", x.Agent+1, filepath.Base(with)))
	}
	return s.work(provenance.CheckTrust, dir, args, jobs.Work{What: jobs.Swap, Title: fmt.Sprintf("%s, update %d, episode %d: %s", id, body.Update, body.Index, strings.Join(what, ", ")), Run: id})
}

// computeTokens computes what a run does not record of the tokens of an episode.
func (s *Server) computeTokens(r *http.Request) (any, error) {
	var at episodes.Place
	id, dir, err := s.about(r, &at)
	if err != nil {
		return nil, err
	}
	if at.Update < 1 || at.Index < 0 {
		return nil, bad(fmt.Errorf("there is no episode %d of update %d: updates count from 1, episodes from 0", at.Index, at.Update))
	}
	update, index := strconv.Itoa(at.Update), strconv.Itoa(at.Index)
	args := []string{"run", "tokens", dir, update, index}
	return s.work(provenance.CheckToTalk, dir, args, jobs.Work{What: jobs.Tokens, Title: fmt.Sprintf("%s, update %s, episode %s: tokens", id, update, index), Run: id})
}

// swaps are the results that are kept with a run.
func (s *Server) swaps(r *http.Request) (any, error) {
	dir, err := s.root.Path(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	list, damaged, err := ask.ReadSwaps(dir)
	return map[string]any{"swaps": list, "damaged": damaged}, err
}

// cancel takes a job out of the queue.
func (s *Server) cancel(r *http.Request) (any, error) {
	job, err := whole(r.PathValue("job"))
	if err != nil {
		return nil, err
	}
	if s.options.Jobs == nil {
		return nil, &jobs.NoneError{Why: "nothing waits"}
	}
	return map[string]bool{"ok": true}, s.options.Jobs.Cancel(job)
}
