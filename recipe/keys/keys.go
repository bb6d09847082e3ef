// Package keys declares the general keys of recipes, section by section: every field is a key, whose default, range and meaning are its tags
// (see package recipe/schema). The tag names says what on disk a text names (package recipe/paths). Package recipe puts the sections together and
// says what goes with what.
package keys

import "slices"

// Engine settings change speed and memory, not what is computed (except the numeric kind of the kernels, and the base's format).
type Engine struct {
	Kernels     string `yaml:"kernels" default:"auto" oneof:"auto generic neon avx2 avx512 avx512bf16 amx" doc:"Kernel set; auto takes the best of this CPU. PARLEY_CPU overrides it."`
	Threads     int    `yaml:"threads" default:"0" min:"0" max:"1024" doc:"Threads of the engine; 0: one per available core."`
	DType       string `yaml:"dtype" default:"f32" oneof:"f32 bf16 int8 nf4" doc:"How the frozen base is held in memory and multiplied; below f32, embedding and head are bf16. Adapters are f32 always."`
	BatchTokens int    `yaml:"batch_tokens" default:"0" min:"0" doc:"Most tokens in one packed pass; 0: chosen by the size of the model."`
	Tinker      Tinker `yaml:"tinker"`
}

// Tinker is a training cluster that speaks the Tinker protocol. It samples and trains instead of this machine, over the same base.
type Tinker struct {
	URL    string  `yaml:"url" reach:"asks" default:"" doc:"Sample and train on the server there, such as http://127.0.0.1:8000: SkyRL, TuFT or another one that speaks the Tinker protocol (docs/cluster.md). Empty: on this machine."`
	KeyEnv string  `yaml:"key_env" reach:"tells" default:"" doc:"The environment variable that holds the server's key; empty: no key is sent."`
	Model  string  `yaml:"model" default:"" doc:"The server's name for the base, whose files model names here: tokenizer, template and shape come from them. Empty: the only one that it has."`
	Slots  int     `yaml:"slots" default:"128" min:"1" max:"65536" doc:"Most completions that it is asked for at the same time. Problems advance one by one, twice as many at once."`
	Again  int     `yaml:"again" default:"0" min:"0" max:"4096" doc:"Answers of each policy that this machine scores again after every checkpoint, over the adapter as it came home: how far log-probabilities are apart stands in timing.jsonl. It takes the base into this machine's memory. 0: none."`
	Alone  bool    `yaml:"alone" default:"false" doc:"Nobody else uses the server: what would harm others there is measured too, such as whether weight decay of one policy moves another."`
	Wait   float64 `yaml:"wait" default:"600" min:"1" doc:"Longest wait for an operation of the server, in seconds."`
}

// Task says where problems come from. Which further keys there are depends on the task: they are its settings.
type Task struct {
	Name              string `yaml:"name" doc:"Where problems come from, and how answers are scored. Each task has keys of its own."`
	Train             int    `yaml:"train" default:"10000" min:"1" doc:"Training problems to draw from."`
	MaxQuestionTokens int    `yaml:"max_question_tokens" default:"0" min:"0" doc:"Most tokens of a training problem's question as a user message by itself, in every base of the team; longer ones of task.train are left out and counted. 0: no bound."`
	Filter            Filter `yaml:"filter"`

	Settings any `yaml:"-"` // the task's own: a pointer to a struct that nobody changes
}

// Filter chooses problems by how often the untrained model solves them, each alone and in one turn.
type Filter struct {
	MinPassRate float64 `yaml:"min_pass_rate" default:"0" min:"0" max:"1" doc:"Train only on problems that the untrained model solves at this rate or above, ..."`
	MaxPassRate float64 `yaml:"max_pass_rate" default:"1" min:"0" max:"1" doc:"... and at this rate or below. The rates are measured once, before training, and kept in the run folder."`
	Samples     int     `yaml:"samples" default:"8" min:"1" max:"256" doc:"Answers that a rate is measured by, sampled as in training."`
	HeldOut     bool    `yaml:"held_out" default:"false" doc:"Measure on held-out problems between the same bounds only, chosen by answers of their own, which no score counts."`
}

