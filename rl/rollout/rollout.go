// Package rollout drives a team's protocol over engines and records what happens.
//
// All problems of a call advance together, turn by turn: the asks of all live nodes become one batch of sample requests per
// engine, whoever the agents are. On an engine that serves many calls at once each problem advances by itself (apart.go). Each completion is scored, joint actions are formed and rewarded, and every joint action
// that goes on gets a node of its own with the next asks. A scorer that waits for a sandbox or a server gets the nodes of a turn
// as they become ready (streaming.go). A debate (one completion an agent, one joint action a node) and a
// MAGRPO tree (groups of completions, aligned or crossed) are the same walk with other [Settings].
//
// Each sample has a random stream of its own, derived from the seed, the update, the problem, the node, the agent and the
// sample's index, so an episode does not depend on what else is in the batch.
package rollout

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"parley/engine"
	"parley/internal/seed"
	"parley/internal/tie"
	"parley/rl/credit"
	"parley/rl/rollout/gather"
	"parley/task"
	"parley/task/answer"
	"parley/task/environment"
	"parley/team"
)

// Settings say how a rollout branches and samples.
type Settings struct {
	Group int // completions per agent and node
	Joint credit.JointMode
	Chain bool // only the best joint action of a node goes on (first maximum)
	// Decides picks the candidate of a node that is executed, once the environment has answered to all of them; nil: all go on. Nodes then have
	// one agent each.
	Decides         *credit.ATGRPO
	FanOut          []int   // completions by turn, the last of all later ones; empty: Group
	Replay          *Replay // goes back to one message of every finished episode; nil: none does
	Episodes        int     // whole episodes of every problem, which share nothing but its first prompt; 0: one
	Width           float64 // of the range of rewards: what differs by rounding is equal
	Sampling        engine.Sampling
	MaxTokens       int
	MinTokens       int
	Truncated       Truncated
	ReuseInBackward bool // training on the completions of the first turn follows before their policies' next step: see [engine.SampleRequest]
	Truncate        bool // drop the oldest tokens of a prompt that does not fit the context; else it is an error
	// Ends reports whether the dialogue ends at a scored node before the protocol ends it; nil: never.
	Ends func(n *Node) bool
	// Limit is the most completions one episode may take; 0: no limit.
	Limit int
	// Deadline is the most time that the episodes of a problem may take; one that is not over then has failed. 0: any.
	Deadline time.Duration
}

// Truncated says what becomes of answers that end for want of room, in training: nothing, the zero value; or they are left out of the loss, or
// a penalty is taken off what they earn.
type Truncated struct {
	Mask    bool
	Penalty float64
}

// A Runner rolls out one team.
type Runner struct {
	Protocol team.Protocol
	Actors   []Actor // one per agent
	Scorer   Scorer
	Player   Player // plays the episodes in place of the protocol; nil: the protocol does
	World    *World // nil: nobody acts
	Settings Settings
	Seed     uint64
	// Opponent names the earlier checkpoint that speaks for an agent in an episode of a problem, both by their numbers from 0, and its policy;
	// empty: the agent itself speaks. nil: all do.
	Opponent func(index, sample, agent, turn int) (p engine.Policy, checkpoint string)
	// Script says what an agent says in an episode, in place of its engine, after what was said and observed there; seed is its own. ok is false
	// where the engine speaks. nil: engines always speak. What it says has no tokens.
	Script func(e *Episode, agent int, h team.History, seed uint64) (text string, ok bool, err error)
	// Watch is told how far a turn is with every token that is drawn, by the goroutine that draws: it has to be quick. nil: nobody watches.
	// Engines that hand out no tokens are not heard of before their answers are whole.
	Watch func(Progress)
	// Finish adds to what is recorded of episodes once they have been played; nil: nothing is added.
	Finish func(purpose string, episodes []*Episode)
	// Numbers are those of the problems of a call; nil: they count from 0. Over is told, by many at once, of each that is played apart, once it is over.
	// Cast says who of the actors sits where for the problem of a number; nil: they stay.
	Numbers []int
	Over    func(*Episode)
	Cast    func(actors []Actor, number int) []Actor

	fork *fork // where finished episodes are gone back to; nil: they are not
}

