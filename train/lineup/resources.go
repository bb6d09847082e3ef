package lineup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"parley/engine/openai"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/rl/rollout/keep"
	"parley/task"
	"parley/task/environment"
	"parley/team"
	"parley/train/cluster"
	"parley/train/estimate"
	"parley/train/plan"
	"parley/train/score"
)

// Resources are what a recipe asks for, opened once and closed once: bases on their engines, tasks, problems. They know no turn.
type Resources struct {
	Backend  Backend
	Bases    []*Base // distinct, in the order of their first agents
	Training *plan.ProblemSampler
	HeldOut  []task.Problem
	TooLong  int             // training problems that were left out as too long
	overlap  int             // training problems that were left out as they are held out, by the task that is measured
	Memory   estimate.Memory // that the run is expected to need
	RateNote string          // how the learning rate was chosen; empty: the recipe says it
	AutoRate bool            // it is the one that parley chooses
	growth   string          // which prompt may outgrow its context; empty: none
	// RewardModel is the scorer's joint model; nil: the task's rewards count.
	RewardModel *score.RewardModel
	// Watch is told how far the rollouts of its lineups are; nil: progress is not reported. See [rollout.Runner].
	Watch func(rollout.Progress)
	// Keep keeps the finished problems of a part of what is measured; nil: nothing is kept.
	Keep func(part int) keep.Keeper

	// Servers are those that speak for agents; nil: none does.
	Servers *openai.Pool

	Harness *harness.Harness // the program in which the team works; nil: it works in none

	door      harness.Door // by which programs ask agents; nil: the backend has none
	tools     toolbox
	forms     plan.Forms
	trained   task.Task // whose problems are trained on
	measured  task.Task // whose held-out problems are measured on
	verifiers map[*Base]verifierFolder
	purpose   purpose
	speakers  []team.Speaker // of the recipe's agents; nil: a base speaks
	rival     team.Speaker   // the comparator that is a server; nil: there is none
}

// A purpose says what a lineup is opened for, and so what of a recipe has to be there.
type purpose int

const (
	toTrain  purpose = iota // everything
	toPlay                  // without problems: the caller has its own
	toTalk                  // without problems and without scorers: a question of a conversation has no right answer
	toReplay                // without speakers and without scorers: what was said and what it earned are on record
)

// speaks says that agents who are no models are asked.
func (p purpose) speaks() bool { return p != toReplay }

// pays says that answers are scored.
func (p purpose) pays() bool { return p == toTrain || p == toPlay }

// Open opens what r asks for, models on engines of a backend. The caller closes the lineup.
func Open(ctx context.Context, r *recipe.Recipe, backend Backend) (Lineup, error) {
	return open(ctx, r, &Resources{Backend: backend})
}

// OpenToPlay opens what r asks for without its problems: no data set needs to be there.
func OpenToPlay(ctx context.Context, r *recipe.Recipe, backend Backend) (Lineup, error) {
	return open(ctx, r, &Resources{Backend: backend, purpose: toPlay})
}

// OpenToTalk is [OpenToPlay] without what scores answers: no answer of the lineup may be scored.
func OpenToTalk(ctx context.Context, r *recipe.Recipe, backend Backend) (Lineup, error) {
	return open(ctx, r, &Resources{Backend: backend, purpose: toTalk})
}

// OpenToReplay is [OpenToTalk] without what speaks for agents who are no models: what they said is on record, and what it earned. No rollout of
// the lineup may be run.
func OpenToReplay(ctx context.Context, r *recipe.Recipe, backend Backend) (Lineup, error) {
	return open(ctx, r, &Resources{Backend: backend, purpose: toReplay})
}

// problems says that problems are drawn: a replay has those that pass rates chose.
func (l *Lineup) problems() bool {
	return l.purpose == toTrain || l.purpose == toReplay && (l.Recipe.Task.Filter.Active() || l.Recipe.Team.Proposals.Each > 0)
}

