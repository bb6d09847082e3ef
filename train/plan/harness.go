package plan

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/credit/workflow"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
)

// Ordered says that what messages of whole episodes return depends on their order.
func Ordered(r *recipe.Recipe) bool {
	credit := recipe.Section[words.Credit](r)
	return credit.Returns == workflow.ToGo || credit.Baseline == "agent_turn" || recipe.Section[learn.Group](r).Gamma() < 1
}

// Learned are episodes as they are learned from. Calls of a program come when they come: where no return depends on that, no sum does either.
func Learned(r *recipe.Recipe, episodes []*rollout.Episode) []*rollout.Episode {
	if !r.Harnessed() || r.Kind() != learn.GroupRelative || Ordered(r) {
		return episodes
	}
	out := make([]*rollout.Episode, len(episodes))
	for i, e := range episodes {
		out[i] = settled(e)
	}
	return out
}

// settled is an episode with the calls of each of its samples in an order that nothing but they themselves says: by agent, prompt and answer. It is for
// credit that does not look at their order: sums over them are equal then, to the bit, however they came. What is assigned to the completions of one is
// assigned to those of the other.
func settled(e *rollout.Episode) *rollout.Episode {
	out := *e
	out.Nodes = make([]*rollout.Node, len(e.Nodes))
	for i, n := range e.Nodes {
		node := *n
		out.Nodes[i] = &node
	}
	slices.SortStableFunc(out.Nodes, func(a, b *rollout.Node) int {
		return cmp.Or(cmp.Compare(a.Sample, b.Sample), compareCalls(&a.Agents[0], &b.Agents[0]))
	})
	for i, n := range out.Nodes {
		n.Turn, n.Parent, n.ParentAction = 0, -1, -1
		if i > 0 && out.Nodes[i-1].Sample == n.Sample {
			n.Turn, n.Parent, n.ParentAction = out.Nodes[i-1].Turn+1, i-1, 0
		}
	}
	return &out
}

// compareCalls orders what single agents were asked and said.
func compareCalls(a, b *rollout.AgentTurn) int {
	x, y := &a.Completions[0], &b.Completions[0]
	return cmp.Or(cmp.Compare(a.Agent, b.Agent), slices.Compare(a.Prompt, b.Prompt), slices.Compare(x.Tokens, y.Tokens),
		strings.Compare(fmt.Sprint(a.Messages), fmt.Sprint(b.Messages)), strings.Compare(x.Text, y.Text))
}

// Harness is the program in which the team of a recipe works, and its bounds. What it writes beside is the caller's to keep.
func Harness(r *recipe.Recipe) (harness.Settings, error) {
	h := r.Team.Harness
	if _, err := os.Stat(h.Folder); h.Folder != "" && err != nil {
		return harness.Settings{}, usererror.Errorf("the folder in which the program of the team runs is not there: %w; name another with --set team.harness.folder=FOLDER", err)
	}
	key, err := Secret("team.harness.key_env", h.KeyEnv)
	if err != nil {
		return harness.Settings{}, err
	}
	s := harness.Settings{
		Python: h.Python, Interpreter: h.Interpreter, Command: h.Command, Keep: h.Keep, URL: h.URL, Key: key,
		Run: r.Name, Folder: h.Folder, Parallel: h.Parallel, Time: time.Duration(h.Seconds * float64(time.Second)), Calls: h.Calls, Models: h.Models.ByModel(),
		Listen: h.Listen, Address: h.Address, Pays: r.Reward.Source == keys.OfHarness, Least: r.Reward.User.Min, Most: r.Reward.User.Max,
	}
	for agent := range r.Team.Agents.N {
		stop := r.Sampling.Stop
		if own := Agent(r, agent).Sampling.Stop; len(own) > 0 {
			stop = own
		}
		s.Stops = append(s.Stops, stop)
	}
	s.TeamAlone = TeamAlone(r)
	for _, named := range r.Reach() {
		if named.Kind == keys.Tells {
			s.Secrets = append(s.Secrets, named.Path)
		}
	}
	return s, nil
}

// TeamAlone says of each agent that it learns nothing from what itself is paid, though it learns, and neither does another one.
func TeamAlone(r *recipe.Recipe) []bool {
	kind, out := r.AlgorithmType(), make([]bool, r.Team.Agents.N) // one that learns nothing has neither
	heard := slices.ContainsFunc(r.Team.Agents.Named, func(a keys.Agent) bool { return a.Reward.Others != 0 })
	for agent := range out {
		own := Agent(r, agent)
		out[agent] = (kind.OwnRewards || kind.TeamAlone != "") && own.Reward.Own == 0 && !heard && own.Speaker() == "" && !own.Frozen
	}
	return out
}
