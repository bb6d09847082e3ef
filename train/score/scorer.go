// Package score says what answers are worth: it is the [rollout.Scorer] of a recipe. Final answers are read and compared with the truth,
// verifiers give scores, the task or the user's own reward judges joint actions, and later turns are told what the recipe wants them to be.
//
//	scorer.go     what is asked, in which order
//	answers.go    one answer by itself: final answer, flags (maporl.md §2.1)
//	joint.go      what a joint action earns
//	ends.go       where dialogues end early
//	derive.go     the scorer of another team or task over the same parts; what they pay single agents
//	verifiers.go  trained verifiers, programs and servers; program.go and server.go ask these
//	reasoning.go  bases that are asked whether an answer gives reasons
//	feedback.go   what agents are told between turns (magrpo.md §9)
//	user.go       rewards of the user's own
//	probe.go      their trial before anything is trained
package score

import (
	"context"
	"errors"
	"fmt"

	"parley/engine/openai"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/credit"
	"parley/rl/eval"
	"parley/rl/learn"
	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/rl/rollout/gather"
	"parley/rl/verifier"
	"parley/task"
	"parley/task/environment"
	"parley/task/user"
	"parley/train/plan"
)

// A Verifier gives each answer a score, or the reason why it has none. An error is about all of them.
type Verifier interface {
	Score(ctx context.Context, answers []verifier.Answer) ([]verifier.Score, error)
}

// A JointModel replaces the rewards of scored nodes by its own (MARLHF, magrpo.md §5).
type JointModel interface {
	// Reward sets the rewards of nodes to the model's scores.
	Reward(ctx context.Context, turn []rollout.ScoreItem) error
}

// Parts are what a scorer may ask, beside the task.
type Parts struct {
	Codecs    []rollout.Codec // of the agents
	Untrained []rollout.Actor // the agents' bases without adapters, to be asked about answers
	Verifiers []Verifier      // of each agent's answers; none: the recipe's program or server, or else labels are scores
	Model     JointModel      // nil: the task's rewards count
	Servers   *openai.Pool    // that verifiers and experts are asked with; nil: as if the recipe said nothing of them
}

// A Scorer implements [rollout.Scorer] for a recipe: it reads final answers, compares them with the truth, flags what deserves a penalty,
// and gives every joint action its processed reward.
type Scorer struct {
	recipe    *recipe.Recipe
	answerer  task.Answerer    // nil for tasks without comparable answers
	joint     task.JointScorer // nil unless the source of rewards is the task's joint reward
	user      *user.Reward     // nil unless it is the user's
	codecs    []rollout.Codec  // of the agents
	untrained []rollout.Actor  // of the agents, where the bases are asked about their answers; else none
	process   reward.Chain
	threshold *float64      // of early termination, in processed rewards; nil: never
	reporter  task.Reporter // of diagnostics between turns; nil: none
	expert    *Expert       // of suggestions between turns; nil: none
	model     JointModel    // scores joint responses in place of the task; nil: none
	verifiers []Verifier    // of each agent's answers; none: the label is the score
	world     bool          // an environment pays
	inference bool          // scores are wanted only where prompts of later turns show them
}

// A World is a task whose environment pays, step by step. Its range is that of the sum of an episode's rewards.
type World interface {
	task.JointScorer
	World() environment.Environment
}

