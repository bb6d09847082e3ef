package recipe_test

import (
	"reflect"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/teams"
	"parley/rl/learn"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// TestOneModelOfNames: where one model writes for agents with names, it has the settings of all.
func TestOneModelOfNames(t *testing.T) {
	file := []byte("name: x\nalgorithm: magrpo\ntask: {name: duet}\nreward: {source: joint}\nteam:\n  protocol: workflow\n  agents: {a: {optimizer: {lr: 0.1}}, b: {}}\n  workflow: [{ask: [a, b], prompt: '{{.Question}}'}]\n  answer: tagged\n")
	if _, err := lang.Parse("x.yaml", file, nil); err == nil || !contains(err.Error(), "team.agents.a and team.agents.b share an adapter") {
		t.Error(err)
	}
}

// TestRules holds, for each rule, the least change of a good recipe that breaks it, and what is said. "base" is what the
// change is made to; the message must come alone, so that no rule speaks for another.
func TestRules(t *testing.T) {
	const (
		debate = "name: x\n"
		group  = "name: x\nalgorithm: magrpo\n"
		pair   = "name: x\nalgorithm: magrpo\ntask: {name: duet}\nteam: {protocol: parallel, turns: 1}\nreward: {source: joint}\n"
	)
	const rivals = "name: x\nalgorithm: madpo\ntask: {name: duet}\nteam: {protocol: parallel, turns: 1, agents: {a: {}, b: {program: [speak]}}}\nreward: {source: joint}\n" +
		"preference: {comparator: server, server: {url: 'http://127.0.0.1:1/v1', model: big}}\n"
	const (
		steps  = "name: x\nteam:\n  protocol: workflow\n  workflow:\n    - {ask: a, prompt: '{{.Question}}'}\n    - {ask: b, when: 'turn > 0', prompt: '{{.Question}}'}\n  answer: a\n"
		some   = steps + "  agents: {a: {}, b: {}}\n"
		paid   = steps + "  agents: {a: {}, b: {reward: {own: 1}}}\npolicies: {sharing: per-agent}\nalgorithm: magrpo\n"
		acting = "team:\n  protocol: workflow\n  agents: {a: {}, b: {}}\n  workflow:\n    - {repeat: 2, steps: [{ask: [a, b], prompt: '{{.Observation}}'}, {act: [a, b]}]}\nreward: {source: joint}\nalgorithm: magrpo\n"
		world  = "name: x\ntask: {name: environment, environment: {name: path}}\n" + acting
		own    = "name: x\ntask: {name: environment, environment: {python: x.py}, path: x.jsonl}\n" + acting
	)
	cases := []struct{ name, base, sets, want string }{
		{"a world without steps", world, "team.protocol=debate team.workflow=[]", "task environment is acted in, which team.protocol debate has no steps for"},
		{"a world with another's reward", world, "reward.source=user reward.user.expression=1", "reward.source is user, but the environment of task environment pays"},
		{"one base of two agents with names", some, "models=[parley-base]", "models has 1 names, expected one for each of 2 agents"},
		{"two forms", debate, "sampling.regex=a sampling.schema={type:integer}", "sampling.regex is set beside a schema, and an answer has one form"},
		{"a form and a stop text", debate, "sampling.regex=a sampling.stop=[x]", "sampling.regex is set beside sampling.stop"},
		{"a form and a least length", debate, "sampling.regex=a sampling.min_tokens=1", "sampling.regex is set beside sampling.min_tokens"},
		{"an expression that cannot be forced", debate, `sampling.regex=a\b`, `sampling.regex: the expression cannot be forced: it has \b`},
		{"a schema that cannot be forced", debate, `sampling.schema={"properties":{"a":{"uniqueItems":true}}}`, "sampling.schema: /properties/a: uniqueItems cannot be forced"},
		{"an agent's schema that cannot be forced", some, `team.agents.b.sampling.schema={"not":{}}`, "team.agents.b.sampling.schema: not cannot be forced"},
		{"a form of what one model writes", pair, "team.protocol=central sampling.regex=a", "one model writes the answers of all agents as one text"},
		{"a chain in a world", world, "group.rollout=chain team.answer=every-turn", "group.rollout is chain, which goes on from the best joint action, but the environment"},
		{"a world's scaled reward", world, "reward.scale=2", "reward.scale has no effect with task environment, whose environment pays step by step"},
		{"a world ended early", world, "group.terminate=0.5", "group.terminate has no effect with task environment, whose environment pays step by step"},
		{"stateful trees", own, "task.environment.stateful=true group.rollout=tree", "task.environment.stateful is true, and such an environment cannot branch"},
		{"stateful chains", own, "task.environment.stateful=true algorithm=iac group.size=1", "task.environment.stateful is true, and such an environment cannot branch"},
		{"a stateful game", world, "task.environment.stateful=true group.rollout=episodes", "task.environment.stateful is true, but the built-in environment path is a pure function"},
		{"opponents in a tree", some, "algorithm=magrpo opponents.share=0.5", "opponents.share is 0.5, but group.rollout is tree: an opponent plays a whole episode"},
		{"an opponent alone", some, "algorithm=magrpo group.rollout=episodes opponents.share=0.5 policies.frozen=[2]", "opponents.share is 0.5, but 1 of the agents is trained"},
		{"opponents of a debate", debate, "opponents.share=0.5", "opponents.share has no effect with algorithm mappo"},
		{"a pool of nobody", group, "opponents.pool=8", "opponents.pool has no effect with opponents.share 0"},
		{"an empty pool", group, "opponents.pool=0", "opponents.pool is 0, expected 1 to 64"},
		{"more than all", group, "opponents.share=1.5", "opponents.share is 1.5, expected 0 to 1"},
		{"own rewards of a debate", paid, "algorithm=mappo", "team.agents.b.reward weighs rewards, but algorithm mappo learns from the team's alone: it rewards every answer by its own score already"},
		{"own rewards of a central critic", paid, "algorithm=maac group.size=1", "team.agents.b.reward weighs rewards, but algorithm maac learns from the team's alone: its one critic has one value for all agents"},
		{"own rewards of a central critic", paid, "algorithm=maac group.size=1", "team.agents.b.reward weighs rewards, but algorithm maac"},
		{"own rewards of examples", paid, "algorithm=sft", "team.agents.b.reward weighs rewards, but algorithm sft"},
		{"every turn of some", some, "team.answer=every-turn", "team.answer is every-turn, but the team may be done before its last turn"},
		{"pairs of steps", some, "algorithm=madpo", "team.turns is 2, expected 1: pairs of joint responses"},
		{"episodes of a debate", some, "group.rollout=episodes", "group.rollout has no effect with algorithm mappo"},
		{"baselines without a world", "preset: path-tiny\nname: x\n", "eval.baselines=[single,off-the-shelf-double]", "eval.baselines is [single off-the-shelf-double], but texts alone earn nothing"},
		{"updates without end", debate, "training.updates=1000000000 training.problems=1000000000", "training.updates, training.problems and sampling.max_tokens ask for"},
		{"problems without end", debate, "eval.problems=1000000000 eval.passes=16 sampling.max_tokens=1000000000", "eval.problems and sampling.max_tokens ask for"},
		{"name", debate, "name=a/b", `name is "a/b", expected letters`},
		{"model", debate, "model=", "model is empty"},
		{"models", debate, "models=[a]", "models has 1 names, expected one for each of 2 agents"},
		{"empty name in models", debate, "models=[a,'']", "models has an empty name"},
		{"model beside models", debate, "models=[a,b] model=c", "model has no effect with models"},
		{"frozen beyond", debate, "policies.frozen=[3]", "policies.frozen is [3], expected agents from 1 to 2"},
		{"frozen twice", debate, "team.agents=3 policies.frozen=[2,2]", "policies.frozen is [2 2], expected each agent once"},
		{"all frozen", debate, "policies.frozen=[1,2]", "no agent would be trained: policies.frozen is [1 2]"},
		{"memory without a unit", debate, "memory=8", `memory is "8", expected a number with a unit`},
		{"no memory", debate, "memory=0GiB", `memory is "0GiB", expected a number with a unit`},
		{"one step", debate, "task.steps=1", "task.steps is 1, expected 0, 2, 3 or 4: sums of one step are what parley-base"},
		{"small numbers", debate, "task.max_number=9", "task.max_number is 9, expected 0 or 10 to 99"},
		{"answers without box", debate, "task.answer=last-number reward.penalties.no_box=true", "task.answer is last-number, but reward.penalties.no_box flags"},
		{"numbers of tldr", pair, "task.max_number=20", "task.max_number has no effect with task duet"},
		{"minibatches over bases", debate, "models=[a,b] training.problems=3", "ppo.minibatches is 4, expected at most the 3 answers"},
		{"single", debate, "team.protocol=single", "team.agents is 2, expected 1 with protocol single"},
		{"filter without solutions", pair, "task.name=tldr task.filter.min_pass_rate=0.1", "task.filter.min_pass_rate has no effect with task tldr"},
		{"examples", debate, "team.prompts.examples=[a]", "team.prompts.examples has 1 texts, expected an answer for each user message"},
		{"roles", debate, "team.prompts.roles=[a]", "team.prompts.roles has 1 texts, expected one for each of 2 agents"},
		{"pair", pair, "team.agents=3", "team.agents is 3, expected 2: task duet"},
		{"central", pair, "team.protocol=central policies.frozen=[1]", "one model writes for all agents (team.protocol central), which needs one turn"},
		{"central with a program", pair, `team.protocol=central team.agents={"a":{},"b":{"program":["speak"]}}`, "team.agents.b.program speaks for the agent, but one model writes for all agents (team.protocol central)"},
		{"central comparator with a program", rivals, "preference.central=true", "preference.central lets one model write for all agents, but agent b speaks by its program (team.agents.b.program)"},
		{"group of one", group, "group.size=1", "group.size is 1, expected at least 2"},
		{"group of an actor-critic", group, "algorithm=iac", "group.size is 4, expected 1: algorithm iac over several turns"},
		{"shared central critic", pair, "algorithm=maac critic.head=shared", "critic.head is shared, but the central critic"},
		{"critic of groups", group, "critic.coef=1", "critic.coef has no effect with algorithm magrpo"},
		{"groups of an actor-critic", pair, "algorithm=iac group.normalize=true", "group.normalize has no effect with algorithm iac"},
		{"rate of a shared head", pair, "algorithm=iac critic.head=shared critic.lr=1", "critic.lr has no effect with critic.head shared"},
		{"clip of a separate critic", pair, "algorithm=iac critic.clip=1", "critic.clip has no effect with critic.head separate"},
		{"turns of preferences", pair, "algorithm=madpo team.turns=2", "team.turns is 2, expected 1: pairs of joint responses"},
		{"preferences about preferences", pair, "algorithm=madpo reward.source=preferences", "algorithm is madpo, expected one that rewards joint responses"},
		{"iterations", pair, "algorithm=madpo preference.iterations=7", "training.updates is 30, expected a multiple of preference.iterations, 7"},
		{"halves of candidates", pair, "algorithm=madpo preference.iterations=2 preference.comparator=checkpoint preference.candidates=5", "preference.candidates is 5, expected an even number"},
		{"comparator without a model", pair, "algorithm=madpo preference.comparator=model", "preference.comparator is model, but preference.model names none"},
		{"checkpoint of one iteration", pair, "algorithm=madpo preference.comparator=checkpoint", "preference.comparator is checkpoint, but with one iteration"},
		{"preferences of groups", pair, "preference.beta=1", "preference.beta has no effect with algorithm magrpo"},
		{"group of preferences", pair, "algorithm=madpo group.size=2", "group.size has no effect with algorithm madpo"},
		{"reward model without preferences", pair, "reward.model.lr=1", "reward.model.lr has no effect with reward.source joint"},
		{"replay of one iteration", pair, "algorithm=madpo preference.replay=all", "preference.replay has no effect with preference.iterations 1"},
		{"feedback without turns", pair, "team.feedback=self", "team.feedback is self, but there is no later turn"},
		{"two later prompts", group, "team.feedback=self team.prompts.later=x", "team.feedback is self, which is a prompt of its own"},
		{"expert of classes", pair, "task.name=classeval team.turns=2 team.feedback=expert team.expert.recording=r", "team.feedback is expert, but task classeval has no such report"},
		{"diagnostics of sums", group, "team.feedback=diagnostics", "team.feedback is diagnostics, but task sums has no such report on answers"},
		{"fills for drawings", pair, "task.name=strbuild team.turns=2 team.feedback=rect_modification", "team.feedback is rect_modification, but task strbuild has no such report on answers"},
		{"score of labels", group, "team.feedback=score reward.source=label", "team.feedback is score, which needs a joint reward"},
		{"slice of all cells", pair, "task.name=housebuild team.turns=2 team.feedback=perfect team.sandbox_slice=2", "team.sandbox_slice has no effect with team.feedback perfect"},
		{"hidden layer of zeros", pair, "algorithm=iac critic.hidden=8 critic.init=0", "critic.init is 0, but critic.hidden is 8"},
		{"slice of nothing", group, "team.sandbox_slice=2", "team.sandbox_slice has no effect with team.feedback none"},
		{"memory of one turn", pair, "team.chat_memory.last=1", "team.chat_memory.last has no effect with one turn"},
		{"warm-up of a debate", debate, "team.warm_up=1", "team.warm_up has no effect with algorithm mappo"},
		{"padded rows with ratios", group, "group.padding=padded", "group.padding is padded, but group.ratio_cap is 2"},
		{"ahead of PPO", debate, "training.async=1", "training.async is 1, but algorithm mappo does not correct for answers of an older policy"},
		{"ahead of pairs", pair, "algorithm=madpo training.async=1", "training.async is 1, but algorithm madpo does not correct"},
		{"two ahead", group, "training.async=2", "training.async is 2, expected 0 to 1"},
		{"ahead without weights", group, "training.async=1 group.ratio_cap=0", "training.async is 1, but group.ratio_cap is 0"},
		{"ahead of snapshots", group, "training.async=1 group.rollout=episodes opponents.share=0.5", "training.async is 1, but opponents.share is 0.5"},
		{"ahead of a reward model", pair, "training.async=1 reward.source=preferences team.turns=1", "training.async is 1, but reward.source is preferences"},
		{"ahead of a budget", group, "training.async=1 training.tokens=1000", "training.async is 1, but training.tokens is 1000"},
		{"deadline of pairs", pair, "algorithm=madpo training.deadline=9", "training.deadline has no effect with algorithm madpo"},
		{"end of a tree", group, "group.end_value=4", "group.end_value has no effect with group.rollout tree"},
		{"pipeline of single answers", debate, "eval.baselines=[pipeline]", "eval.baselines names pipeline, expected a team with the joint reward"},
		{"feedback to the silent", group, "team.protocol=leader team.feedback=self", "team.protocol is leader, in which not all agents speak in every turn"},
		{"consensus of one", debate, "team.protocol=leader team.consensus.share=0.5", "team.protocol is leader, in which not all agents speak in every turn"},
		{"consensus", debate, "team.turns=1 team.consensus.share=0.5", "team.consensus ends a debate early"},
		{"feedback verifier", debate, "team.reward_feedback=true reward.source=final-label", "team.reward_feedback shows a score"},
		{"feedback turns", debate, "team.reward_feedback=true team.turns=1", "team.reward_feedback needs a later turn"},
		{"date", debate, "date=14.7.2026", `date is "14.7.2026", expected a day such as 2026-07-14`},
		{"empty stop text", debate, `sampling.stop=["so",""]`, "sampling.stop has an empty text"},
		{"min tokens", debate, "sampling.min_tokens=65", "sampling.min_tokens is 65, expected at most sampling.max_tokens, 64"},
		{"first turn", debate, "policies.first_trained_turn=3", "policies.first_trained_turn is 3, expected at most team.turns, 2"},
		{"no joint reward", debate, "reward.source=joint", "reward.source is joint, but task sums has no joint reward"},
		{"no right answers", pair, "task.name=tldr reward.source=label", "reward.source is label, but task tldr has no right answers"},
		{"final label in a tree", group, "reward.source=final-label", "reward.source is final-label, expected label or joint"},
		{"incentives alone", debate, "team.agents=1 reward.incentives.alpha0=1", "reward.incentives compare an agent with the others"},
		{"late beta", debate, "policies.first_trained_turn=2 reward.incentives.beta0=1", "reward.incentives beta is credited"},
		{"penalty", debate, "sampling.max_tokens=40 reward.penalties.min_tokens=50", "reward.penalties.min_tokens is 50 and sampling.max_tokens is 40"},
		{"repeats", debate, "reward.penalties.repeat_max=1", "reward.penalties.repeat_max is 1, expected at least repeat_min, 2"},
		{"clamp order", group, "reward.clamp=[1,-1]", "reward.clamp is [1 -1]"},
		{"clamp length", group, "reward.clamp=[1]", "reward.clamp is [1]"},
		{"alternating", debate, "ppo.schedule=alternating team.turns=1", "ppo.schedule is alternating"},
		{"alternating from turn 1", debate, "ppo.schedule=alternating team.turns=3", "ppo.schedule is alternating, which trains the turns from 2 on"},
		{"exact divergence of a cut", debate, "ppo.kl_form=ref_policy_exact sampling.top_k=5", "ppo.kl_form is ref_policy_exact, but sampling.top_k"},
		{"made problems and read ones", "name: x\npreset: magrpo-humaneval-tiny\n", "task.path=here", "task.made is true, and task.path names a data set too"},
		{"made texts and read ones", "name: x\npreset: magrpo-tldr-tiny\n", "task.path=here", "task.made is true, and task.path names a data set too"},
		{"dropout", debate, "policies.dropout=0.05", "policies.dropout is 0.05, expected 0"},
		{"policies of more agents", debate, "eval.agents=3 policies.sharing=per-agent", "eval.agents is 3 and team.agents 2, but policies.sharing per-agent"},
		{"bases of more agents", debate, "eval.agents=3 models=[a,b]", "eval.agents is 3 and team.agents 2, but models, policies.frozen or team.prompts.roles"},
		{"more agents on their own", debate, "eval.agents=3 team.protocol=parallel", "eval.agents is 3 and team.agents 2: only the agents of a debate"},
		{"idle extraction", pair, "eval.extract=5", "eval.extract has no effect with reward.source joint"},
		{"minibatches", debate, "training.problems=1", "ppo.minibatches is 4, expected at most the 2 answers"},
		{"chain", group, "group.rollout=chain group.joint=cross", "group.joint is cross, expected aligned"},
		{"alternatives without partners", group, "group.cross_credit=counterfactual", "group.cross_credit is counterfactual, but with group.joint aligned"},
		{"chain of another algorithm", group, "algorithm=marloo group.rollout=chain", "group.rollout is chain, expected tree or episodes with algorithm marloo"},
		{"idle chain key", group, "group.rollout=chain group.normalize=true", "group.normalize has no effect with group.rollout chain"},
		{"idle consensus", group, "team.consensus.share=0.5", "team.consensus.share has no effect with algorithm magrpo"},
		{"idle processor", debate, "reward.scale=2", "reward.scale has no effect with algorithm mappo and reward.source label"},
		{"processor", group, "reward.processors=[magic]", "reward.processors: reward processor \"magic\" is not known"},
		{"idle processors", debate, "reward.processors=[exp_scale]", "reward.processors has no effect with algorithm mappo and reward.source label"},
		{"idle scope", group, "reward.penalties.scope=own", "reward.penalties.scope has no effect with algorithm magrpo"},
		{"train batch", group, "group.buffer=2 group.train_batch=3", "group.train_batch is 3, expected at most group.buffer, 2"},
		{"turn weights", group, "group.rollout=chain group.turn_weights=[1]", "group.turn_weights has 1 numbers"},
		{"vote", pair, "task.name=tldr eval.baselines=[majority-vote]", "eval.baselines names majority-vote"},
		{"generations", group, "team.turns=5", "one item implies 2728 generations, above limits.generations, 1000"},
		{"countless generations", group, "team.turns=16 group.size=256", "tree of 16 turns"},
		{"idle group key", debate, "group.size=8", "group.size has no effect with algorithm mappo"},
		{"bound inside the clip", debate, "ppo.loss=ppo_two_sided ppo.clip_high=3 ppo.ratio_bound=2", "ppo.ratio_bound is 2, expected at least the end of the clip range, 4"},
		{"idle clip", debate, "ppo.loss=reinforce ppo.clip=0.1", "ppo.clip has no effect with ppo.loss reinforce"},
		{"idle bound", debate, "ppo.ratio_bound=2", "ppo.ratio_bound has no effect with ppo.loss ppo"},
		{"idle coefficient", debate, "ppo.loss=gspo ppo.loss_kl=0.1", "ppo.loss_kl has no effect with ppo.loss gspo"},
		{"idle block", debate, "ppo.schedule_block=10", "ppo.schedule_block has no effect with ppo.schedule all"},
		{"idle smoothing", group, "algorithm=madpo team.turns=1 preference.smoothing=0.1", "preference.smoothing has no effect with preference.loss madpo"},
		{"idle ppo key", group, "ppo.clip=0.1", "ppo.clip has no effect with algorithm magrpo"},
		{"idle design", group, "reward.design=immediate", "reward.design has no effect with algorithm magrpo"},
		{"idle path", debate, "task.path=x", "task.path has no effect with task sums"},
		{"idle threshold", pair, "group.terminate=0.5", "group.terminate has no effect with one turn"},
		{"idle end of decay", debate, "optimizer.decay=none optimizer.final_lr=0.5", "optimizer.final_lr has no effect with optimizer.decay none"},
		{"k twice", debate, "eval.pass_at=[4,1,4]", "eval.pass_at is [4 1 4], expected each k once"},
		{"k of accuracy twice", debate, "eval.accuracy_at=[2,2]", "eval.accuracy_at is [2 2], expected each k once"},
		{"plays that are equal", debate, "eval.pass_hat=[1,2] eval.temperature=0", "eval.pass_hat asks for several plays of a problem, which are all equal with eval.temperature 0"},
		{"many plays", debate, "eval.pass_hat=[65]", "eval.pass_hat[0] is 65, expected 1 to 64"},
		{"great k", debate, "eval.pass_at=[257]", "eval.pass_at[0] is 257, expected 1 to 256"},
		{"k without solutions", pair, "task.name=tldr eval.pass_at=[1]", "eval.pass_at has no effect with task tldr"},
		{"k of a user's reward", pair, "task.name=humaneval reward.source=user reward.user.expression=1 eval.accuracy_at=[1]", "eval.accuracy_at has no effect with reward.source user and task humaneval"},
		{"answers without end", debate, "eval.problems=1000000000 sampling.max_tokens=1000000000 eval.pass_at=[256]", "eval.problems and sampling.max_tokens ask for"},
		{"twice", debate, "eval.baselines=[single,single]", "eval.baselines names single twice"},
		{"template syntax", debate, "team.prompts.first={{.Question", "team.prompts.first: prompt template:"},
		{"template field", debate, "team.prompts.later={{.Truth}}", "team.prompts.later: prompt template, line 1, .Truth: there is no .Truth"},
		{"template name", debate, "team.prompts.system={{.Fields.title}}", "team.prompts.system: prompt template, line 1, .Fields.title: there is no"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			parse(t, c.base)
			got := wrong(t, c.base, strings.Fields(c.sets)...)
			if len(got) != 1 || !contains(got[0], ": "+c.want) {
				t.Errorf("got\n%s\nwant %s", strings.Join(got, "\n"), c.want)
			}
			if !strings.HasPrefix(got[0], "--set ") {
				t.Errorf("the message does not point at the change: %s", got[0])
			}
		})
	}
}