// Team says who speaks when, and who sees what.
type Team struct {
	Protocol         string       `yaml:"protocol"`
	Agents           Agents       `yaml:"agents" default:"2" min:"1" max:"64" doc:"Number of agents, or the agents by name with settings of their own (docs/teams.md)."`
	Turns            int          `yaml:"turns" default:"2" min:"1" max:"4096" doc:"Turns an agent speaks, at most 16; of a workflow's program, the most turns that it asks."`
	Workflow         Steps        `yaml:"workflow" doc:"Steps of protocol workflow: who is asked what, when, and how often (docs/teams.md)."`
	Program          string       `yaml:"program" names:"file" default:"" doc:"A Starlark program in place of the steps of a workflow, with def next(problem, history) (docs/teams.md): a file, or the lines themselves."`
	Answer           TeamAnswer   `yaml:"answer" doc:"What of all that was said is the answer of a workflow's team: the last text of a name, vote (or {vote: names}) over final answers, {joint: names} for texts that are rewarded together, or =EXPRESSION; empty: the last text. every-turn: there is none, and each turn is rewarded for what all agents said last, as in a debate. tagged: the first agent writes what all agents answer, each text between tags such as <agent_1> and </agent_1>; the others are not asked."`
	Fields           FieldViewers `yaml:"fields" doc:"Fields of problems that only the named agents of a workflow see, such as {solution: [user]}. Prompts of the others have no such field, and neither have expressions. Every prompt is checked as it is made: one that depends on a field which is hidden from its agent ends the run."`
	Cast             string       `yaml:"cast" default:"fixed" oneof:"fixed drawn" doc:"Who plays which part of a team of which nothing is trained. fixed: each agent its own. drawn: for every problem the parts are given out at random, by the seed. A part keeps its name, its role and its prompts; it is played by the base or the server, with the sampling and the tools, of the agent that is drawn for it."`
	History          string       `yaml:"history" default:"all" oneof:"own all" doc:"What an agent sees of earlier turns: only its own answers, or everybody's."`
	RewardFeedback   bool         `yaml:"reward_feedback" default:"false" doc:"Show the verifier's score of each answer in later prompts (maporl.md 1.2)."`
	NormalizeVisible bool         `yaml:"normalize_visible" default:"true" doc:"The agents of a debate, and trained verifiers, read answers with the final one moved to a box on the last line (maporl.md 1.2). false: as they were written, as everybody else does: rewards, judges, tools, environments, workflows and training."`
	Feedback         string       `yaml:"feedback" default:"none" oneof:"none self binary score first" doc:"What prompts of later turns say of the answer before (magrpo.md 9). none: what team.prompts.later says. self: a request to revise. binary: whether it was good enough. score: the joint reward that it earned. first: the first prompt again. The others are reports of the task, such as diagnostics."`
	WarmUp           int          `yaml:"warm_up" default:"0" min:"0" doc:"Updates at the beginning that train the first turn alone; feedback and later turns are switched on behind them."`
	SandboxSlice     int          `yaml:"sandbox_slice" default:"1" zero:"all" doc:"Reports that quote findings of the task, such as failed assertions: those that they show: 1 the first, k the first k, -k the last k, 0, null or all every one. Assertions are those that train: held-out problems stay held out."`
	ChatMemory       ChatMemory   `yaml:"chat_memory"`
	Proposals        Proposals    `yaml:"proposals"`
	Lessons          Lessons      `yaml:"lessons"`
	Tools            Tools        `yaml:"tools"`
	Expert           Expert       `yaml:"expert"`
	Prompts          Prompts      `yaml:"prompts"`
	Consensus        Consensus    `yaml:"consensus"`
}

// Proposals are what frozen agents write about training problems, once.
type Proposals struct {
	Each      int     `yaml:"each" default:"0" min:"0" max:"64" doc:"Answers that each agent of a workflow's first step gives to a training problem, once, before training. All of them are frozen. The run keeps the answers; training shows the v-th of each agent together, asks whoever comes next, and nobody else. Held-out problems are worked on from the first step to the last. 0: training asks everybody too."`
	MostRight float64 `yaml:"most_right" default:"0.75" min:"0" max:"1.1" doc:"Problems of which this share of the proposals is right, or a greater one, are not trained on; above 1: all are."`
}

