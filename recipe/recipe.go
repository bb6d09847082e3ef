// Package recipe reads the one YAML file that is an experiment.
//
// A recipe says which task is worked on, with which base model, by which team, how answers are rewarded, and with which
// algorithm the team's adapters are trained. It knows nothing of how any of that runs. The struct [Recipe] is the whole
// language: every key is a field of it, with its default, its range and its meaning as struct tags. From these tags come the
// strict parser (unknown key, wrong type, value out of range: every error at once, with line and column), the printed form
// with every default filled in, and the reference in docs/recipes.md.
//
// Printing a parsed recipe and parsing the print gives the same recipe, so `parley recipe show NAME > mine.yaml` is the way
// to start an experiment of one's own.
package recipe

// A Recipe is one experiment. Field tags: default, oneof (the words allowed), min and max (inclusive), doc (one sentence).
type Recipe struct {
	Name    string  `yaml:"name" doc:"Name of the recipe and of its runs."`
	About   string  `yaml:"about" doc:"What the experiment shows, in one line."`
	Minutes float64 `yaml:"minutes" default:"0" min:"0" doc:"About how long it takes on two cores; 0: not known."`
	Preset  string  `yaml:"preset" default:"" doc:"A shipped recipe whose values take the place of the defaults, such as debate-sums; its name, about, minutes and experiment stay its own."`

	Model    string   `yaml:"model" default:"parley-base" doc:"The frozen base: parley-base (ships in the binary), a folder in Hugging Face layout, a GGUF file, or the name of a pulled model."`
	Models   []string `yaml:"models" doc:"The frozen base of each agent, where they differ: one name per agent, in agent order. Agents of one base share its weights; text passes between different ones. Empty: all agents have model."`
	Truncate string   `yaml:"truncate" default:"error" oneof:"error left" doc:"What happens to a prompt that does not fit its base's context: error stops; left drops its oldest tokens, system message and all, until sampling.max_tokens fit behind it (at most half the context is kept free for them)."`

	Seed   int    `yaml:"seed" default:"1" min:"0" doc:"Root of every random choice of the run."`
	Memory string `yaml:"memory" default:"" unit:"GiB" doc:"Most memory that the run may be estimated to need, such as 8GiB; activations that do not fit are computed again. Empty: what the machine has."`
	Engine Engine `yaml:"engine"`

	Task     Task     `yaml:"task"`
	Team     Team     `yaml:"team"`
	Sampling Sampling `yaml:"sampling"`
	Policies Policies `yaml:"policies"`
	Reward   Reward   `yaml:"reward"`

	Algorithm Algorithm  `yaml:"algorithm" default:"mappo" oneof:"mappo magrpo mareinforce marloo maremax iac maac madpo sft" doc:"mappo: MAPoRL's multi-agent PPO with one value adapter per policy. magrpo, mareinforce, marloo, maremax: group-relative advantages of a joint or own reward. iac: independent actor-critics over turns; maac: actors with one central critic; madpo: preferences between joint responses (magrpo.md 5). sft: supervised learning of the untrained team's best debates (MAPoRL, Experiment 5)."`
	PPO       PPO        `yaml:"ppo"`
	SFT       Supervised `yaml:"sft"`
	Group     Group      `yaml:"group"`
	Critic    Critic     `yaml:"critic"`

	Preference Preference `yaml:"preference"`
	Optimizer  Optimizer  `yaml:"optimizer"`
	Training   Training   `yaml:"training"`
	Eval       Eval       `yaml:"eval"`
	Limits     Limits     `yaml:"limits"`

	Experiment Experiment `yaml:"experiment"`
}

// An Algorithm names how policies learn.
type Algorithm string

const (
	MAPPO       Algorithm = "mappo"
	SFT         Algorithm = "sft"
	MAGRPO      Algorithm = "magrpo"
	MAREINFORCE Algorithm = "mareinforce"
	MARLOO      Algorithm = "marloo"
	MAREMAX     Algorithm = "maremax"
	IAC         Algorithm = "iac"
	MAAC        Algorithm = "maac"
	MADPO       Algorithm = "madpo"
)

