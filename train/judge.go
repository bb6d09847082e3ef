package train

import (
	"context"
	"fmt"
	"slices"

	"parley/credit"
	"parley/recipe"
	"parley/reward"
	"parley/rollout"
	"parley/task"
	"parley/task/expert"
	"parley/task/user"
	"parley/team"
)

// judge implements [rollout.Score] for a recipe: it reads final answers, compares them with the truth, flags what
// deserves a penalty, and gives every joint action its processed reward.
type judge struct {
	recipe    *recipe.Recipe
	answerer  task.Answerer    // nil for tasks without comparable answers
	joint     task.JointScorer // nil unless the verifier is the joint reward of the task
	user      *user.Reward     // nil unless it is the user's
	codecs    []rollout.Codec  // of the agents
	actors    []rollout.Actor  // of the agents, where the bases are asked about their answers
	process   reward.Chain
	threshold *float64       // of early termination, in processed rewards; nil: never
	reporter  task.Reporter  // of diagnostics between turns; nil: none
	expert    *expert.Expert // of suggestions between turns; nil: none
	model     *rewardModel   // scores joint responses in place of the task; nil: none
	scorers   []scorer       // of each agent's answers; none: the label is the score
	inference bool           // scores are wanted only where prompts of later turns show them
}

func newJudge(r *recipe.Recipe, t task.Task, codecs []rollout.Codec) (*judge, error) {
	j := &judge{recipe: r, codecs: codecs}
	j.answerer, _ = t.(task.Answerer)
	joint, isJoint := t.(task.JointScorer)
	switch {
	case r.Reward.Source == "user":
	case r.Reward.OfTask() && !isJoint:
		return nil, fmt.Errorf("reward.source is %s, but task %s has no joint reward: write label", r.Reward.Source, t.Name())
	case r.Reward.OfTask():
		j.joint = joint
	case j.answerer == nil:
		return nil, fmt.Errorf("reward.source is %s, but answers of task %s cannot be compared with a truth: write joint", r.Reward.Source, t.Name())
	}
	j.process = reward.Chain{reward.Scale(r.Reward.Scale), reward.Shift(r.Reward.Shift)}
	if c := r.Reward.Clamp; len(c) == 2 {
		j.process = append(j.process, reward.Clamp(c[0], c[1]))
	}
	if r.Group.Terminate != nil {
		least, most := j.process.Range(j.rewardRange())
		at := credit.RelativeThreshold(*r.Group.Terminate, least, most)
		j.threshold = &at
	}
	return j, nil
}

// rewardRange is that of the raw reward of a joint action.
func (j *judge) rewardRange() (least, most float64) {
	switch {
	case j.recipe.Reward.Source == "user":
		return j.recipe.Reward.User.Min, j.recipe.Reward.User.Max
	case j.joint != nil:
		return j.joint.Range()
	}
	return 0, 1
}

// Score implements [rollout.Scorer]: answers are read, scored in one batch where they have a verifier, and rewarded. Nodes are worked
// on at the same time: a task may have to wait for a sandbox.
func (j *judge) Score(ctx context.Context, turn []rollout.ScoreItem) error {
	if err := rollout.Concurrently(len(turn), func(i int) error { j.readNode(turn[i]); return nil }); err != nil {
		return err
	}
	if err := j.flagUnreasoned(ctx, turn); err != nil {
		return err
	}
	if err := j.scoreAnswers(ctx, turn); err != nil {
		return err
	}
	if j.user != nil {
		return j.askUser(ctx, turn)
	}
	if err := rollout.Concurrently(len(turn), func(i int) error {
		p, n := turn[i].Problem, turn[i].Node
		if n.Failed != "" {
			return nil
		}
		if err := j.rewards(p, n); err != nil {
			return fmt.Errorf("problem %s, turn %d: %w", p.ID, n.Turn+1, err)
		}
		return nil
	}); err != nil || j.model == nil || j.inference {
		return err
	}
	if err := j.model.reward(ctx, turn); err != nil {
		return err
	}
	for _, t := range turn {
		for k, raw := range t.Node.Rewards {
			t.Node.Rewards[k] = j.process.Process(raw, tokensOf(t.Node, t.Node.Joint[k]))
		}
	}
	return nil
}

// Streams implements [rollout.StreamingScorer]: what waits for a sandbox or a server may be asked for while engines sample. A program that
// answers line by line is asked turn by turn: it may remember what it was asked before.
func (j *judge) Streams() bool {
	if j.model != nil || j.expert != nil || len(j.scorers) > 0 || j.recipe.Reward.Penalties.Reasoning {
		return false
	}
	if u := j.recipe.Reward.User; j.user != nil {
		return u.URL != "" || u.Python != "" && u.Isolated
	}
	return j.joint != nil && j.recipe.Task.Sandboxed()
}

// ScoreSome implements [rollout.StreamingScorer].
func (j *judge) ScoreSome(ctx context.Context, some []rollout.ScoreItem) error {
	return j.Score(ctx, some)
}