// A Player plays episodes of a team in another way than turn by turn, such as a program of the user's.
type Player interface {
	// Play adds to each episode the nodes of [Settings].Episodes plays of its problem, scored by the runner's scorer, in the order of their numbers,
	// and says why plays did not begin. An error is one of ctx, of an engine or of the scorer: what goes wrong in an episode is its failure.
	Play(ctx context.Context, r *Runner, purpose string, episodes []*Episode) error
}

// frontier is a node that waits for its completions.
type frontier struct {
	episode  *Episode
	protocol team.Protocol
	node     *Node
	index    int
	sample   int // of the episodes of the problem, from 0
	depth    int // nodes before it in its episode
	place    place
	scored   bool
}

// A pending completion is one that is being sampled.
type pending struct {
	node       int // of the live ones
	completion *Completion
	codec      Codec
	watch      Watcher // nil: none
	truncated  Truncated

	// Of an agent with tools: its turn, and the part of it that is being drawn.
	turn    ToolTurn // nil: it has none
	engine  engine.Engine
	context int                  // as of [Actor]
	request engine.SampleRequest // for the part
	from    int                  // own tokens before the part
	limit   int                  // own tokens of the whole turn
	seed    uint64               // of the first part
}

// finish fills in what a completion reads as, once all its tokens are there, and why it has no more. Its text ends before a stop text; its
// tokens stay as they were drawn.
func (p pending) finish(why engine.StopReason) {
	c := p.completion
	c.Stop, c.Text = why, p.codec.Text(c.Tokens[p.from:])
	if p.turn != nil {
		defer func() { c.Text = p.turn.Text(c.Text) }()
	}
	switch {
	case p.watch != nil && why == engine.StopText:
		c.Text, _ = p.watch.Text()
	case why == engine.StopLength:
		p.truncate()
	}
}

// truncate says that a completion ended for want of room.
func (p pending) truncate() {
	c := p.completion
	c.Stop, c.Masked, c.Penalty = engine.StopLength, p.truncated.Mask, p.truncated.Penalty
}

// Run plays all problems to their ends. purpose and update name the random streams: the same call gives the same episodes.
func (r *Runner) Run(ctx context.Context, purpose string, update int, problems []task.Problem) ([]*Episode, error) {
	if r.Player == nil && len(r.Actors) != r.Protocol.Agents() {
		return nil, fmt.Errorf("rollout: %d actors for %d agents", len(r.Actors), r.Protocol.Agents())
	}
	if r.Settings.Replay != nil {
		return r.replays(ctx, purpose, update, problems)
	}
	r, end := r.inSessions(ctx)
	defer end()
	episodes := make([]*Episode, len(problems))
	for i, p := range problems {
		if episodes[i] = (&Episode{Update: update, Index: i, Problem: p}); r.Numbers != nil {
			episodes[i].Index = r.Numbers[i]
		}
	}
	play := r.play
	switch {
	case r.Player != nil:
		play = func(ctx context.Context, purpose string, episodes []*Episode) error {
			return r.Player.Play(ctx, r, purpose, episodes)
		}
	case r.apart():
		play = r.playApart
	}
	if err := play(ctx, purpose, episodes); err != nil {
		return nil, err
	}
	if r.Finish != nil {
		r.Finish(purpose, episodes)
	}
	return episodes, nil
}

// play plays some episodes to their ends, turn by turn.
func (r *Runner) play(ctx context.Context, purpose string, episodes []*Episode) error {
	var branches []*branch
	for _, e := range episodes {
		for sample := range max(r.Settings.Episodes, 1) {
			root := frontier{episode: e, index: -1, sample: sample, protocol: r.ProtocolOf(purpose, e.Update, e.Index, sample)}
			branches = append(branches, &branch{from: root, via: -1})
		}
	}
	for len(branches) > 0 {
		known := len(episodes[0].Nodes)
		next, err := r.turn(ctx, purpose, branches)
		if err != nil {
			return r.late(ctx, episodes[0], known, branches, err)
		}
		branches = next
	}
	return nil
}

// turn lets the episodes of branches go on by a turn, and returns the branches behind it.
func (r *Runner) turn(ctx context.Context, purpose string, branches []*branch) ([]*branch, error) {
	live, err := r.follow(ctx, purpose, branches)
	if err != nil || len(live) == 0 {
		return nil, err
	}
	if err := r.sample(ctx, purpose, live); err != nil {
		return nil, err
	}
	scored, err := r.score(ctx, live)
	var next []*branch
	for _, f := range scored {
		next = append(next, r.advance(f)...)
	}
	return next, err
}