// Lessons say which lessons of a bank agents read in a round, where a workflow's program keeps one (LessonL).
type Lessons struct {
	Selector string `yaml:"selector" default:"hybrid" oneof:"hybrid speed relevance passes random" doc:"Which lessons of its bank a workflow's program shows. speed: of the programs with the highest speed-up times factor. relevance: nearest to the source. hybrid: up to half of them by speed, if that is at least 1.1, the others by relevance. passes: as hybrid, without a threshold, where what counts is tests passed. random: any, drawn for the problem and the round."`
	Shown    int    `yaml:"shown" default:"4" min:"0" max:"64" doc:"The most lessons that are shown in a round; 0: none."`
}

// ChatMemory says what prompts of later turns hold of the dialogue so far.
type ChatMemory struct {
	Original bool `yaml:"original" default:"true" doc:"The first prompt."`
	Previous bool `yaml:"previous" default:"true" doc:"The agent's own answers."`
	Last     int  `yaml:"last" default:"0" min:"0" doc:"How many turns back it goes; 0: to the first."`
}

// Expert is the external model of team.feedback expert, behind an OpenAI-compatible server or a recording of one.
type Expert struct {
	URL       string  `yaml:"url" reach:"asks" default:"" doc:"Such as http://127.0.0.1:8000/v1; empty: everything comes from the recording."`
	Model     string  `yaml:"model" default:"" doc:"The model's name there."`
	KeyEnv    string  `yaml:"key_env" reach:"tells" default:"" doc:"The environment variable that holds the key; empty: no key is sent."`
	Recording string  `yaml:"recording" names:"file" reach:"writes" default:"" doc:"File of JSON lines: what was answered before is read from it, what is new is added to it. A run with a recording is a function of recipe and seed."`
	Seconds   float64 `yaml:"seconds" default:"60" min:"0.01" doc:"Longest wait for an answer."`
	Retries   int     `yaml:"retries" default:"3" min:"0" max:"20" doc:"Further tries."`
}

// Prompts are Go text/template texts. Fields: .Question, .Fields (map), .Agent (1-based), .Role, .Turn; later turns also .Own
// (.Text .Score .Feedback) and .Others (a list of .Number .Text .Score .Feedback), .ShowScores.
type Prompts struct {
	System        string   `yaml:"system" default:"" doc:"System message; empty: none."`
	Examples      []string `yaml:"examples" doc:"A chat that every prompt begins with, as it is: a user message, the answer to it, and so on, for bases that need to be shown how to answer. With protocol central it is a chat with the one model, tags included. Trained verifiers do not read it."`
	First         string   `yaml:"first" default:"" doc:"User message of turn 1; empty: the task's own."`
	Later         string   `yaml:"later" default:"" doc:"User message of later turns; empty: the task's own."`
	ControlTokens bool     `yaml:"control_tokens" default:"false" doc:"false: what questions, prompts and answers write like a control token of a model, such as <|im_end|>, is read as text. true: it becomes that token, so that a text can end its turn and begin another."`
	Roles         []string `yaml:"roles" doc:"One text per agent, available as .Role (used by parallel teams)."`
}

// Consensus is early consensus (maporl.md 1.2): a question ends when the majority answer's share exceeds Share and the mean
// score of those answers exceeds Score.
type Consensus struct {
	Share float64 `yaml:"share" default:"1.1" min:"0" max:"1.1" doc:"Share of the majority answer that ends the debate; above 1: never."`
	Score float64 `yaml:"score" default:"0.8" min:"0" max:"1" doc:"Mean score those answers need."`
}