// readNode fills in the verdicts on all completions of a node.
func (j *judge) readNode(t rollout.ScoreItem) {
	for s := range t.Node.Agents {
		agentTurn := &t.Node.Agents[s]
		for i := range agentTurn.Completions {
			j.read(t.Problem, t.Node.Turn, agentTurn.Agent, &agentTurn.Completions[i])
		}
	}
}

// rewards gives every joint action of a node its processed reward.
func (j *judge) rewards(p task.Problem, n *rollout.Node) error {
	n.Rewards = make([]float64, len(n.Joint))
	if j.joint != nil {
		n.Scored = make([]task.Score, len(n.Joint))
	}
	if j.reports(n.Turn) {
		n.Reports = make([][]string, len(n.Joint))
	}
	return rollout.Concurrently(len(n.Joint), func(k int) error {
		raw, err := j.raw(p, n, k)
		if err != nil {
			return err
		}
		if n.Reports != nil {
			if n.Reports[k], err = j.report(p, n, k); err != nil {
				return err
			}
		}
		if err := finite(p, "the reward", raw); err != nil {
			return err
		}
		n.Rewards[k] = j.process.Process(raw, tokensOf(n, n.Joint[k]))
		return nil
	})
}

// read fills in the verdict on one completion by itself.
func (j *judge) read(p task.Problem, turn, agent int, c *rollout.Completion) {
	if j.answerer == nil {
		return
	}
	c.Answer, c.HasAnswer = j.answerer.Answer(c.Text)
	c.Correct = c.HasAnswer && c.Answer == p.Truth
	c.Score = one(c.Correct)
	if c.Visible = j.shown(c.Text); c.Visible == c.Text {
		c.Visible = ""
	}
	codec := j.codecs[agent]
	for _, f := range j.rules(turn).Flags(reward.Completion{Text: c.Text, Tokens: beforeEnd(c.Tokens, codec.Stop()), Decode: codec.Text}) {
		c.Flags = append(c.Flags, string(f))
	}
}

// rules are the penalties of maporl.md §2.1; an answer of an untrained first turn needs no box.
func (j *judge) rules(turn int) reward.FlagRules {
	p := j.recipe.Reward.Penalties
	rules := reward.FlagRules{Box: p.NoBox, MinTokens: p.MinTokens, AfterBox: p.AfterBox}
	if turn == 0 && j.recipe.Policies.FirstTrainedTurn > 1 {
		rules.Box = false
	}
	if p.Repeats > 0 {
		rules.Repetition = reward.Repetition{MinLen: p.RepeatMin, MaxLen: p.RepeatMax, MaxRepeats: p.Repeats}
	}
	return rules
}

// beforeEnd returns the tokens before the first end token.
func beforeEnd(tokens, stop []int) []int {
	for i, t := range tokens {
		if slices.Contains(stop, t) {
			return tokens[:i]
		}
	}
	return tokens
}

// raw is the reward of the k-th joint action before processing: the task's joint reward, or the mean score of its answers.
func (j *judge) raw(p task.Problem, n *rollout.Node, k int) (float64, error) {
	action := n.Joint[k]
	if j.joint == nil {
		sum := 0.0
		for s, g := range action {
			c := &n.Agents[s].Completions[g]
			if len(c.Flags) > 0 {
				sum += j.recipe.Reward.Penalties.Size
			} else {
				sum += c.Score
			}
		}
		return sum / float64(len(action)), nil
	}
	responses, ok := j.responses(n, action)
	if !ok {
		n.Scored[k] = task.Score{Flags: []string{"unparsable"}, Signals: &task.Signals{Solved: new(float64)}}
		return 0, nil
	}
	score, err := j.joint.Score(p, responses)
	if err != nil {
		return 0, fmt.Errorf("score problem %s: %w", p.ID, err)
	}
	n.Scored[k] = score
	return score.Reward, nil
}

// responses are what the agents wrote in a joint action. One model that writes for all of them may fail to keep their parts apart.
func (j *judge) responses(n *rollout.Node, action []int) (texts []string, ok bool) {
	texts = responsesOf(n, action)
	if j.recipe.Team.Protocol == "central" {
		return team.Split(texts[0], j.recipe.Team.Agents)
	}
	return texts, true
}

func tokensOf(n *rollout.Node, action []int) int {
	sum := 0
	for s, g := range action {
		sum += len(n.Agents[s].Completions[g].Tokens)
	}
	return sum
}

// consensus reports MAPoRL's early consensus (maporl.md §1.2).
func (j *judge) consensus(n *rollout.Node) bool {
	c := j.recipe.Team.Consensus
	scores := make([]float64, len(n.Agents))
	for s := range n.Agents {
		scores[s] = n.Agents[s].Completions[0].Score
	}
	return (&reward.Consensus{Share: c.Share, Score: c.Score}).Reached(answersOf(n, 0), scores)
}

// endsChain reports the end of a chain before its last turn (magrpo.md §2.6).
func (j *judge) endsChain(n *rollout.Node) bool {
	end := j.recipe.Group.EndValue
	return end != nil && average(n.Rewards) == *end
}

// terminates reports MAGRPO's early termination (magrpo.md §2.1, step 5).
func (j *judge) terminates(n *rollout.Node) bool { return credit.Terminate(n.Rewards, j.threshold) }