// ProtocolOf is the protocol of an episode, with random choices of its own where it makes any.
func (r *Runner) ProtocolOf(purpose string, update, index, sample int) team.Protocol {
	s, draws := r.Protocol.(team.Seeded)
	if !draws {
		return r.Protocol
	}
	return s.Seed(seed.Derive(r.Seed, purpose+" protocol", update, index, sample))
}

// open adds a node for the asks of a branch, unless the episode is over. A prompt that cannot be read or is too long fails the branch: what it
// shows may be another's fault.
func (r *Runner) open(b *branch) ([]frontier, error) {
	from, via, h, asks := b.from, b.via, b.history, b.asks
	e, parent := from.episode, from.index
	if len(asks) == 0 {
		return nil, nil
	}
	if err := r.check(asks); err != nil {
		return nil, err
	}
	next := frontier{episode: e, protocol: from.protocol, index: len(e.Nodes), sample: from.sample}
	if parent >= 0 {
		next.depth = from.depth + 1
		if r.fork != nil {
			next.place = r.fork.below(from, via)
		}
	}
	n := &Node{Turn: asks[0].Turn, Parent: parent, ParentAction: via, history: h, Agents: make([]AgentTurn, len(asks)), Sample: from.sample}
	for i, ask := range asks {
		actor := r.Actors[ask.Agent]
		if actor.Speaker != nil {
			n.Agents[i] = AgentTurn{Agent: ask.Agent, asked: ask.Prompt, samples: r.samples(next, asks, ask), Messages: ask.Messages, Speaker: actor.Speaker.Kind()}
			continue
		}
		prompt, dropped, err := actor.prompt(ask.Messages, actor.Draws(r.Settings).MaxTokens, r.Settings.Truncate)
		if err != nil {
			b.failed = fmt.Errorf("prompt of %s, turn %d: %w", actor.called(ask.Agent), n.Turn+1, err)
			return nil, nil
		}
		policy, opponent := r.player(from, ask)
		n.Agents[i] = AgentTurn{Agent: ask.Agent, asked: ask.Prompt, samples: r.samples(next, asks, ask), Policy: policy, Opponent: opponent, Sampling: actor.Draws(r.Settings).Sampling, Messages: ask.Messages, Prompt: prompt, Dropped: dropped}
		example := r.request(n.Turn, &n.Agents[i], actor, 0)
		n.Agents[i].Mask = example.Mask()
	}
	e.Nodes = append(e.Nodes, n)
	if limit := r.Settings.Limit; limit > 0 {
		if g := generationsOf(e); g > limit {
			return nil, fmt.Errorf("the episode takes at least %d completions, more than limits.generations %d: use a smaller group, fewer turns or early termination", g, limit)
		}
	}
	next.node = n
	return []frontier{next}, nil
}

// player is the policy that answers an ask of an episode, and, where that is an earlier checkpoint, the name of that.
func (r *Runner) player(from frontier, ask team.Ask) (p engine.Policy, opponent string) {
	if r.Opponent != nil {
		if p, opponent = r.Opponent(from.episode.Index, from.sample, ask.Agent, ask.Turn); opponent != "" {
			return p, opponent
		}
	}
	return r.Actors[ask.Agent].Policy(ask.Turn), ""
}

// samples is how many completions an ask gets among those of its turn. Agents that are no models give one where only such are asked, unless the
// protocol says another number.
func (r *Runner) samples(f frontier, turn []team.Ask, a team.Ask) int {
	model := func(other team.Ask) bool { return r.Actors[other.Agent].Speaker == nil || r.Actors[other.Agent].Many }
	fan := r.Settings.FanOut
	switch {
	case r.fork != nil:
		return r.fork.samples(f)
	case len(fan) > 0:
		return fan[min(a.Turn, len(fan)-1)]
	case a.Samples > 0 && r.Settings.Group > 1:
		return a.Samples
	case !slices.ContainsFunc(turn, model):
		return 1
	}
	return r.Settings.Group
}