// TestExpressible holds settings of the papers that no rule may refuse.
func TestExpressible(t *testing.T) {
	for name, source := range map[string]string{
		"MAPoRL Exp. 1":      "name: x\nteam: {turns: 3}\npolicies: {first_trained_turn: 2}\nreward: {incentives: {alpha0: 2, alpha1: 2, beta0: 2, beta1: 2}}\n",
		"MAPoRL App. G.7":    "name: x\nteam: {turns: 3}\nreward: {source: final-label}\n",
		"MAPoRL App. G.8":    "name: x\nteam: {protocol: single, agents: 1, turns: 1}\n",
		"MAPoRL Exp. 4":      "name: x\nmodels: [Phi-3-mini-128k-instruct, Qwen2.5-3B-Instruct]\npolicies: {sharing: per-turn}\n",
		"self-correction":    "name: x\nteam: {protocol: single, agents: 1, turns: 3}\n",
		"MAGRPO two turns":   "name: x\nalgorithm: magrpo\ngroup: {rollout: chain, turn_weights: [1.2, 0.8], terminate: 0.99}\n",
		"MAGRPO cross":       "name: x\nalgorithm: magrpo\ngroup: {joint: crossed, cross_credit: sum}\nlimits: {generations: 2000}\n",
		"own rewards of iac": "name: x\nalgorithm: iac\ngroup: {size: 1}\npolicies: {sharing: per-agent}\nteam: {protocol: workflow, workflow: [{ask: [a, b], prompt: x}], answer: a, agents: {a: {}, b: {reward: {own: 1}}}}\n",
		"group without ends": "name: x\nalgorithm: maremax\ngroup: {terminate: null}\n",
		"tldr with a title":  "name: x\nalgorithm: magrpo\ntask: {name: tldr}\nteam: {protocol: parallel, turns: 1, prompts: {first: '{{.Fields.title}}'}}\nreward: {source: joint}\n",
	} {
		t.Run(name, func(t *testing.T) { roundTrip(t, parse(t, source)) })
	}
}