// Engine settings change speed and memory, not what is computed (except the numeric kind of the kernels, and the base's format).
type Engine struct {
	Kernels     string `yaml:"kernels" default:"auto" oneof:"auto generic neon avx2 avx512 avx512bf16 amx" doc:"Kernel set; auto takes the best of this CPU. PARLEY_CPU overrides it."`
	Threads     int    `yaml:"threads" default:"0" min:"0" max:"1024" doc:"Threads of the engine; 0: one per available core."`
	DType       string `yaml:"dtype" default:"f32" oneof:"f32 bf16 int8 nf4" doc:"How the frozen base is held in memory and multiplied; below f32, embedding and head are bf16. Adapters are f32 always."`
	BatchTokens int    `yaml:"batch_tokens" default:"0" min:"0" doc:"Most tokens in one packed pass; 0: chosen by the size of the model."`
}

// Task says where problems come from.
type Task struct {
	Name              string `yaml:"name" default:"sums" oneof:"sums gsm8k tinygsm svamp gsm-hard math nli duet tldr arxiv humaneval coophumaneval mbpp classeval strbuild housebuild" doc:"sums: generated word problems. gsm8k, tinygsm, svamp, gsm-hard, math: word problems of a data set. nli: entailment, neutral or contradiction, of any data set of that form. duet: sums answered by a pair under one joint reward. tldr: two summaries of an abstract (magrpo.md 6.1). arxiv: the background and the method of an introduction, from an abstract (magrpo.md 6.2). humaneval, coophumaneval, mbpp: a helper function and the asked function in Python (magrpo.md 7). classeval: the methods of a class (8). These four need bubblewrap and python3. strbuild, housebuild: commands that place blocks (8)."`
	Path              string `yaml:"path" default:"" doc:"Data set: a file of JSON lines (plain, gzip, zstd) or parquet, a folder whose file names say train, validation or test, or the name of a pulled data set; empty: gsm8k openai/gsm8k, svamp ChilleD/SVAMP, gsm-hard reasoning-machines/gsm-hard, nli facebook/anli. tldr, arxiv: folder with train and test files; code tasks: such a folder, or one file, which is cut; tldr, code tasks and classeval, empty: what is in the binary."`
	Subset            string `yaml:"subset" default:"" doc:"Data set: only files with this part in their name or folder, such as r3 of ANLI; empty: all."`
	BadLines          string `yaml:"bad_lines" default:"error" oneof:"error skip" doc:"Data set: what happens to a line that cannot be read; skip counts it."`
	VerifierProblems  int    `yaml:"verifier_problems" default:"0" min:"0" doc:"Data set: the first so many training problems are kept for a verifier; policies train on those behind them."`
	Scorer            string `yaml:"scorer" default:"standard" oneof:"standard robust compat" doc:"tldr, arxiv and code tasks: the documented joint reward, the one that pays nothing for gaming it (magrpo.md 6.4, 7.2), or the published code's."`
	RewardVersion     string `yaml:"reward_version" default:"usual" oneof:"usual 2025-12 2025-10" doc:"Which version of the published reward. arxiv: the paper's, or that from 2025-12 on (magrpo.md 6.2); classeval: the current one, or that of 2025-10, which runs nothing (8)."`
	BrokenItems       string `yaml:"broken_items" default:"keep" oneof:"keep drop" doc:"Code tasks and classeval: items whose own tests are known to be wrong, or cannot pass in the sandbox."`
	Train             int    `yaml:"train" default:"10000" min:"1" doc:"Training problems to draw from."`
	MaxQuestionTokens int    `yaml:"max_question_tokens" default:"0" min:"0" doc:"Most tokens of a training problem's question as a user message by itself, in every base of the team; longer ones of task.train are left out and counted. 0: no bound."`
	Steps             int    `yaml:"steps" default:"0" min:"0" max:"4" doc:"sums and duet: arithmetic steps of a problem; 0: the task's own mixture."`
	MaxNumber         int    `yaml:"max_number" default:"0" min:"0" max:"99" doc:"sums: largest number of a problem and of its solution, 10 to 99; 0: 99."`
	Style             string `yaml:"style" default:"story" oneof:"story sum" doc:"sums: a story that asks for the result of a sum, or the sum alone, such as 23 + 18 - 12."`
	Answer            string `yaml:"answer" default:"boxed" oneof:"boxed last-number" doc:"Word problems: what counts as the answer of a text: the number in its last box, or its last number (for models that box nothing)."`
	Filter            Filter `yaml:"filter"`
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
	Protocol         string     `yaml:"protocol" default:"debate" oneof:"debate parallel single central" doc:"debate: all answer, see each other's answers, answer again. parallel: all answer on their own, each in its role. single: one agent. central: one model answers for all agents at once, each between tags, and is rewarded as they would be (magrpo.md 5); sampling.max_tokens is for all of them together."`
	Agents           int        `yaml:"agents" default:"2" min:"1" max:"64" doc:"Number of agents."`
	Turns            int        `yaml:"turns" default:"2" min:"1" max:"16" doc:"Turns an agent speaks."`
	History          string     `yaml:"history" default:"all" oneof:"own all" doc:"What an agent sees of earlier turns: only its own answers, or everybody's."`
	RewardFeedback   bool       `yaml:"reward_feedback" default:"false" doc:"Show the verifier's score of each answer in later prompts (maporl.md 1.2)."`
	NormalizeVisible bool       `yaml:"normalize_visible" default:"true" doc:"Show answers with the box moved to the last line; training always sees the raw tokens."`
	Feedback         string     `yaml:"feedback" default:"none" oneof:"none self diagnostics expert binary score first perfect position position_modification rect_modification resource_schedule" doc:"What prompts of later turns say of the answer before (magrpo.md 9). none: what team.prompts.later says. self: a request to revise. diagnostics: what the task's checks found. expert: what an external model suggests. binary: whether it was good enough. score: the joint reward that it earned. first: the first prompt again. strbuild and housebuild: perfect: what each agent should change for a perfect result; position: where blocks belong. housebuild: position_modification: the wrong cells; rect_modification: fills that correct them; resource_schedule: the agent's blocks that are left, and fills to spend them on."`
	WarmUp           int        `yaml:"warm_up" default:"0" min:"0" doc:"Updates at the beginning that train the first turn alone; feedback and later turns are switched on behind them."`
	SandboxSlice     int        `yaml:"sandbox_slice" default:"1" zero:"all" doc:"feedback diagnostics, position_modification and rect_modification: the assertions, cells or fills that it shows: 1 the first, k the first k, -k the last k, 0, null or all every one. Assertions are those that train: held-out problems stay held out."`
	ChatMemory       ChatMemory `yaml:"chat_memory"`
	Expert           Expert     `yaml:"expert"`
	Prompts          Prompts    `yaml:"prompts"`
	Consensus        Consensus  `yaml:"consensus"`
}