// Sampling says how completions are drawn in training rollouts.
type Sampling struct {
	Temperature      float64  `yaml:"temperature" default:"0.7" min:"0.01" max:"10" doc:"Logits are divided by it; log-probabilities of policy and reference too."`
	TopK             int      `yaml:"top_k" default:"0" min:"0" doc:"Keep the k most probable tokens; 0: all."`
	TopP             float64  `yaml:"top_p" default:"1" min:"0.01" max:"1" doc:"Keep the smallest set of most probable tokens with this mass."`
	MaxTokens        int      `yaml:"max_tokens" default:"64" min:"1" doc:"Most new tokens of an answer."`
	MinTokens        int      `yaml:"min_tokens" default:"0" min:"0" doc:"No end token before this many new tokens, and no stop text counts before."`
	Stop             []string `yaml:"stop" doc:"Texts that end an answer, such as [\"\\nQuestion:\"], wherever tokens cut them. The answer's text ends before the stop text; the tokens are kept and trained on as they were sampled."`
	Truncated        string   `yaml:"truncated" default:"keep" oneof:"keep mask penalty" doc:"What becomes in training of answers that reach max_tokens. keep: they are learned from as others are. mask: their tokens have no part in any loss; their rewards count where answers are compared. penalty: they earn truncated_penalty less."`
	TruncatedPenalty float64  `yaml:"truncated_penalty" default:"1" min:"0" doc:"truncated penalty: what is taken off the score of such an answer, or, divided by the number of answers, off the processed reward of what a team wrote together. An answer with a flag earns reward.penalties.size whatever its length."`
}

// Reward says what an answer earns.
type Reward struct {
	Source     string      `yaml:"source" default:"label" oneof:"label final-label joint preferences trained program server user" doc:"label: 1 for a right answer, 0 for a wrong one, at every turn. final-label: only at the last turn (no-verifier mode, maporl.md 2.4). joint: the task's joint reward of all answers of a turn. preferences: the score of a reward model that is trained before on pairs of joint responses, which the joint reward orders (MARLHF, magrpo.md 5); reports show the joint reward. trained: the probability that a verifier made by parley verifier gives (maporl.md 3). program: that of a program of yours. server: that of a model behind an OpenAI-compatible server. user: a reward of yours for all answers of a turn together (docs/rewards.md)."`
	Scoring    Scoring     `yaml:"scoring"`
	User       User        `yaml:"user"`
	Model      RewardModel `yaml:"model"`
	Design     string      `yaml:"design" default:"influence" oneof:"immediate cumulative influence turn_mean last_turn_mean last_turn_own" doc:"How scores of a debate become rewards (maporl.md 2.2); the last three: the mean over agents of this turn, that of the last turn, the agent's own score of the last turn."`
	Gamma      float64     `yaml:"gamma" default:"1" min:"0" max:"1" doc:"Discount over turns in the design."`
	Incentives Incentives  `yaml:"incentives"`
	Penalties  Penalties   `yaml:"penalties"`
	Scale      float64     `yaml:"scale" default:"1" doc:"Reward processor: rewards are multiplied by scale, ..."`
	Shift      float64     `yaml:"shift" default:"0" doc:"... then shift is added."`
	Clamp      []float64   `yaml:"clamp" doc:"Reward processor: [least, greatest] after scale and shift; empty: none."`
	Processors []string    `yaml:"processors" doc:"Further reward processors, each by its name and numbers, one after the other behind clamp: sigmoid_scale STEEPNESS, exp_scale RATE, length_normalize TOKENS (divides by the length of what was written, in units of so many tokens), clamp LEAST GREATEST, scale FACTOR, shift BY. For example [length_normalize 100, sigmoid_scale 2]."`
}

// RewardModel says how the reward model of reward.source preferences is trained, on the pairs that preference describes.
type RewardModel struct {
	Problems int     `yaml:"problems" default:"100" min:"1" doc:"Training problems whose joint responses are compared."`
	Epochs   int     `yaml:"epochs" default:"1" min:"1" max:"100" doc:"Passes over the pairs."`
	Batch    int     `yaml:"batch" default:"2" min:"1" doc:"Pairs per optimizer step."`
	LR       float64 `yaml:"lr" default:"0" min:"0" doc:"Learning rate; 0: that of the policies."`
}