// TestTreeSize is the table of magrpo.md 2.2.
func TestTreeSize(t *testing.T) {
	for _, c := range []struct {
		size, agents, turns int
		joint               string
		want                int
	}{{4, 2, 1, "aligned", 8}, {4, 2, 2, "aligned", 40}, {2, 2, 4, "aligned", 60}, {4, 2, 1, "cross", 8}, {4, 2, 2, "cross", 136}, {2, 2, 4, "cross", 340}} {
		r := lang.Defaults()
		r.Algorithm, r.Team.Agents.N, r.Team.Turns = "magrpo", c.agents, c.turns
		recipe.ChangeSection(r, func(g *learn.Group) { g.Size, g.Joint = c.size, c.joint })
		if got, err := r.Generations(); err != nil || got != c.want {
			t.Errorf("%+v: %v generations, %v", c, got, err)
		}
	}
	r := lang.Defaults()
	r.Algorithm, r.Team.Turns = "magrpo", 3
	recipe.ChangeSection(r, func(g *learn.Group) { g.Rollout = "chain" })
	if got, _ := r.Generations(); got != 24 {
		t.Errorf("chain: %v generations, want 3 turns of 2 agents and 4 completions", got)
	}
	r.Algorithm, r.Team.Agents.N = "mappo", 64
	if got, _ := r.Generations(); got != 192 {
		t.Errorf("mappo: %v generations, want one per agent and turn", got)
	}
}