// ChatMemory says what prompts of later turns hold of the dialogue so far.
type ChatMemory struct {
	Original bool `yaml:"original" default:"true" doc:"The first prompt."`
	Previous bool `yaml:"previous" default:"true" doc:"The agent's own answers."`
	Last     int  `yaml:"last" default:"0" min:"0" doc:"How many turns back it goes; 0: to the first."`
}

// Expert is the external model of team.feedback expert, behind an OpenAI-compatible server or a recording of one.
type Expert struct {
	URL       string  `yaml:"url" default:"" doc:"Such as http://127.0.0.1:8000/v1; empty: everything comes from the recording."`
	Model     string  `yaml:"model" default:"" doc:"The model's name there."`
	KeyEnv    string  `yaml:"key_env" default:"" doc:"The environment variable that holds the key; empty: no key is sent."`
	Recording string  `yaml:"recording" default:"" doc:"File of JSON lines: what was answered before is read from it, what is new is added to it. A run with a recording is a function of recipe and seed."`
	Seconds   float64 `yaml:"seconds" default:"60" min:"0.01" doc:"Longest wait for an answer."`
	Retries   int     `yaml:"retries" default:"3" min:"0" max:"20" doc:"Further tries."`
}

// Prompts are Go text/template texts. Fields: .Question, .Fields (map), .Agent (1-based), .Role, .Turn; later turns also .Own
// (.Text .Score .Feedback) and .Others (a list of .Number .Text .Score .Feedback), .ShowScores.
type Prompts struct {
	System   string   `yaml:"system" default:"" doc:"System message; empty: none."`
	Examples []string `yaml:"examples" doc:"A chat that every prompt begins with, as it is: a user message, the answer to it, and so on, for bases that need to be shown how to answer. With protocol central it is a chat with the one model, tags included. Trained verifiers do not read it."`
	First    string   `yaml:"first" default:"" doc:"User message of turn 1; empty: the task's own."`
	Later    string   `yaml:"later" default:"" doc:"User message of later turns; empty: the task's own."`
	Roles    []string `yaml:"roles" doc:"One text per agent, available as .Role (used by parallel teams)."`
}