func open(ctx context.Context, r *recipe.Recipe, resources *Resources) (Lineup, error) {
	if err := cmp.Or(cluster.Check(r), cluster.CheckSampler(r)); err != nil {
		return Lineup{}, err
	}
	if d, has := cluster.Here(resources.Backend).(Doored); has {
		resources.door = d.Door()
	}
	resources.Backend = cluster.For(r, resources.Backend)
	if resources.purpose.speaks() { // else what was drawn is on record
		resources.Backend = cluster.ForSampler(r, resources.Backend)
	}
	l := Lineup{Resources: resources, Recipe: plan.Dated(r, time.Now())}
	if err := l.open(ctx); err != nil {
		return Lineup{}, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Lineup) open(ctx context.Context) error {
	if err := l.openTasks(ctx); err != nil {
		return err
	}
	var err error
	if l.Protocol, err = plan.Protocol(l.Recipe); err != nil {
		return &usererror.Error{Err: err}
	}
	if err := l.openSpeakers(ctx); err != nil {
		return err
	}
	if l.Bases, err = openModels(l.Recipe); err != nil {
		return err
	}
	largest := 0
	for _, b := range l.Bases {
		if len(b.Agents) > 0 { // a comparator does not learn
			largest = max(largest, b.shape.Parameters())
		}
	}
	l.Recipe, l.RateNote = plan.ChooseRate(l.Recipe, largest)
	l.AutoRate = l.Recipe.Optimizer.LR == l.Recipe.AlgorithmType().Rate(largest, l.Recipe.Policies)
	for _, b := range l.Bases {
		if err := b.follow(l.Recipe); err != nil {
			return err
		}
	}
	if err := l.dropLong(); err != nil {
		return err
	}
	l.Sharing = l.share()
	if err := l.openForms(); err != nil {
		return err
	}
	if err := l.openTools(ctx); err != nil {
		return err
	}
	if err := l.readVerifiers(); err != nil {
		return err
	}
	if err := l.fit(ctx); err != nil {
		return err
	}
	for _, b := range l.Bases {
		if err := b.load(ctx, l.Backend, l.Memory.Options); err != nil {
			return err
		}
	}
	if err := cmp.Or(l.openScorer(ctx), l.openHarness()); err != nil {
		return err
	}
	return l.probe(ctx)
}

// openTasks opens the task, and its problems where some are wanted.
func (l *Lineup) openTasks(ctx context.Context) error {
	var err error
	if !l.problems() {
		l.Task, err = plan.OpenForAnswers(ctx, l.Recipe, l.purpose.pays())
		l.trained, l.measured, l.Training = l.Task, l.Task, &plan.ProblemSampler{}
		return err
	}
	paid := l.purpose.pays()
	if l.Task, err = plan.OpenTask(ctx, l.Recipe, l.Recipe.Task, paid); err != nil {
		return err
	}
	l.trained, l.measured = l.Task, l.Task
	if l.elsewhere() {
		if l.measured, err = plan.OpenTask(ctx, l.Recipe, l.Recipe.Measured(), paid); err != nil {
			return err
		}
	}
	return l.openProblems()
}

// Close gives back everything that was opened.
func (l Lineup) Close() error {
	var errs []error
	if l.Scorer != nil {
		errs = append(errs, l.Scorer.Close())
	}
	if l.Harness != nil {
		errs = append(errs, l.Harness.Close())
	}
	errs = append(errs, closeAll(l.Bases), l.closeSpeakers(), l.tools.close())
	for _, t := range l.tasks() {
		if c, ok := t.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// tasks lists what was opened, each task once. Tasks themselves are not compared: they may be of any type.
func (l Lineup) tasks() []task.Task {
	switch {
	case l.trained == nil:
		return nil
	case l.measured == nil || !l.elsewhere():
		return []task.Task{l.trained}
	}
	return []task.Task{l.trained, l.measured}
}

// elsewhere says that the team is measured on another task than it is trained on.
func (l Lineup) elsewhere() bool { return l.Recipe.Eval.Task.Other() }

// openProblems draws the problems of training and evaluation.
func (l *Lineup) openProblems() error {
	train, err := l.Task.Problems(task.Train, l.Recipe.Task.Train)
	if err != nil {
		return usererror.Errorf("training problems of task %s: %w", l.Task.Name(), err)
	}
	test, err := l.measured.Problems(task.Test, l.Recipe.Eval.Problems)
	if err != nil {
		return usererror.Errorf("held-out problems of task %s: %w", l.measured.Name(), err)
	}
	all := len(train)
	train, l.overlap = l.apart(train, test)
	switch {
	case len(train) == 0 && l.overlap > 0:
		return usererror.Errorf("all %d training problems of task %s are held out too: train on other data than is measured on", all, l.Task.Name())
	case len(train) == 0 || len(test) == 0:
		return usererror.Errorf("task %s has %d training and %d held-out problems: both are needed", l.Task.Name(), len(train), len(test))
	}
	if err := plan.CheckShown(l.Recipe, train[0], test[0]); err != nil {
		return err
	}
	l.HeldOut = test
	l.Training = &plan.ProblemSampler{Problems: train, PerUpdate: l.Recipe.Training.Problems, Seed: uint64(l.Recipe.Seed)}
	return nil
}

// apart leaves out the training problems that are held out.
func (l *Lineup) apart(train, held []task.Problem) (kept []task.Problem, overlap int) {
	agents := l.Recipe.Team.Agents.N
	kind := l.Recipe.TaskType()
	_, apart := l.trained.(task.Overlapper)
	switch {
	case apart && kind.AnyField && !l.elsewhere():
		return train, 0 // the task has done so, and knows more of its rows than prompts show
	case kind.AnyField:
		return task.ApartBeside(train, held, plan.ShownFields(l.Recipe))
	}
	names := kind.FieldNames(agents)
	if l.elsewhere() { // what both promise
		measured, _ := l.Recipe.Language().Task(l.Recipe.Eval.Task.Name)
		theirs := measured.FieldNames(agents)
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(theirs, name) })
	}
	return task.Apart(train, held, names...)
}

// Overlap is how many training problems were left out as they are held out too.
func (l Lineup) Overlap() int {
	if t, ok := l.trained.(task.Overlapper); ok {
		return l.overlap + t.LeftOut()
	}
	return l.overlap
}

// share says which agents may share policies: those of one base. Agents that are no models are read with the base of the single agent.
func (l *Lineup) share() learn.Sharing {
	s := learn.Sharing{Policies: l.Recipe.Policies, Bases: slices.Repeat([]int{l.baseOf(l.Recipe.Soloist())}, l.Protocol.Agents()), Names: l.Recipe.AgentNames()}
	for i, b := range l.Bases {
		for _, agent := range b.Agents {
			s.Bases[agent] = i
		}
	}
	return s
}

// baseOf is the number of the base that an agent speaks with. In a team without any model it is the first one: others are read with that.
func (l *Lineup) baseOf(agent int) int {
	return max(0, slices.IndexFunc(l.Bases, func(b *Base) bool { return slices.Contains(b.Agents, agent) }))
}

// fit makes sure that the memory of all bases suffices, before their engines are opened.
func (l *Lineup) fit(ctx context.Context) error {
	first, err := l.firstPrompt(ctx)
	if err != nil {
		return err
	}
	u := estimate.Run{Recipe: l.Recipe, Sharing: l.Sharing, Turns: l.Protocol.Turns(), FirstPrompt: first, Estimators: l.Backend}
	for _, b := range l.Bases {
		shape := estimate.Base{Name: b.Name, Agents: b.Agents, Config: b.shape}
		if v, ok := l.verifiers[b]; ok {
			spec := v.Settings.Spec()
			shape.Verifier = &spec
		}
		u.Bases = append(u.Bases, shape)
	}
	l.growth, err = plan.CheckGrowth(l.Recipe, first, func(agent int) int {
		if i := slices.IndexFunc(l.Bases, func(b *Base) bool { return slices.Contains(b.Agents, agent) }); i >= 0 {
			return l.Bases[i].shape.Context
		}
		return 0
	})
	if err != nil {
		return err
	}
	l.Memory, err = u.Fit()
	return err
}

// firstPrompt is how many tokens the longest prompt of the first turn has, of some held-out problems.
func (l *Lineup) firstPrompt(ctx context.Context) (int, error) {
	const problems = 32
	most := 0
	if !l.purpose.pays() {
		return most, nil // nothing is played
	}
	for i, p := range l.HeldOut[:min(len(l.HeldOut), problems)] {
		asks, err := l.firstAsks(ctx, p)
		var failure *worldError
		switch {
		case errors.As(err, &failure) && i > 0:
			return most, nil // the episode says it
		case failure != nil:
			return 0, usererror.Errorf("task.environment: the trial of reset with problem %s: %w", p.ID, err)
		case err != nil:
			return 0, fmt.Errorf("ask problem %s: %w", p.ID, err)
		}
		for _, a := range asks {
			codecs := []rollout.Codec{l.codecOf(a.Agent)}
			for _, b := range l.Bases {
				codecs = append(codecs, b.Model)
			}
			for _, c := range codecs {
				prompt, err := c.Prompt(a.Messages)
				if err != nil {
					return 0, fmt.Errorf("prompt of problem %s: %w", p.ID, err)
				}
				most = max(most, len(prompt))
			}
		}
	}
	return most, nil
}

// A worldError is one of an environment.
type worldError struct{ error }

// firstAsks are those that an episode of a problem begins with.
func (l *Lineup) firstAsks(ctx context.Context, p task.Problem) ([]team.Ask, error) {
	if l.Recipe.Harnessed() { // nobody knows what its program asks; the question will be in it
		return []team.Ask{{Messages: []team.Message{{Role: team.User, Content: p.Question}}}}, nil
	}
	world, acts := l.measured.(score.World)
	mover, moves := l.Protocol.(team.Mover)
	if !acts || !moves {
		return l.Protocol.Next(p, nil)
	}
	begin, err := world.World().Reset(ctx, p)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, err // which says who was waited for
	case err != nil:
		return nil, &worldError{err}
	}
	if s, keeps := world.World().(environment.Stateful); keeps {
		s.End(ctx, begin.State)
	}
	seen := &team.Observation{State: begin.State}
	for _, name := range l.Recipe.Team.Agents.Names() {
		text, _ := begin.Observed(name)
		seen.Texts = append(seen.Texts, text)
	}
	move, err := mover.Move(p, team.History{{Turn: -1, Agent: team.World, Observed: seen}})
	return move.Asks, err
}