func TestWarnings(t *testing.T) {
	for sets, want := range map[string]string{
		"algorithm=marloo group.normalize=true":                                          "the same algorithm",
		"algorithm=magrpo group.terminate=-0.2":                                          "turn 2 is never played",
		"algorithm=magrpo group.terminate=1":                                             "nothing ends early",
		"reward.incentives.rule=reference reward.incentives.beta0=1":                     "beta has no effect",
		"eval.pass_at=[1,4] eval.temperature=0":                                          "all answers to a problem are equal",
		"optimizer.lr=0":                                                                 "nothing is learned",
		"optimizer.lr=1e-5":                                                              "optimizer.lr is 1e-05, but policies on the shipped base hardly move below",
		"reward.source=user reward.user.expression=1 reward.penalties.no_box=true":       "reward.penalties.size, -10, takes the place of your reward",
		"algorithm=magrpo group.rollout=episodes opponents.share=0.5 opponents.every=30": "opponents are the untrained policies alone",
		"training.updates=2 ppo.epochs=1 ppo.minibatches=1":                              "optimizer.warmup is 10 steps, but a policy takes at most 2: its learning rate comes to 0.2 of optimizer.lr",
		"training.checkpoint=31":                                                         "starts again from nothing",
	} {
		w := parse(t, "name: x\n", strings.Fields(sets)...).Warnings()
		if len(w) != 1 || !contains(w[0], want) {
			t.Errorf("%s: warnings %q, want %q", sets, w, want)
		}
	}
	steps := "name: x\nalgorithm: magrpo\ngroup: {rollout: episodes}\nreward: {source: user, user: {expression: '1'}}\n" +
		"team: {protocol: workflow, agents: {a: {}, b: {}}, answer: a, workflow: [{ask: [a, b], prompt: x}, {repeat: 2, until: 'UNTIL', steps: [{ask: a, prompt: x}]}]}\n"
	for until, want := range map[string]string{
		`said("a").answer == said("b").answer`: `team.workflow[1].until: said("a").answer == said("b").answer takes answers that could not be read for equal ones; write agree("a", "b")`,
		`agree("a", "b")`:                      "",
	} {
		if w := parse(t, strings.Replace(steps, "UNTIL", until, 1)).Warnings(); strings.Join(w, "; ") != want {
			t.Errorf("until %s: warnings %q, want %q", until, w, want)
		}
	}
	if w := parse(t, "name: x\n", "algorithm=magrpo", "group.normalize=true").Warnings(); len(w) > 0 {
		t.Errorf("magrpo with normalisation is a published setting, not a mistake: %q", w)
	}
}