// Consensus is early consensus (maporl.md 1.2): a question ends when the majority answer's share exceeds Share and the mean
// score of those answers exceeds Score.
type Consensus struct {
	Share float64 `yaml:"share" default:"1.1" min:"0" max:"1.1" doc:"Share of the majority answer that ends the debate; above 1: never."`
	Score float64 `yaml:"score" default:"0.8" min:"0" max:"1" doc:"Mean score those answers need."`
}

// Sampling says how completions are drawn in training rollouts.
type Sampling struct {
	Temperature float64 `yaml:"temperature" default:"0.7" min:"0.01" max:"10" doc:"Logits are divided by it; log-probabilities of policy and reference too."`
	TopK        int     `yaml:"top_k" default:"0" min:"0" doc:"Keep the k most probable tokens; 0: all."`
	TopP        float64 `yaml:"top_p" default:"1" min:"0.01" max:"1" doc:"Keep the smallest set of most probable tokens with this mass."`
	MaxTokens   int     `yaml:"max_tokens" default:"64" min:"1" doc:"Most new tokens of an answer."`
	MinTokens   int     `yaml:"min_tokens" default:"0" min:"0" doc:"No end token before this many new tokens."`
}

// Policies says which adapters there are.
type Policies struct {
	Sharing          string   `yaml:"sharing" default:"per-turn" oneof:"shared per-turn per-agent per-agent-turn first-and-later" doc:"Who shares an adapter: shared by all; one per turn (MAPoRL's default); one per agent; one per agent and turn; one for turn 1 and one for all later turns."`
	FirstTrainedTurn int      `yaml:"first_trained_turn" default:"1" min:"1" doc:"Turns before it are sampled from the untrained base."`
	Frozen           []int    `yaml:"frozen" min:"1" doc:"Agents, counted from 1, that are never trained: they speak with their untrained base in every turn."`
	Rank             int      `yaml:"rank" default:"8" min:"1" max:"1024" doc:"Rank of an adapter."`
	Alpha            float64  `yaml:"alpha" default:"16" min:"0.001" doc:"An adapter's output is scaled by alpha/rank."`
	Dropout          float64  `yaml:"dropout" default:"0" min:"0" max:"1" doc:"Dropout of an adapter's input; only 0 can be trained with: dropped inputs would make the probability ratio of the first pass differ from 1 (maporl.md 12)."`
	Targets          []string `yaml:"targets" oneof:"q_proj k_proj v_proj o_proj gate_proj up_proj down_proj qkv_proj gate_up_proj" doc:"Projections that have an adapter; empty: all. Models that compute q, k and v in one (Phi-3) have qkv_proj and gate_up_proj."`
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
}

// RewardModel says how the reward model of reward.source preferences is trained, on the pairs that preference describes.
type RewardModel struct {
	Problems int     `yaml:"problems" default:"100" min:"1" doc:"Training problems whose joint responses are compared."`
	Epochs   int     `yaml:"epochs" default:"1" min:"1" max:"100" doc:"Passes over the pairs."`
	Batch    int     `yaml:"batch" default:"2" min:"1" doc:"Pairs per optimizer step."`
	LR       float64 `yaml:"lr" default:"0.00001" min:"0" doc:"Learning rate."`
}

// Scoring says where the scores of verifiers come from. A problem with an answer that stays without a score is not learned from.
type Scoring struct {
	Folders []string `yaml:"folders" doc:"trained: folders that parley verifier train wrote, one for each base of the team."`
	Command []string `yaml:"command" doc:"program: the program and its arguments. It is started by whoever runs the recipe, and answers JSON lines (docs/verifier.md)."`
	URL     string   `yaml:"url" default:"" doc:"server: such as http://127.0.0.1:8000/v1."`
	Model   string   `yaml:"model" default:"" doc:"server: the model's name there."`
	KeyEnv  string   `yaml:"key_env" default:"" doc:"server: the environment variable that holds the key; empty: no key is sent."`
	Seconds float64  `yaml:"seconds" default:"60" min:"0.01" doc:"program: longest wait for the next answer. server: longest wait for one."`
	Retries int      `yaml:"retries" default:"2" min:"0" max:"20" doc:"program and server: further tries of what has no answer."`
}