// openScorer opens what says what answers are worth.
func (l *Lineup) openScorer(ctx context.Context) error {
	if !l.purpose.pays() {
		var err error
		l.Scorer, err = score.Reader(l.Recipe, l.Task, l.codecs())
		return err
	}
	parts := score.Parts{Codecs: l.codecs(), Untrained: l.Untrained(), Servers: l.Servers}
	if l.Recipe.Reward.Source == "preferences" {
		l.RewardModel = score.NewRewardModel(l.Recipe, parts.Untrained[l.Recipe.Soloist()])
		parts.Model = l.RewardModel
	}
	var err error
	if parts.Verifiers, err = l.loadVerifiers(ctx); err != nil {
		return err
	}
	l.Scorer, err = score.New(ctx, l.Recipe, l.Task, parts)
	return err
}

// dropLong leaves out training problems whose questions are longer than the recipe allows, and counts them. Held-out problems stay.
func (l *Lineup) dropLong() error {
	most := l.Recipe.Task.MaxQuestionTokens
	if most == 0 || !l.problems() {
		return nil
	}
	all := l.Training.Problems
	var kept []task.Problem
	shortest := 0
	for _, p := range all {
		n, err := l.questionTokens(p)
		if err != nil {
			return fmt.Errorf("count the tokens of problem %s: %w", p.ID, err)
		}
		if n <= most {
			kept = append(kept, p)
		}
		if shortest == 0 || n < shortest {
			shortest = n
		}
	}
	if len(kept) == 0 {
		return usererror.Errorf("task %s has no training problem whose question has at most %d tokens: the shortest has %d; raise task.max_question_tokens", l.Task.Name(), most, shortest)
	}
	l.Training.Problems, l.TooLong = kept, len(all)-len(kept)
	return nil
}

// questionTokens is how long a question is as a user message by itself, for the base of the team that makes most tokens of it.
func (l *Lineup) questionTokens(p task.Problem) (int, error) {
	most := 0
	for _, b := range l.Bases {
		if len(b.Agents) == 0 {
			continue // a comparator's, who does not train
		}
		prompt, err := b.Model.Prompt([]team.Message{{Role: team.User, Content: p.Question}})
		if err != nil {
			return 0, err
		}
		most = max(most, len(prompt))
	}
	return most, nil
}