// TestSchedules: a run with a warm-up that fits begins at its first step, has exactly the learning rate at its end and the floor in the last
// update; one that is too long never has it. Agents with optimizers of their own have schedules of their own.
func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		source string
		sets   string
		want   []teams.Schedule
	}{
		{"name: x\n", "algorithm=magrpo optimizer.lr=1 training.updates=40 training.problems=1 team.turns=1", []teams.Schedule{{Warmup: 10, Steps: 40, Rates: learn.Rates{First: .1, Greatest: 1, Last: .1}}}},
		{"name: x\n", "algorithm=magrpo optimizer.lr=1 training.updates=5 training.problems=1 team.turns=1 optimizer.decay=none", []teams.Schedule{{Warmup: 10, Steps: 5, Rates: learn.Rates{First: .1, Greatest: .5, Last: .5}}}},
		{"name: x\n", "algorithm=sft optimizer.lr=1 training.updates=5 sft.pool=run sft.epochs=3 sft.minibatches=4", []teams.Schedule{{Warmup: 10, Steps: 12, Rates: learn.Rates{First: .1, Greatest: 1, Last: 1}}}},
		{
			"name: x\nteam:\n  protocol: workflow\n  agents: {a: {}, b: {optimizer: {lr: 0.5, warmup: 2}}}\n  workflow: [{ask: a, prompt: '{{.Question}}'}, {ask: b, prompt: '{{.Question}}'}]\n", "algorithm=magrpo reward.source=user reward.user.expression=1.0 policies.sharing=per-agent optimizer.lr=1 training.updates=20 training.problems=1 optimizer.decay=none",
			[]teams.Schedule{{Warmup: 10, Steps: 40, Rates: learn.Rates{First: .1, Greatest: 1, Last: 1}}, {Agent: "b", Warmup: 2, Steps: 40, Rates: learn.Rates{First: .25, Greatest: .5, Last: .5}}},
		},
	} {
		got, err := parse(t, c.source, strings.Fields(c.sets)...).Schedules()
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.sets, got, err, c.want)
		}
	}
}