// check refuses asks that are not those of one turn, in agent order.
func (r *Runner) check(asks []team.Ask) error {
	if alone := r.Settings.Decides != nil || len(r.Settings.FanOut) > 0 || r.fork != nil; alone && len(asks) > 1 {
		return fmt.Errorf("the protocol asks %d agents at once in turn %d: alternatives are those of one agent's message; ask one after the other, or compare episodes", len(asks), asks[0].Turn+1)
	}
	before := -1
	for _, a := range asks {
		if a.Agent <= before || a.Agent >= len(r.Actors) || a.Turn != asks[0].Turn {
			return fmt.Errorf("the protocol asks agent %d in turn %d, after agent %d of %d in turn %d: asks must be those of one turn, in agent order",
				a.Agent+1, a.Turn+1, before+1, len(r.Actors), asks[0].Turn+1)
		}
		before = a.Agent
	}
	return nil
}

// generationsOf counts the completions that an episode has or waits for.
func generationsOf(e *Episode) int {
	sum := 0
	for _, n := range e.Nodes {
		for i := range n.Agents {
			sum += n.Agents[i].samples
		}
	}
	return sum
}

// sample fills the completions of all live nodes, one batch for each engine, and may score some of the nodes.
func (r *Runner) sample(ctx context.Context, purpose string, live []frontier) error {
	for _, f := range live {
		f.node.Joint = credit.JointActions(r.Settings.Joint, len(f.node.Agents), f.node.Agents[0].samples)
	}
	if err := r.speak(ctx, purpose, live); err != nil {
		return fmt.Errorf("ask agents that are no models: %w", err)
	}
	watch, sampling := r.stream(ctx, live)
	progress := r.newDrawing(live)
	var to []pending
	var samples []engine.Sample
	var err error
	for _, e := range r.engines() {
		var reqs []engine.SampleRequest
		var these []pending
		if reqs, these, err = r.requests(purpose, live, e); err != nil {
			break
		}
		var drawn []engine.Sample
		if drawn, err = gather.Sample(sampling, e, reqs, watch.tokens(reqs, these), progress.Tokens(reqs)); err != nil {
			err = fmt.Errorf("sample answers: %w", err)
			break
		}
		to, samples = append(to, these...), append(samples, drawn...)
	}
	// The scorer comes first: its error may have ended sampling, and completions are its own while it scores.
	if err := cmp.Or(watch.end(), err); err != nil {
		return err
	}
	for i, s := range samples {
		to[i].completion.Tokens, to[i].completion.Logprobs, to[i].completion.Forced = s.Tokens, s.Logprobs, s.Forced
		to[i].finish(s.Stop)
	}
	return r.callTools(ctx, live, to, progress)
}

// requests are those of the live nodes to an engine, with where their samples go. What a script says needs none.
func (r *Runner) requests(purpose string, live []frontier, e engine.Engine) (reqs []engine.SampleRequest, to []pending, err error) {
	for n, f := range live {
		for i := range f.node.Agents {
			agentTurn := &f.node.Agents[i]
			actor := r.Actors[agentTurn.Agent]
			if actor.Engine != e || agentTurn.Speaker != "" {
				continue
			}
			agentTurn.Completions = make([]Completion, agentTurn.samples)
			for g := range agentTurn.Completions {
				if c := r.given(f, g); c != nil {
					agentTurn.Completions[g] = *c
					continue
				}
				s := r.seedOf(purpose, f, agentTurn.Agent, g)
				if r.Script != nil {
					text, says, err := r.Script(f.episode, agentTurn.Agent, f.node.history, s)
					if err != nil {
						return nil, nil, fmt.Errorf("script of agent %d: %w", agentTurn.Agent+1, err)
					}
					if says {
						agentTurn.Completions[g] = Completion{Text: text, Stop: engine.StopEOS}
						continue
					}
				}
				req, p := r.request(f.node.Turn, agentTurn, actor, s), pending{node: n, completion: &agentTurn.Completions[g], codec: actor.Codec, truncated: r.Settings.Truncated}
				switch {
				case actor.Tools != nil:
					p.follow(actor, agentTurn.Messages, &req)
				case actor.Watch != nil:
					p.watch = actor.Watch(actor.Draws(r.Settings).MinTokens)
					req.Watch = p.watch
				}
				reqs, to = append(reqs, req), append(to, p)
			}
		}
	}
	return reqs, to, nil
}

