package checkpoint

// This file shows what models of a server of the Tinker protocol saved, changes what is said of it, and hands it out.
//
//	catalog.go  runs and checkpoints
//	archive.go  adapters, for who has a ticket

import (
	"net/http"
	"strconv"
	"time"
)

// Owner is whose everything is: a server has one user.
const Owner = "local"

// A Catalog is one of a store.
type Catalog struct {
	store   *Store
	used    func(run string) time.Time
	tickets tickets
}

// New is the catalog of a store. used says when a model was last asked for something; zero: it is not there any more.
func New(s *Store, used func(run string) time.Time) *Catalog {
	return &Catalog{store: s, used: used}
}

// Page cuts a list as its request asks.
func Page[T any](r *http.Request, all []T, usual int) ([]T, map[string]int) {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n >= 0 {
			return n
		}
		return otherwise
	}
	limit, offset := number("limit", usual), number("offset", 0)
	from := min(offset, len(all))
	return all[from : from+min(limit, len(all)-from)], map[string]int{"offset": offset, "limit": limit, "total_count": len(all)}
}

// ListRuns lists runs.
func (c *Catalog) ListRuns(r *http.Request) any {
	all, err := c.store.Runs()
	if err != nil {
		return &Fault{Status: http.StatusInternalServerError, Words: err.Error()}
	}
	part, cursor := Page(r, all, 20)
	runs := []any{}
	for _, run := range part {
		runs = append(runs, c.describeRun(run))
	}
	return map[string]any{"training_runs": runs, "cursor": cursor}
}

// Run is a run by its name.
func (c *Catalog) Run(id string) any {
	run, err := c.store.Run(id)
	if err != nil {
		return Lost("%v", err)
	}
	return c.describeRun(run)
}

func (c *Catalog) describeRun(run Run) any {
	last := run.Made
	if used := c.used(run.ID); !used.IsZero() {
		last = used.UTC()
	}
	out := map[string]any{
		"training_run_id": run.ID, "base_model": run.Base, "model_owner": Owner, "is_lora": true, "corrupted": false, "lora_rank": run.Rank,
		"last_request_time": last.Format(time.RFC3339),
	}
	if run.Metadata != nil {
		out["user_metadata"] = run.Metadata
	}
	for _, a := range c.store.Of(run.ID) {
		switch a.Kind {
		case Training:
			out["last_checkpoint"] = describe(a)
		case Sampler:
			out["last_sampler_checkpoint"] = describe(a)
		}
	}
	return out
}

// describe is a checkpoint as lists have it.
func describe(a About) any {
	kinds := map[string]string{Training: "training", Sampler: "sampler", External: "external"}
	out := map[string]any{
		"checkpoint_id": a.ID(), "checkpoint_type": kinds[a.Kind], "time": a.Made.Format(time.RFC3339), "tinker_path": a.Path(), "size_bytes": a.Size, "public": a.Public,
	}
	if a.Expires != nil {
		out["expires_at"] = a.Expires.Format(time.RFC3339)
	}
	return out
}

// ListOf lists the checkpoints of a run.
func (c *Catalog) ListOf(run string) any {
	if _, err := c.store.Run(run); err != nil {
		return Lost("%v", err)
	}
	return map[string]any{"checkpoints": describeAll(c.store.Of(run))}
}

func describeAll(all []About) []any {
	out := []any{}
	for _, a := range all {
		out = append(out, describe(a))
	}
	return out
}

// ListAll lists those of all runs.
func (c *Catalog) ListAll(r *http.Request) any {
	runs, err := c.store.Runs()
	if err != nil {
		return &Fault{Status: http.StatusInternalServerError, Words: err.Error()}
	}
	var all []About
	for _, run := range runs {
		all = append(all, c.store.Of(run.ID)...)
	}
	part, cursor := Page(r, all, 100)
	return map[string]any{"checkpoints": describeAll(part), "cursor": cursor}
}

// Publish says whether others may see a checkpoint, which nobody can here.
func (c *Catalog) Publish(run, kind, name string, public bool) any {
	return c.change(run, kind, name, func(a *About) { a.Public = public })
}

// change does something to a checkpoint that is there.
func (c *Catalog) change(run, kind, name string, change func(*About)) any {
	if err := c.store.Change(run, kind, name, change); err != nil {
		return Lost("%v", err)
	}
	return nil
}

// SetTTL says when a checkpoint ends.
func (c *Catalog) SetTTL(r *http.Request, run, kind, name string) any {
	q, f := Read[struct {
		TTL *int64 `json:"ttl_seconds"`
	}](r, Longest)
	if f != nil {
		return f
	}
	var ends *time.Time
	if q.TTL != nil {
		if *q.TTL < 1 || *q.TTL > LongestTTL {
			return Bad("ttl_seconds is %d, expected 1 or more, or nothing", *q.TTL)
		}
		until := time.Now().UTC().Add(time.Duration(*q.TTL) * time.Second)
		ends = &until
	}
	return c.change(run, kind, name, func(a *About) { a.Expires = ends })
}

// Delete removes a checkpoint.
func (c *Catalog) Delete(run, kind, name string) any {
	if err := c.store.Delete(run, kind, name); err != nil {
		return Lost("%v", err)
	}
	return nil
}

// Info is what a checkpoint is of.
func (c *Catalog) Info(r *http.Request) any {
	q, f := Read[struct {
		Path string `json:"tinker_path"`
	}](r, Longest)
	if f != nil {
		return f
	}
	run, kind, name, err := ParsePath(q.Path)
	if err != nil {
		return Lost("%v", err)
	}
	a, _, err := c.store.Find(run, kind, name)
	if err != nil {
		return Lost("%v", err)
	}
	return map[string]any{"base_model": a.Base, "is_lora": true, "lora_rank": a.Rank, "train_unembed": false, "train_mlp": a.MLP, "train_attn": a.Attn}
}