// Scoring says where the scores of verifiers come from. A problem with an answer that stays without a score is not learned from.
type Scoring struct {
	Folders []string `yaml:"folders" names:"folder" doc:"trained: folders that parley verifier train wrote, one for each base of the team."`
	Command []string `yaml:"command" names:"command" reach:"runs" doc:"program: the program and its arguments. It is started by whoever runs the recipe, and answers JSON lines (docs/verifier.md)."`
	URL     string   `yaml:"url" reach:"asks" default:"" doc:"server: such as http://127.0.0.1:8000/v1."`
	Model   string   `yaml:"model" default:"" doc:"server: the model's name there."`
	KeyEnv  string   `yaml:"key_env" reach:"tells" default:"" doc:"server: the environment variable that holds the key; empty: no key is sent."`
	Seconds float64  `yaml:"seconds" default:"60" min:"0.01" doc:"program: longest wait for the next answer. server: longest wait for one."`
	Retries int      `yaml:"retries" default:"2" min:"0" max:"20" doc:"program and server: further tries of what has no answer."`
}

// User is a reward of the user's own, for all answers of a turn together. It comes from one of python, command, expression and url. A
// problem with a turn that stays without a reward is not learned from.
type User struct {
	Python     string   `yaml:"python" names:"file" reach:"imports" default:"" doc:"A Python file with def reward(item, responses)."`
	Isolated   bool     `yaml:"isolated" default:"true" doc:"python: every call in the sandbox. false: all calls in one process with your rights, which may import what you have installed and keep a model loaded."`
	Command    []string `yaml:"command" names:"command" reach:"runs" doc:"A program and its arguments, started once by whoever runs the recipe. It answers JSON lines."`
	Expression string   `yaml:"expression" default:"" doc:"Starlark, a small dialect of Python: an expression over item, responses and math, or a text with def reward(item, responses)."`
	URL        string   `yaml:"url" reach:"asks" default:"" doc:"A server that is asked by POST, such as http://127.0.0.1:8000/reward."`
	KeyEnv     string   `yaml:"key_env" reach:"tells" default:"" doc:"url: the environment variable that holds the key; empty: no key is sent."`
	Min        float64  `yaml:"min" default:"0" doc:"The least reward, ..."`
	Max        float64  `yaml:"max" default:"1" doc:"... and the greatest. Others are errors."`
	Seconds    float64  `yaml:"seconds" default:"10" min:"0.01" doc:"Longest wait for a reward."`
	Retries    int      `yaml:"retries" default:"2" min:"0" max:"20" doc:"command, url and python in a process: further tries of what got no answer."`
	MemoryMB   int      `yaml:"memory_mb" default:"512" min:"0" doc:"python: MiB of memory that it may use; 0: no bound outside the sandbox."`
}

// Incentives are the coefficients of MAPoRL's Tables 1 and 2 (maporl.md 2.3).
type Incentives struct {
	Alpha0 float64 `yaml:"alpha0" default:"0" doc:"Critical reasoning."`
	Alpha1 float64 `yaml:"alpha1" default:"0" doc:"Persuadability."`
	Beta0  float64 `yaml:"beta0" default:"0" doc:"Wrong but useful answers."`
	Beta1  float64 `yaml:"beta1" default:"0" doc:"Persuading with right answers."`
	By     string  `yaml:"by" default:"label" oneof:"label verifier" doc:"What counts as right: the label, or a score above 0.5."`
	Rule   string  `yaml:"rule" default:"paper" oneof:"paper reference" doc:"The paper's tables, or the published code's rule (never the default)."`
}