// seedOf is that of a completion's random stream. The k-th of several episodes begins as the k-th completion of a tree's root does.
func (r *Runner) seedOf(purpose string, f frontier, agent, g int) uint64 {
	if r.fork != nil {
		return r.fork.seed(r.Seed, purpose, f, agent, g)
	}
	node := f.index
	if r.Settings.Episodes > 1 {
		node, g = f.depth, f.sample
	}
	return seed.Derive(r.Seed, purpose, f.episode.Update, f.episode.Index, node, agent, g)
}

func (r *Runner) request(turn int, agentTurn *AgentTurn, actor Actor, s uint64) engine.SampleRequest {
	d := actor.Draws(r.Settings)
	return engine.SampleRequest{
		Policy: agentTurn.Policy, Prompt: agentTurn.Prompt, Sampling: d.Sampling,
		MaxTokens: d.MaxTokens, MinTokens: d.MinTokens, Stop: actor.Codec.Stop(), Never: actor.Never, Form: d.Form,
		Seed: s, ReuseInBackward: r.Settings.ReuseInBackward && turn == 0,
	}
}

// engines lists the distinct engines of the actors in actor order.
func (r *Runner) engines() []engine.Engine {
	var out []engine.Engine
	for _, s := range r.Actors {
		if !slices.Contains(out, s.Engine) {
			out = append(out, s.Engine)
		}
	}
	return out
}

// advance returns the branches that follow a scored node.
func (r *Runner) advance(f frontier) []*branch {
	n := f.node
	last := n.Turn+1 >= r.Protocol.Turns()
	if _, moves := f.protocol.(team.Mover); last && !moves {
		return nil
	}
	if r.Settings.Ends != nil && r.Settings.Ends(n) {
		n.Ended = true
		return nil
	}
	if !last && team.Boxes(f.protocol) {
		n.show()
	}
	var next []*branch
	for j := range n.Joint {
		if r.Settings.Chain && j != tie.Best(n.Rewards, r.Settings.Width) {
			continue
		}
		next = append(next, &branch{from: f, via: j, history: n.after(j)})
	}
	return next
}

// show writes down how the answers of a node stand in the prompts of later turns.
func (n *Node) show() {
	for i := range n.Agents {
		for g := range n.Agents[i].Completions {
			c := &n.Agents[i].Completions[g]
			if shown := answer.Show(c.Text, c.Answer); c.HasAnswer && string(shown) != c.Text {
				c.Visible = shown
			}
		}
	}
}

// History is what was said before the node, as its rollout left it; one that was read back does not know it.
func (n *Node) History() team.History { return n.history }

// Prompt is what an agent reads of an ask.
func (r *Runner) Prompt(ask team.Ask) ([]int, error) {
	actor := r.Actors[ask.Agent]
	prompt, _, err := actor.prompt(ask.Messages, actor.Draws(r.Settings).MaxTokens, r.Settings.Truncate)
	return prompt, err
}

// after returns the history once joint action j has been said.
func (n *Node) after(j int) team.History { return append(slices.Clip(n.history), n.Said(j)...) }

// Said is what was said at the node in joint action j.
func (n *Node) Said(j int) (h team.History) {
	for i := range n.Agents {
		c := &n.Agents[i].Completions[n.Joint[j][i]]
		a := team.Answer{Turn: n.Turn, Agent: n.Agents[i].Agent, Text: c.Text, Score: c.Score, Prompt: n.Agents[i].asked}
		if c.HasAnswer {
			a.Final = c.Answer
		}
		if n.Reports != nil && i < len(n.Reports[j]) {
			a.Report = n.Reports[j][i]
		}
		h = append(h, a)
	}
	return h
}

// inSessions is a runner whose episodes of a stateful environment end when end is called.
func (r *Runner) inSessions(ctx context.Context) (run *Runner, end func()) {
	if r.World == nil {
		return r, func() {}
	}
	e, keeps := r.World.Environment.(environment.Stateful)
	if !keeps {
		return r, func() {}
	}
	s, own := &environment.Sessions{Stateful: e}, *r
	own.World = &World{Environment: s, Bounds: r.World.Bounds}
	return &own, func() { s.EndAll(ctx) }
}