// User is a reward of the user's own, for all answers of a turn together. It comes from one of python, command, expression and url. A
// problem with a turn that stays without a reward is not learned from.
type User struct {
	Python     string   `yaml:"python" default:"" doc:"A Python file with def reward(item, responses)."`
	Isolated   bool     `yaml:"isolated" default:"true" doc:"python: every call in the sandbox. false: all calls in one process with your rights, which may import what you have installed and keep a model loaded."`
	Command    []string `yaml:"command" doc:"A program and its arguments, started once by whoever runs the recipe. It answers JSON lines."`
	Expression string   `yaml:"expression" default:"" doc:"Starlark, a small dialect of Python: an expression over item, responses and math, or a text with def reward(item, responses)."`
	URL        string   `yaml:"url" default:"" doc:"A server that is asked by POST, such as http://127.0.0.1:8000/reward."`
	KeyEnv     string   `yaml:"key_env" default:"" doc:"url: the environment variable that holds the key; empty: no key is sent."`
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

// Penalties are MAPoRL's answer flags (maporl.md 2.1).
type Penalties struct {
	Size      float64 `yaml:"size" default:"-10" max:"0" doc:"Score of a flagged answer."`
	Scope     string  `yaml:"scope" default:"score" oneof:"score own" doc:"score: replaces the score before the reward design; own: only the answer's own reward."`
	NoBox     bool    `yaml:"no_box" default:"true" doc:"Flag answers without a box (not at turn 1 when it is not trained)."`
	MinTokens int     `yaml:"min_tokens" default:"50" min:"0" doc:"Flag answers with fewer tokens before the first end token; 0: off."`
	Reasoning bool    `yaml:"no_reasoning" default:"false" doc:"nli: ask the base without adapters about each training answer, yes or no, whether it gives a reason, and flag it after a clear no."`
	AfterBox  bool    `yaml:"after_box" default:"true" doc:"Flag text after the last box."`
	Repeats   int     `yaml:"repeats" default:"3" min:"0" doc:"Flag token sequences repeated more often than this in a row; 0: off."`
	RepeatMin int     `yaml:"repeat_min" default:"2" min:"1" doc:"Least length of such a sequence."`
	RepeatMax int     `yaml:"repeat_max" default:"5" min:"1" doc:"Greatest length of such a sequence."`
}

// PPO holds the settings of multi-agent PPO (maporl.md 4).
type PPO struct {
	Epochs      int     `yaml:"epochs" default:"4" min:"1" max:"100" doc:"Passes over each rollout batch."`
	Minibatches int     `yaml:"minibatches" default:"4" min:"1" doc:"Optimizer steps per pass and policy, on fresh random parts of the batch."`
	Clip        float64 `yaml:"clip" default:"0.2" min:"0.001" max:"10" doc:"Clip range of the probability ratio."`
	ValueClip   float64 `yaml:"value_clip" default:"0.2" min:"0" doc:"Clip range of the value; 0: off."`
	ValueHalf   bool    `yaml:"value_half" default:"true" doc:"Half the squared error in the value loss."`
	ValueCoef   float64 `yaml:"value_coef" default:"0.1" min:"0" doc:"Weight of the value loss."`
	ValueLR     float64 `yaml:"value_lr" default:"0" min:"0" doc:"Learning rate of value adapters; 0: that of the policies."`
	ValueInput  string  `yaml:"value_input" default:"answer" oneof:"answer history" doc:"What the critic reads: question and own answer, or the whole prompt and the answer."`
	KL          float64 `yaml:"kl" default:"0.0002" min:"0" doc:"Coefficient of the KL penalty in the token rewards."`
	KLForm      string  `yaml:"kl_form" default:"sampled" oneof:"sampled ref_policy_sampled ref_policy_exact" doc:"sampled: log pi - log pi_ref of the sampled token; ref_policy_sampled: u log u with u = pi_ref/pi; ref_policy_exact: KL(pi_ref, pi) over the whole vocabulary, which costs one more pass of the policy."`
	Terminal    string  `yaml:"terminal" default:"last" oneof:"last trl" doc:"Where an answer gets its reward: last: at its last token; trl: one position past it, where the answer is shorter than sampling.max_tokens."`
	Lambda      float64 `yaml:"lambda" default:"0.95" min:"0" max:"1" doc:"GAE lambda over tokens."`
	GammaToken  float64 `yaml:"gamma_token" default:"1" min:"0" max:"1" doc:"Discount over tokens."`
	Whiten      bool    `yaml:"whiten" default:"true" doc:"Whiten advantages over each (turn, agent) batch."`
	Schedule    string  `yaml:"schedule" default:"all" oneof:"all alternating" doc:"Which turns learn in an update (maporl.md 6)."`
}

// Supervised holds the settings of supervised learning from the untrained team's best debates (MAPoRL §4.7).
type Supervised struct {
	Keep        float64 `yaml:"keep" default:"0.1" min:"0.0001" max:"1" doc:"Share of the pool's debates that is learned from: the best by the mean score of their last answers, of those that vote for the right answer and have no answer with a penalty."`
	Pool        string  `yaml:"pool" default:"update" oneof:"update run" doc:"update: each update learns from the best of its own debates. run: updates only gather debates, and the last one learns from the best of all."`
	Epochs      int     `yaml:"epochs" default:"1" min:"1" max:"100" doc:"Passes over the answers of these debates."`
	Minibatches int     `yaml:"minibatches" default:"1" min:"1" doc:"Optimizer steps per pass and policy."`
}

// Group holds the settings of the group-relative algorithms (magrpo.md 2) and of the rollouts of actor-critics.
type Group struct {
	Size                int       `yaml:"size" default:"4" min:"1" max:"256" doc:"Completions per agent and node (G), at least 2 for group-relative advantages. Actor-critics over several turns need 1."`
	Rollout             string    `yaml:"rollout" default:"tree" oneof:"tree chain" doc:"tree: every joint action of a node goes on; chain: the best one does (magrpo.md 2.6)."`
	Joint               string    `yaml:"joint" default:"aligned" oneof:"aligned cross crossed" doc:"aligned: j-th completions together; cross: all combinations."`
	CrossCredit         string    `yaml:"cross_credit" default:"mean" oneof:"mean sum" doc:"Credit of a completion in cross mode; sum is the published code's."`
	Discount            float64   `yaml:"discount" default:"0.9" min:"0" max:"1" doc:"Discount over turns."`
	Normalize           bool      `yaml:"normalize" default:"false" doc:"Divide advantages by the group's standard deviation."`
	Reduction           string    `yaml:"reduction" default:"seq_sum" oneof:"seq_sum seq_mean token_mean" doc:"How token losses of a group are added up."`
	Terminate           *float64  `yaml:"terminate" doc:"A node whose mean processed reward exceeds this share of the reward's range ends there; absent: never."`
	Buffer              int       `yaml:"buffer" default:"0" min:"0" doc:"Node samples per agent that trigger optimizer steps; 0: one step for all of an update."`
	BufferAcrossUpdates bool      `yaml:"buffer_across_updates" default:"false" doc:"Buffers keep what is left for the next update, until every problem has been drawn once or the run ends; else an update drains them."`
	TrainBatch          int       `yaml:"train_batch" default:"0" min:"0" doc:"Node samples per optimizer step; 0: the whole buffer."`
	RatioCap            float64   `yaml:"ratio_cap" default:"2" min:"0" doc:"With several steps per buffer, token weights min(pi/pi_behaviour, cap); 0: off."`
	KL                  float64   `yaml:"kl" default:"0" min:"0" doc:"Coefficient of the KL penalty on returns (magrpo.md 2.5), on rewards in actor-critics."`
	TurnWeights         []float64 `yaml:"turn_weights" doc:"Weights of the turns' losses in a chain; empty: all 1."`
	EndValue            *float64  `yaml:"end_value" doc:"A turn of a chain whose mean processed reward is exactly this is its last; absent: none is."`
	EndWeight           float64   `yaml:"end_weight" default:"1" min:"0" doc:"Further weight of the loss of such a turn."`
	LogprobsAt          string    `yaml:"logprobs_at" default:"sampled" oneof:"sampled full" doc:"Log-probabilities that are trained: of the distribution that was sampled from, or at temperature 1 over the whole vocabulary, as the published code has them."`
	Padding             string    `yaml:"padding" default:"exact" oneof:"exact padded" doc:"exact: every sampled token counts, the end token too, and nothing else. padded: as the published code, answers are padded to the longest of their group, pads count, and the last place of every row is dropped. For comparisons only."`
}

// Critic holds the settings of the actor-critics iac and maac (magrpo.md 5). Their turns are discounted by group.discount.
type Critic struct {
	Input  string  `yaml:"input" default:"v" oneof:"v q" doc:"What a critic reads: v the prompt of the turn, q also the answer. That of maac reads the prompts (and answers) of all agents, each between tags."`
	Head   string  `yaml:"head" default:"separate" oneof:"separate shared" doc:"separate: a critic has an adapter of its own. shared: the value head sits on the policy's own adapter, and its loss is clipped."`
	LR     float64 `yaml:"lr" default:"0" min:"0" doc:"Learning rate of separate critics; 0: that of the policies."`
	Coef   float64 `yaml:"coef" default:"0.6" min:"0" doc:"Weight of the value loss."`
	Clip   float64 `yaml:"clip" default:"0.2" min:"0" doc:"Clip range of a shared head's value."`
	Init   float64 `yaml:"init" default:"0.02" min:"0" doc:"Standard deviation of a value head's initial weights."`
	Hidden int     `yaml:"hidden" default:"0" min:"0" max:"65536" doc:"Width of a hidden layer of value heads, followed by tanh; 0: value heads are linear."`
	Whiten bool    `yaml:"whiten" default:"true" doc:"Whiten the temporal-difference errors of a drained buffer."`
}

// Preference says how pairs of joint responses come about and what algorithm madpo learns from them (magrpo.md 5).
type Preference struct {
	Candidates    int     `yaml:"candidates" default:"80" min:"2" max:"1000" doc:"Joint candidates sampled for a problem."`
	Pairs         int     `yaml:"pairs" default:"16" min:"1" doc:"Pairs kept of a problem, of all with different rewards; choose says which."`
	Choose        string  `yaml:"choose" default:"gap" oneof:"gap random all" doc:"The pairs with the greatest gap in reward, random ones, or all."`
	Beta          float64 `yaml:"beta" default:"0.1" min:"0.0001" doc:"Factor of the difference of log-probabilities in the loss."`
	Reference     bool    `yaml:"reference" default:"false" doc:"Measure log-probabilities relative to the untrained base, as DPO does."`
	Batch         int     `yaml:"batch" default:"16" min:"1" doc:"Pairs per optimizer step."`
	Iterations    int     `yaml:"iterations" default:"1" min:"1" max:"20" doc:"Parts of the run's updates. Candidates of a part come from the team as it was at its beginning; of the first, from the untrained team."`
	Comparator    string  `yaml:"comparator" default:"current" oneof:"current checkpoint model" doc:"Who else writes candidates. current: nobody. checkpoint and model: half of them are by the team of an earlier iteration, or by another base model in all seats, and pairs compare them with the current team's."`
	Model         string  `yaml:"model" default:"" doc:"The base of comparator model. Its texts are encoded for the bases of the team."`
	CheckpointAge int     `yaml:"checkpoint_age" default:"1" min:"1" doc:"How many iterations earlier the checkpoint is; before the first is the untrained team."`
	Replay        string  `yaml:"replay" default:"current" oneof:"current nearest all decay" doc:"Whose pairs an iteration learns from: its own; also those of the nearest earlier iterations; of all; of all, with decay^age as weight."`
	Nearest       int     `yaml:"nearest" default:"1" min:"1" doc:"Earlier iterations that replay nearest takes."`
	Decay         float64 `yaml:"decay" default:"0.5" min:"0" max:"1" doc:"Weight per iteration of age in replay decay."`
}

// Optimizer holds AdamW and its schedule.
type Optimizer struct {
	LR          float64 `yaml:"lr" default:"0.00001" min:"0" doc:"Learning rate."`
	Beta1       float64 `yaml:"beta1" default:"0.9" min:"0" max:"0.9999" doc:"Decay of the first moment."`
	Beta2       float64 `yaml:"beta2" default:"0.95" min:"0" max:"0.99999" doc:"Decay of the second moment."`
	Eps         float64 `yaml:"eps" default:"1e-8" min:"1e-30" doc:"Added to the root of the second moment."`
	WeightDecay float64 `yaml:"weight_decay" default:"0.01" min:"0" doc:"Decoupled weight decay."`
	ClipNorm    float64 `yaml:"clip_norm" default:"0" min:"0" doc:"Greatest global norm of a gradient; 0: no clipping."`
	Warmup      int     `yaml:"warmup" default:"10" min:"0" doc:"Optimizer steps of linear warm-up."`
	Decay       string  `yaml:"decay" default:"linear" oneof:"none linear" doc:"Learning rate after warm-up: constant, or falling over the run's updates."`
	FinalLR     float64 `yaml:"final_lr" default:"0.1" min:"0" max:"1" doc:"Share of the learning rate that decay ends at."`
}

// Training says how much is trained.
type Training struct {
	Updates    int `yaml:"updates" default:"30" min:"0" doc:"Rollout-and-learn rounds."`
	Problems   int `yaml:"problems" default:"32" min:"1" doc:"Problems per update."`
	Checkpoint int `yaml:"checkpoint" default:"1" min:"1" doc:"Updates between checkpoints."`
	Keep       int `yaml:"keep" default:"2" min:"1" doc:"Checkpoints kept."`
}

// Eval says how a team is measured.
type Eval struct {
	Problems    int      `yaml:"problems" default:"400" min:"1" doc:"Held-out problems."`
	Temperature float64  `yaml:"temperature" default:"0.7" min:"0" max:"10" doc:"Sampling temperature of all compared systems; 0: greedy."`
	Agents      int      `yaml:"agents" default:"0" min:"0" max:"64" doc:"Agents of the measured team, where it is to have more or fewer than the one that is trained; 0: as many. Policies must be shared over agents."`
	Baselines   []string `yaml:"baselines" oneof:"off-the-shelf-double single majority-vote concatenation pipeline discussion trained-single" doc:"Systems beside the team. off-the-shelf-double: the untrained team, allowed twice sampling.max_tokens an answer, as in MAPoRL's paper. The others share the team's budget of tokens. concatenation, pipeline, discussion (joint rewards): untrained agents answer at once; each sees what those before it wrote; all answer, read each other and answer again (magrpo.md 10). single, majority-vote, trained-single: one agent."`
	Task        EvalTask `yaml:"task"`
	Invalid     string   `yaml:"invalid" default:"vote" oneof:"vote abstain" doc:"Unparseable answers in a vote: they count as one common value that loses ties, or they abstain."`
	Extract     int      `yaml:"extract" default:"0" min:"0" max:"100" doc:"Times that the base without adapters is asked, in 15 tokens, to state the final answer of a text that has no readable one, until its reply has one; 0: never. The paper's is 5. Training never asks."`
	NoHistory   bool     `yaml:"without_history" default:"false" doc:"Also measure each trained policy, and the base, on the question alone: one answer, no history (MAPoRL, Remark 2)."`
	Examples    int      `yaml:"examples" default:"2" min:"0" max:"20" doc:"Dialogues shown before and after training."`
}

// EvalTask is the task that a team is measured on, where it is another than it is trained on (MAPoRL §4.5).
type EvalTask struct {
	Name   string `yaml:"name" default:"same" oneof:"same sums gsm8k svamp gsm-hard math nli" doc:"Whose held-out problems are measured on; same: those of task.name."`
	Path   string `yaml:"path" default:"" doc:"Its data set, as task.path."`
	Subset string `yaml:"subset" default:"" doc:"Its files, as task.subset."`
	Steps  int    `yaml:"steps" default:"0" min:"0" max:"4" doc:"sums: as task.steps."`
}

// Limits guard the machine.
type Limits struct {
	Generations int `yaml:"generations" default:"1000" min:"1" doc:"Most completions that one item may imply; a recipe above it is refused."`
}