// New returns the scorer of r on t. The caller closes it.
func New(ctx context.Context, r *recipe.Recipe, t task.Task, p Parts) (*Scorer, error) {
	s, err := plain(r, t, p.Codecs)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	if p.Servers == nil {
		if p.Servers, err = plan.Servers(r); err != nil {
			return nil, err
		}
	}
	if err := s.openFeedback(t, p.Servers); err != nil {
		return nil, err
	}
	if s.model = p.Model; r.Reward.Penalties.Reasoning {
		s.untrained = p.Untrained
	}
	if s.verifiers = p.Verifiers; s.verifiers == nil {
		if s.verifiers, err = external(r, len(p.Codecs), p.Servers); err != nil {
			return nil, err
		}
	}
	if s.user, err = openUser(ctx, r.Reward); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Reader is a scorer that reads answers and can score none: nothing that pays is opened.
func Reader(r *recipe.Recipe, t task.Task, codecs []rollout.Codec) (*Scorer, error) {
	s, err := plain(r, t, codecs)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	return s, nil
}

// plain is the scorer as far as it follows from recipe and task alone.
func plain(r *recipe.Recipe, t task.Task, codecs []rollout.Codec) (*Scorer, error) {
	s := &Scorer{recipe: r, codecs: codecs}
	s.answerer, _ = t.(task.Answerer)
	_, s.world = t.(World)
	joint, isJoint := t.(task.JointScorer)
	switch {
	case r.Reward.Source == "user", r.Reward.Source == keys.OfHarness:
	case r.Reward.OfTask() && !isJoint:
		return nil, fmt.Errorf("reward.source is %s, but task %s has no joint reward: write label", r.Reward.Source, t.Name())
	case r.Reward.OfTask():
		s.joint = joint
	case s.answerer == nil:
		return nil, fmt.Errorf("reward.source is %s, but answers of task %s cannot be compared with a truth: write joint", r.Reward.Source, t.Name())
	}
	s.process = reward.Chain{reward.Scale(r.Reward.Scale), reward.Shift(r.Reward.Shift)}
	if c := r.Reward.Clamp; len(c) == 2 {
		s.process = append(s.process, reward.Clamp(c[0], c[1]))
	}
	for _, text := range r.Reward.Processors {
		p, err := reward.ParseProcessor(text)
		if err != nil {
			return nil, err
		}
		s.process = append(s.process, p)
	}
	if share := recipe.Section[learn.Group](r).Terminate; share != nil {
		least, most := s.ProcessedRange()
		at := credit.RelativeThreshold(*share, least, most)
		s.threshold = &at
	}
	return s, nil
}

// Close ends the programs that the scorer asks.
func (s *Scorer) Close() error {
	closeAll(s.verifiers)
	if s.user == nil {
		return nil
	}
	return s.user.Close()
}

// Range is that of the raw reward of a joint action.
func (s *Scorer) Range() (least, most float64) {
	switch {
	case s.recipe.Reward.Source == "user", s.recipe.Reward.Source == keys.OfHarness:
		return s.recipe.Reward.User.Min, s.recipe.Reward.User.Max
	case s.joint != nil:
		return s.joint.Range()
	}
	return 0, 1
}

// Measure is by what teams of the recipe are measured: whether they are right; or what they earn, which an environment pays step by step and
// everything else at once. A range that begins above 0 counts from 0.
func (s *Scorer) Measure() eval.Measure {
	if !s.recipe.Reward.Joint() {
		return eval.Accuracy()
	}
	least, most := s.Range()
	if s.world {
		return eval.Earned("return", min(least, 0), most)
	}
	return eval.Earned("reward", min(least, 0), most)
}

// ProcessedRange is that of the reward of a joint action after processing.
func (s *Scorer) ProcessedRange() (least, most float64) { return s.process.Range(s.Range()) }

// Answerer reads final answers; nil: answers of the task have none that can be compared.
func (s *Scorer) Answerer() task.Answerer { return s.answerer }

// Score implements [rollout.Scorer]: answers are read, scored in one batch where they have a verifier, and rewarded. Nodes are worked
// on at the same time: a task may have to wait for a sandbox. What unfinished answers cost is taken off processed rewards.
func (s *Scorer) Score(ctx context.Context, turn []rollout.ScoreItem) error {
	if err := s.score(ctx, turn); err != nil {
		return err
	}
	for _, t := range turn {
		charge(t.Node)
	}
	return nil
}

// charge takes the mean penalty of its answers off the reward of every joint action.
func charge(n *rollout.Node) {
	for k := range n.Rewards {
		sum := 0.0
		for a, g := range n.Joint[k] {
			sum += n.Agents[a].Completions[g].Penalty
		}
		n.Rewards[k] -= sum / float64(len(n.Joint[k]))
	}
}

func (s *Scorer) score(ctx context.Context, turn []rollout.ScoreItem) error {
	if err := gather.All(len(turn), func(i int) error { s.readNode(turn[i]); return nil }); err != nil {
		return err
	}
	if err := s.flagUnreasoned(ctx, turn); err != nil {
		return err
	}
	if err := s.scoreAnswers(ctx, turn); err != nil {
		return err
	}
	if s.user != nil {
		return s.askUser(ctx, turn)
	}
	if err := gather.All(len(turn), func(i int) error {
		p, n := turn[i].Problem, turn[i].Node
		if n.Failed != "" {
			return nil
		}
		if err := s.rewards(ctx, turn[i]); err != nil {
			return fmt.Errorf("problem %s, turn %d: %w", p.ID, n.Turn+1, err)
		}
		return nil
	}); err != nil || s.model == nil || s.inference {
		return err
	}
	if err := s.model.Reward(ctx, turn); err != nil {
		return err
	}
	for _, t := range turn {
		for k, raw := range t.Node.Rewards {
			t.Node.Rewards[k] = s.process.Process(raw, tokensOf(t.Node, t.Node.Joint[k]))
		}
	}
	return nil
}

// Streams implements [rollout.StreamingScorer]: what waits for a sandbox or a server may be asked for while engines sample. A program that
// answers line by line is asked turn by turn: it may remember what it was asked before.
func (s *Scorer) Streams() bool {
	if s.model != nil || s.expert != nil || len(s.verifiers) > 0 || s.recipe.Reward.Penalties.Reasoning {
		return false
	}
	if u := s.recipe.Reward.User; s.user != nil {
		return u.URL != "" && !s.user.Batched() || u.Python != "" && u.Isolated
	}
	return s.joint != nil && s.recipe.TaskType().Sandboxed
}

// ScoreSome implements [rollout.StreamingScorer].
func (s *Scorer) ScoreSome(ctx context.Context, some []rollout.ScoreItem) error {
	return s.Score(ctx, some)
}