// Penalties are MAPoRL's answer flags (maporl.md 2.1). None is on unless a recipe asks for it: the score of a flagged answer takes the place of
// its reward, and what deserves a flag depends on the task, its prompts and the base.
type Penalties struct {
	Size      float64 `yaml:"size" default:"-10" max:"0" doc:"Score of a flagged answer."`
	Scope     string  `yaml:"scope" default:"score" oneof:"score own" doc:"score: replaces the score before the reward design; own: only the answer's own reward."`
	NoBox     bool    `yaml:"no_box" default:"false" doc:"Flag answers without a box (not at turn 1 when it is not trained)."`
	MinTokens int     `yaml:"min_tokens" default:"0" min:"0" doc:"Flag answers with fewer tokens before the first end token; 0: off."`
	Reasoning bool    `yaml:"no_reasoning" default:"false" doc:"Tasks whose answer is one of a few words: ask the base without adapters about each training answer, yes or no, whether it gives a reason, and flag it after a clear no."`
	AfterBox  bool    `yaml:"after_box" default:"false" doc:"Flag text after the last box."`
	Repeats   int     `yaml:"repeats" default:"0" min:"0" doc:"Flag token sequences repeated more often than this in a row; 0: off."`
	RepeatMin int     `yaml:"repeat_min" default:"2" min:"1" doc:"Least length of such a sequence."`
	RepeatMax int     `yaml:"repeat_max" default:"5" min:"1" doc:"Greatest length of such a sequence."`
}

// Training says how much is trained.
type Training struct {
	Updates    int     `yaml:"updates" default:"30" min:"0" doc:"Rollout-and-learn rounds."`
	Tokens     int     `yaml:"tokens" default:"0" min:"0" most:"none" doc:"Training ends behind the update in which so many tokens have been generated in all, where training.updates allows more: so teams are compared at equal generated tokens. A trained single agent gets as many. 0: training.updates alone."`
	Problems   int     `yaml:"problems" default:"32" min:"1" doc:"Problems per update."`
	Checkpoint int     `yaml:"checkpoint" default:"1" min:"1" doc:"Updates between checkpoints."`
	Keep       int     `yaml:"keep" default:"2" min:"1" doc:"Checkpoints kept."`
	Async      int     `yaml:"async" default:"0" min:"0" max:"1" doc:"Updates by which sampling is ahead of learning. 0: an update samples with the policies that the update before left. 1: it samples with those before that one's steps, so that a cluster may sample while it trains (docs/scale.md). What is learned is then weighted with min(pi/pi_behaviour, group.ratio_cap), which algorithms that learn from groups and actor-critics do. On the embedded engine nothing is won but the comparison."`
	Deadline   float64 `yaml:"deadline" default:"0" min:"0" doc:"Seconds that the episodes of a problem may take in training, from its first prompt. One that is not over then has failed: it is counted and said, nothing is learned from it, and the update goes on without it (training.failed_share says how many may). Problems then advance one by one. Who is late depends on the machine, and so do the numbers where anybody is. 0: any time."`
	// RoleGradients has no default above 0: on a CPU nothing is free that goes backward.
	RoleGradients int `yaml:"role_gradients" default:"0" min:"0" doc:"Measure the gradient of every agent who shares a policy in every so manieth update, from the first: 1 in all, 10 in every tenth; 0: never. No other number changes. In such an update training goes once more forward and back (docs/credit.md)."`

	FailedShare float64 `yaml:"failed_share" default:"0.2" min:"0" max:"1" doc:"Most of an update's problems that may stay without a score, as a share: nothing is learned from those. The same of held-out problems: they are left out of the score. A greater share ends the run."`
	TensorBoard string  `yaml:"tensorboard" names:"output" reach:"writes" default:"" takes:"true" doc:"Write TensorBoard event files while training: a folder, relative to that of the recipe, in which every run gets its own, or true for the folder tensorboard of the run. Empty: none."`
	MLflow      MLflow  `yaml:"mlflow"`
}

// MLflow says to which MLflow server a training is sent while it runs.
type MLflow struct {
	URL        string `yaml:"url" reach:"asks" default:"" doc:"Send what is measured to this MLflow server, such as http://127.0.0.1:5000. Training never waits for it. Empty: none."`
	Experiment string `yaml:"experiment" default:"parley" doc:"The experiment on the server; it is made where there is none."`
	TokenEnv   string `yaml:"token_env" reach:"tells" default:"" doc:"The environment variable that holds the server's token; empty: none is sent."`
}

