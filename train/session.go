package train

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"parley/credit"
	"parley/engine"
	"parley/internal/seed"
	"parley/internal/usererror"
	"parley/learn"
	"parley/model"
	"parley/recipe"
	"parley/reward"
	"parley/rollout"
	"parley/task"
	"parley/team"
	"parley/train/score"
)

// A session is everything a recipe asks for, opened: the bases on their engines, the task, the team.
type session struct {
	recipe  *recipe.Recipe
	backend Backend
	bases   []*base // distinct, in the order of their first agents
	task    task.Task
	scorer  *score.Scorer
	// rewardModel is the scorer's joint model; nil: the task's rewards count.
	rewardModel *rewardModel
	protocol    team.Protocol
	sharing     learn.Sharing
	verdicts    map[*base]verdictFolder // of each base, where answers are scored by trained verifiers
	test        []task.Problem
	order       *order
	long        int       // training problems that were left out as too long
	measured    task.Task // whose held-out problems are measured on
	exam        *session  // the session as it is measured

	options   engine.Options // of the engines, from [session.checkMemory]
	question  int            // tokens of a first prompt; 0: not known
	predicted float64        // memory of the run, in bytes
}

// open loads what r asks for, models on engines of a backend. The caller closes the session.
func open(ctx context.Context, r *recipe.Recipe, backend Backend) (*session, error) {
	s := &session{recipe: r, backend: backend}
	var err error
	if s.task, err = openTask(r.Language(), r.Task, r.Team.Agents); err != nil {
		return nil, err
	}
	if err := s.furnish(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// furnish opens what works on the task.
func (s *session) furnish(ctx context.Context) error {
	if err := s.openProblems(); err != nil {
		return err
	}
	var err error
	if s.protocol, err = newProtocol(s.recipe); err != nil {
		return &UserError{Err: err}
	}
	if s.bases, err = openModels(s.recipe); err != nil {
		return err
	}
	if err := s.dropLong(); err != nil {
		return err
	}
	if err := s.openEngines(ctx); err != nil {
		return err
	}
	s.exam, err = s.examination()
	return err
}

// openEngines puts the bases on engines, once their memory is known to suffice, and opens the judge of their answers.
func (s *session) openEngines(ctx context.Context) error {
	s.share()
	if err := s.readVerifiers(); err != nil {
		return err
	}
	if err := s.checkMemory(); err != nil {
		return err
	}
	for _, b := range s.bases {
		if err := b.load(ctx, s.backend, s.options); err != nil {
			return err
		}
	}
	return s.openScorer(context.Background())
}

// openScorer opens what says what answers are worth.
func (s *session) openScorer(ctx context.Context) error {
	parts := score.Parts{Codecs: s.codecs(), Untrained: s.untrained()}
	if s.recipe.Reward.Source == "preferences" {
		s.rewardModel = newRewardModel(s.recipe, parts.Untrained[s.recipe.Soloist()])
		parts.Model = s.rewardModel
	}
	var err error
	if parts.Verifiers, err = s.loadVerifiers(ctx); err != nil {
		return err
	}
	s.scorer, err = score.New(ctx, s.recipe, s.task, parts)
	return err
}

// share says which agents may share policies: those of one base.
func (s *session) share() {
	s.sharing = learn.Sharing{Policies: s.recipe.Policies, Bases: make([]int, s.protocol.Agents())}
	for i, b := range s.bases {
		for _, agent := range b.agents {
			s.sharing.Bases[agent] = i
		}
	}
}

func (s *session) close() {
	if s.scorer != nil {
		_ = s.scorer.Close() // its rewards have been taken
	}
	closeAll(s.bases)
	if t, ok := s.task.(io.Closer); ok {
		_ = t.Close() // sandboxes that end: there is nothing of theirs to lose
	}
}

// openProblems draws the problems of training and evaluation.
func (s *session) openProblems() error {
	train, err := s.task.Problems(task.Train, s.recipe.Task.Train)
	if err != nil {
		return usererror.Errorf("training problems of task %s: %w", s.task.Name(), err)
	}
	test, err := s.heldOut()
	if err != nil {
		return err
	}
	if len(train) == 0 || len(test) == 0 {
		return usererror.Errorf("task %s has %d training and %d held-out problems: both are needed", s.task.Name(), len(train), len(test))
	}
	s.test = test
	s.order = &order{problems: train, perUpdate: s.recipe.Training.Problems, seed: uint64(s.recipe.Seed)}
	return nil
}

// newProtocol builds the team.
func newProtocol(r *recipe.Recipe) (team.Protocol, error) {
	s := team.Settings{Agents: r.Team.Agents, Turns: r.Team.Turns, SeeOthers: r.Team.History == "all", ShowScores: r.Team.RewardFeedback,
		Prompts: prompts(r), Roles: r.Team.Prompts.Roles, Feedback: reward.Feedback,
		Memory: team.Memory{NoOriginal: !r.Team.ChatMemory.Original, NoPrevious: !r.Team.ChatMemory.Previous, Turns: r.Team.ChatMemory.Last}}
	switch r.Team.Protocol {
	case "debate":
		return team.NewDebate(s)
	case "parallel":
		return team.NewParallel(s)
	case "single":
		return team.NewSingle(s)
	case "central":
		return team.NewCentral(s)
	case "pipeline":
		return team.NewPipeline(s)
	}
	return nil, fmt.Errorf("protocol %q: write debate, parallel, single or central", r.Team.Protocol)
}

// prompts are the recipe's. What it leaves out is the task's own or has the paper's form for a question, or, in a team over the shipped base
// alone, the short one that it was made with.
func prompts(r *recipe.Recipe) team.Prompts {
	p := team.Prompts{System: r.Team.Prompts.System, Examples: r.Team.Prompts.Examples, First: r.Team.Prompts.First, Later: r.Team.Prompts.Later}
	form := team.Maths
	if own := r.TaskType().Prompts; own.First != "" {
		form.First, form.Later = own.First, cmp.Or(own.Later, form.Later)
	} else if !slices.ContainsFunc(r.Bases(), func(base string) bool { return base != model.Shipped }) {
		form = team.Short
	}
	if p.First == "" {
		p.First = form.First
	}
	if mode := team.Mode(r.Team.Feedback); p.Later == "" && mode != team.Plain {
		p.Later = mode.Later(p.First)
	} else if p.Later == "" {
		p.Later = form.Later
	}
	return p
}

// A placed policy is a trained one on the base that it is an adapter of.
type placed struct {
	name engine.Policy
	base *base
}

// policies lists the trained policies of the recipe.
func (s *session) policies() []placed {
	var out []placed
	critics := s.recipe.Critics()
	for _, t := range s.sharing.Trained(s.protocol.Turns(), critics == learn.CriticsOwn) {
		out = append(out, placed{t.Policy, s.baseOf(t.Agent)})
	}
	if s.recipe.Reward.Source == "preferences" {
		out = append(out, placed{rewardPolicy, s.baseOf(s.recipe.Soloist())})
	}
	if critics == learn.CriticsCentral {
		out = append(out, placed{learn.CentralCritic, s.baseOf(s.recipe.Soloist())})
	}
	return out
}

// spec is what the i-th policy of the recipe trains.
func (s *session) spec(i int, name engine.Policy) engine.PolicySpec {
	p := s.recipe.Policies
	spec := engine.PolicySpec{Rank: p.Rank, Alpha: p.Alpha, Targets: p.Targets, ValueHead: learn.IsCritic(name) || s.recipe.Critics() == learn.CriticsOnPolicies,
		Seed: seed.Derive(uint64(s.recipe.Seed), "policy", i)}
	if spec.ValueHead && !s.recipe.Algorithm.Debates() {
		spec.ValueInit = s.recipe.Critic.Init
	}
	if spec.ValueHead && s.recipe.Algorithm.ActorCritic() && name != rewardPolicy {
		spec.ValueHidden = s.recipe.Critic.Hidden
	}
	return spec
}

// addPolicies creates the trained policies with fresh initial values.
func (s *session) addPolicies(ctx context.Context) error {
	for i, p := range s.kept() {
		if err := p.base.engine.NewPolicy(ctx, p.name, s.spec(i, p.name)); err != nil {
			return fmt.Errorf("add policy %s: %w", p.name, err)
		}
	}
	return nil
}

// kept lists everything that a checkpoint holds: the policies, and what they were when iterations began.
func (s *session) kept() []placed { return append(s.policies(), s.snapshots()...) }

// save writes policies under dir, a folder each.
func (s *session) save(ctx context.Context, dir string, policies []placed) error {
	for _, p := range policies {
		if err := p.base.engine.Save(ctx, p.name, filepath.Join(dir, string(p.name))); err != nil {
			return fmt.Errorf("save policy %s: %w", p.name, err)
		}
	}
	return nil
}

// load reads what save wrote.
func (s *session) load(ctx context.Context, dir string, policies []placed) error {
	for _, p := range policies {
		if err := p.base.engine.Load(ctx, p.name, filepath.Join(dir, string(p.name))); err != nil {
			return fmt.Errorf("load policy %s: %w", p.name, err)
		}
	}
	return nil
}

// runner returns a rollout of the team; untrained teams speak with the base in every turn.
func (s *session) runner(trained bool, sampling engine.Sampling, settings rollout.Settings) *rollout.Runner {
	settings.Sampling, settings.Truncate = sampling, s.recipe.Truncate == "left"
	r := &rollout.Runner{Protocol: s.protocol, Scorer: s.scorer, Settings: settings, Seed: uint64(s.recipe.Seed)}
	for agent := range s.protocol.Agents() {
		policy := func(int) engine.Policy { return engine.Base }
		if trained {
			policy = func(turn int) engine.Policy { return s.sharing.Policy(turn, agent) }
		}
		b := s.baseOf(agent)
		r.Actors = append(r.Actors, rollout.Actor{Engine: b.engine, Codec: b.model, Policy: policy, Context: b.context})
	}
	return r
}

// untrained are the agents' bases without adapters, for scorers to ask about answers.
func (s *session) untrained() []rollout.Actor {
	actors := s.runner(false, engine.Sampling{}, rollout.Settings{}).Actors
	for agent := range actors {
		actors[agent].Engine = s.baseOf(agent).judging()
	}
	return actors
}

// training returns the rollout that training episodes come from.
func (s *session) training() *rollout.Runner {
	r := s.recipe
	settings := rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: r.Sampling.MaxTokens, MinTokens: r.Sampling.MinTokens,
		Limit: r.Limits.Generations, Ends: s.scorer.Ends()}
	if !r.Algorithm.Debates() {
		settings.Group, settings.ReuseInBackward = groupSize(r), s.keeps()
		settings.Joint, _ = credit.ParseJointMode(r.Group.Joint) // validated with the recipe
		settings.Chain = r.Group.Rollout == "chain"
	}
	trained := !r.Algorithm.FromUntrained()
	return s.runner(trained, s.trainingSampling(), settings)
}

func (s *session) trainingSampling() engine.Sampling {
	return engine.Sampling{Temperature: s.recipe.Sampling.Temperature, TopK: s.recipe.Sampling.TopK, TopP: s.recipe.Sampling.TopP}
}

// keeps says that what is sampled first is trained on first, by steps that take all of it.
func (s *session) keeps() bool {
	g := &s.recipe.Group
	return s.recipe.Algorithm.GroupRelative() && g.Padding == "exact" && g.TrainBatch == 0 && g.Buffer == 0
}

// groupSize is how many completions an agent gives at a node in training.
func groupSize(r *recipe.Recipe) int {
	switch {
	case r.Algorithm.Debates():
		return 1
	case r.Algorithm.Pairs():
		return r.Preference.Candidates
	}
	return r.Group.Size
}

// evaluation returns the rollout of held-out problems. All turns are always played.
func (s *session) evaluation(trained bool) *rollout.Runner {
	r := s.recipe
	sampling := engine.Sampling{Temperature: r.Eval.Temperature, TopK: r.Sampling.TopK, TopP: r.Sampling.TopP}
	out := s.runner(trained, sampling, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: r.Sampling.MaxTokens, MinTokens: r.Sampling.MinTokens})
	out.Scorer = s.scorer.Inference()
	return out
}
