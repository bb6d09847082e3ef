package record

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"parley/internal/plotio"
	"parley/recipe"
	"parley/runs"
	"parley/team/workflow"
	"parley/team/workflow/picture"
	"parley/train/plan"
	"parley/train/report"
)

// Pictures draws the run of a recipe that lies in dir. Files are by name.
func Pictures(r *recipe.Recipe, means runs.Report, dir string) (map[string][]byte, error) {
	updates, err := Curve(dir)
	if err != nil {
		return nil, err
	}
	files, err := report.Figures(means, updates)
	if err != nil {
		return nil, err
	}
	return withTeam(r, files)
}

// ExperimentPictures draws the means of an experiment whose finished runs lie in dir. The team is drawn where there is one.
func ExperimentPictures(r *recipe.Recipe, means runs.Report, done []report.Trial, dir string) (map[string][]byte, error) {
	var trainings []report.Training
	for _, t := range done {
		updates, err := Curve(filepath.Join(dir, t.Name))
		if err != nil {
			return nil, err
		}
		trainings = append(trainings, report.Training{Variant: t.Variant, Updates: updates})
	}
	files, err := report.ExperimentFigures(means, trainings)
	if err != nil || len(r.Experiment.Variants) > 0 {
		return files, err
	}
	return withTeam(r, files)
}

// withTeam adds who sees what in the recipe's team, where anybody sees what was said.
func withTeam(r *recipe.Recipe, files map[string][]byte) (map[string][]byte, error) {
	spec, known, err := plan.Workflow(r)
	if err != nil || !known {
		return files, err
	}
	w, err := workflow.New(spec)
	if err != nil {
		return nil, fmt.Errorf("draw the team: %w", err)
	}
	sights, err := w.Visibility()
	if err != nil {
		return nil, fmt.Errorf("draw the team: %w", err)
	}
	if !slices.ContainsFunc(sights, func(s workflow.Sight) bool { return slices.ContainsFunc(s.Sees, later) }) {
		return files, nil
	}
	p, err := picture.Of(r.Name, w)
	if err != nil {
		return nil, fmt.Errorf("draw the team: %w", err)
	}
	drawn, err := plotio.Files(report.TeamPicture, p, p.Size())
	if err != nil {
		return nil, fmt.Errorf("draw the team: %w", err)
	}
	maps.Copy(files, drawn)
	return files, nil
}

// later says that a source is no part of the problem.
func later(s workflow.Source) bool { return s.What != workflow.Question && s.What != workflow.Field }

// Speakers says who speaks with which base, in teams of several bases or with frozen agents; none: nothing is worth a word.
func Speakers(r *recipe.Recipe) []report.Speaker {
	if len(r.Models) == 0 && len(r.Policies.Frozen) == 0 {
		return nil
	}
	var out []report.Speaker
	for agent, base := range r.Bases() {
		s := report.Speaker{Base: base, Frozen: r.Policies.IsFrozen(agent), By: plan.Agent(r, agent).Speaker()}
		if names := r.AgentNames(); agent < len(names) {
			s.Name = names[agent]
		}
		out = append(out, s)
	}
	return out
}