// Eval says how a team is measured.
type Eval struct {
	Problems    int      `yaml:"problems" default:"400" min:"1" doc:"Held-out problems."`
	Temperature float64  `yaml:"temperature" default:"0.7" min:"0" max:"10" doc:"Sampling temperature of all compared systems; 0: greedy."`
	Agents      int      `yaml:"agents" default:"0" min:"0" max:"64" doc:"Agents of the measured team, where it is to have more or fewer than the one that is trained; 0: as many. Policies must be shared over agents."`
	Baselines   []string `yaml:"baselines" oneof:"off-the-shelf-double single majority-vote concatenation pipeline discussion trained-single" doc:"Systems beside the team. off-the-shelf-double: the untrained team, allowed twice sampling.max_tokens an answer, as in MAPoRL's paper. The others share the team's budget of tokens. concatenation, pipeline, discussion (joint rewards): untrained agents answer at once; each sees what those before it wrote; all answer, read each other and answer again (magrpo.md 10). single, majority-vote, trained-single: one agent."`
	Passes      int      `yaml:"passes" default:"1" min:"1" max:"64" doc:"Independent passes of the team over a held-out problem whose answers are voted on, before and after training: the rows off-the-shelf-vote and trained-vote (MALT's MV@m). Of answers with as many votes the first given wins. 1: no vote."`
	Ablations   []string `yaml:"ablations" oneof:"untrained skipped" doc:"Rows of the trained team with one agent changed, one row an agent. untrained: its base speaks for it. skipped: it says nothing; if it was to give the team's answer, that is read from what was said last."`
	Task        EvalTask `yaml:"task"`
	Invalid     string   `yaml:"invalid" default:"vote" oneof:"vote abstain" doc:"Unparseable answers in a vote: they count as one common value that loses ties, or they abstain."`
	Extract     int      `yaml:"extract" default:"0" min:"0" max:"100" doc:"Times that the base without adapters is asked, in 15 tokens, to state the final answer of a text that has no readable one, until its reply has one; 0: never. The paper's is 5. Training never asks."`
	NoHistory   bool     `yaml:"without_history" default:"false" doc:"Also measure each trained policy, and the base, on the question alone: one answer, no history (MAPoRL, Remark 2)."`
	PassAt      []int    `yaml:"pass_at" min:"1" max:"256" doc:"k of pass@k: the probability that at least one of k samples solves a held-out problem, estimated without bias from as many samples as the greatest k of pass_at and accuracy_at (magrpo.md 10). A sample is a joint one of the whole team, before training and after it; with the baseline single one untrained agent is sampled too. Empty: not measured."`
	AccuracyAt  []int    `yaml:"accuracy_at" min:"1" max:"256" doc:"k of accuracy@k: the greatest share of a held-out problem that one of the first k of those samples solves, and the expectation of that (magrpo.md 10). The share of a program is that of its tests; an answer is right or not. Empty: not measured."`
	Examples    int      `yaml:"examples" default:"2" min:"0" max:"20" doc:"Dialogues shown before and after training."`
}

// Samples is how often an agent alone answers a held-out problem for pass@k and accuracy@k: as often as the greatest k; 0: neither is measured.
func (e Eval) Samples() int { return slices.Max(slices.Concat([]int{0}, e.PassAt, e.AccuracyAt)) }

// Variants is how many further measurements of a team of so many agents are asked for: passes beyond the first, of the team before training and
// after it, and ablations of the latter.
func (e Eval) Variants(agents int) (before, after int) {
	if e.Passes > 1 {
		before = e.Passes
	}
	return before, before + len(e.Ablations)*agents
}

// EvalTask is the task that a team is measured on, where it is another than it is trained on (MAPoRL §4.5). It has the keys of that task
// that matter there.
type EvalTask struct {
	Name string `yaml:"name" default:"same" doc:"Whose held-out problems are measured; same: those of task.name."`

	Settings any `yaml:"-"` // as in [Task]; nil: it is the same task
}

// Limits guard the machine.
type Limits struct {
	Generations int `yaml:"generations" default:"1000" min:"1" doc:"Most completions that one item may imply; a recipe above it is refused."`
}
