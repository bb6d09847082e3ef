// Package keys declares the general keys of recipes, section by section: every field is a key, whose default and range are its tags (see package
// recipe/schema). What the keys of section team mean stands in team.md, and so on. The tag names says what on disk a text names (package
// recipe/keys). Package recipe puts the sections together and says what goes with what.
package keys

import "slices"

// Engine settings change speed and memory, not what is computed (except the numeric kind of the kernels, and the base's format).
type Engine struct {
	Kernels     string `yaml:"kernels" default:"auto" oneof:"auto generic neon avx2 avx512 avx512bf16 amx"`
	Threads     int    `yaml:"threads" default:"0" min:"0" max:"1024"`
	DType       string `yaml:"dtype" default:"f32" oneof:"f32 bf16 int8 nf4"`
	BatchTokens int    `yaml:"batch_tokens" default:"0" min:"0"`
	Tinker      Tinker `yaml:"tinker"`
	Torch       Torch  `yaml:"torch"`
}

// Tinker is a training cluster that speaks the Tinker protocol. It samples and trains instead of this machine, over the same base.
type Tinker struct {
	URL    string  `yaml:"url" reach:"asks" default:""`
	KeyEnv string  `yaml:"key_env" reach:"tells" default:""`
	Model  string  `yaml:"model" default:""`
	Slots  int     `yaml:"slots" default:"128" min:"1" max:"65536"`
	Again  int     `yaml:"again" default:"0" min:"0" max:"4096"`
	Alone  bool    `yaml:"alone" default:"false"`
	Wait   float64 `yaml:"wait" default:"600" min:"1"`
}

// Task says where problems come from. Which further keys there are depends on the task: they are its settings.
type Task struct {
	Name              string `yaml:"name"`
	Train             int    `yaml:"train" default:"10000" min:"1"`
	MaxQuestionTokens int    `yaml:"max_question_tokens" default:"0" min:"0"`
	Filter            Filter `yaml:"filter"`

	Settings any `yaml:"-"` // the task's own: a pointer to a struct that nobody changes
}

// Filter chooses problems by how often the untrained model solves them, each alone and in one turn.
type Filter struct {
	MinPassRate float64 `yaml:"min_pass_rate" default:"0" min:"0" max:"1"`
	MaxPassRate float64 `yaml:"max_pass_rate" default:"1" min:"0" max:"1"`
	Samples     int     `yaml:"samples" default:"8" min:"1" max:"256"`
	HeldOut     bool    `yaml:"held_out" default:"false"`
}

// Team says who speaks when, and who sees what.
type Team struct {
	Protocol         string       `yaml:"protocol"`
	Agents           Agents       `yaml:"agents" default:"2" min:"1" max:"64"`
	Turns            int          `yaml:"turns" default:"2" min:"1" max:"4096"`
	Workflow         Steps        `yaml:"workflow"`
	Program          string       `yaml:"program" names:"file" default:""`
	Answer           TeamAnswer   `yaml:"answer"`
	Fields           FieldViewers `yaml:"fields"`
	Cast             string       `yaml:"cast" default:"fixed" oneof:"fixed drawn"`
	History          string       `yaml:"history" default:"all" oneof:"own all"`
	RewardFeedback   bool         `yaml:"reward_feedback" default:"false"`
	NormalizeVisible bool         `yaml:"normalize_visible" default:"true"`
	Feedback         string       `yaml:"feedback" default:"none" oneof:"none self binary score first"`
	WarmUp           int          `yaml:"warm_up" default:"0" min:"0"`
	SandboxSlice     int          `yaml:"sandbox_slice" default:"1" zero:"all"`
	ChatMemory       ChatMemory   `yaml:"chat_memory"`
	Proposals        Proposals    `yaml:"proposals"`
	Lessons          Lessons      `yaml:"lessons"`
	Tools            Tools        `yaml:"tools"`
	Expert           Expert       `yaml:"expert"`
	Prompts          Prompts      `yaml:"prompts"`
	Consensus        Consensus    `yaml:"consensus"`
	Harness          Harness      `yaml:"harness"`
}

// Proposals are what frozen agents write about training problems, once.
type Proposals struct {
	Each      int     `yaml:"each" default:"0" min:"0" max:"64"`
	MostRight float64 `yaml:"most_right" default:"0.75" min:"0" max:"1.1"`
}

// Lessons say which lessons of a bank agents read in a round, where a workflow's program keeps one (LessonL).
type Lessons struct {
	Selector string `yaml:"selector" default:"hybrid" oneof:"hybrid speed relevance passes random"`
	Shown    int    `yaml:"shown" default:"4" min:"0" max:"64"`
}

// ChatMemory says what prompts of later turns hold of the dialogue so far.
type ChatMemory struct {
	Original bool `yaml:"original" default:"true"`
	Previous bool `yaml:"previous" default:"true"`
	Last     int  `yaml:"last" default:"0" min:"0"`
}

// Expert is the external model of team.feedback expert, behind an OpenAI-compatible server or a recording of one.
type Expert struct {
	URL       string  `yaml:"url" reach:"asks" default:""`
	Model     string  `yaml:"model" default:""`
	KeyEnv    string  `yaml:"key_env" reach:"tells" default:""`
	Recording string  `yaml:"recording" names:"file" reach:"writes" default:""`
	Seconds   float64 `yaml:"seconds" default:"60" min:"0.01"`
	Retries   int     `yaml:"retries" default:"3" min:"0" max:"20"`
}

// Prompts are Go text/template texts. Fields: .Question, .Fields (map), .Agent (1-based), .Role, .Turn; later turns also .Own
// (.Text .Score .Feedback) and .Others (a list of .Number .Text .Score .Feedback), .ShowScores.
type Prompts struct {
	System        string   `yaml:"system" default:""`
	Examples      []string `yaml:"examples"`
	First         string   `yaml:"first" default:""`
	Later         string   `yaml:"later" default:""`
	ControlTokens bool     `yaml:"control_tokens" default:"false"`
	Roles         []string `yaml:"roles"`
}

// Consensus is early consensus (maporl.md 1.2): a question ends when the majority answer's share exceeds Share and the mean
// score of those answers exceeds Score.
type Consensus struct {
	Share float64 `yaml:"share" default:"1.1" min:"0" max:"1.1"`
	Score float64 `yaml:"score" default:"0.8" min:"0" max:"1"`
}

// Sampling says how completions are drawn in training rollouts.
type Sampling struct {
	Temperature      float64  `yaml:"temperature" default:"0.7" min:"0.01" max:"10"`
	TopK             int      `yaml:"top_k" default:"0" min:"0"`
	TopP             float64  `yaml:"top_p" default:"1" min:"0.01" max:"1"`
	MaxTokens        int      `yaml:"max_tokens" default:"64" min:"1"`
	MinTokens        int      `yaml:"min_tokens" default:"0" min:"0"`
	Stop             []string `yaml:"stop"`
	Schema           Schema   `yaml:"schema" names:"file"`
	Regex            string   `yaml:"regex" default:""`
	Truncated        string   `yaml:"truncated" default:"keep" oneof:"keep mask penalty"`
	TruncatedPenalty float64  `yaml:"truncated_penalty" default:"1" min:"0"`
}

// Reward says what an answer earns.
type Reward struct {
	Source     string      `yaml:"source" default:"label" oneof:"label final-label joint preferences trained program server user harness"`
	Scoring    Scoring     `yaml:"scoring"`
	User       User        `yaml:"user"`
	Model      RewardModel `yaml:"model"`
	Design     string      `yaml:"design" default:"influence" oneof:"immediate cumulative influence turn_mean last_turn_mean last_turn_own"`
	Gamma      float64     `yaml:"gamma" default:"1" min:"0" max:"1"`
	Incentives Incentives  `yaml:"incentives"`
	Penalties  Penalties   `yaml:"penalties"`
	Scale      float64     `yaml:"scale" default:"1"`
	Shift      float64     `yaml:"shift" default:"0"`
	Clamp      []float64   `yaml:"clamp"`
	Processors []string    `yaml:"processors"`
}

// RewardModel says how the reward model of reward.source preferences is trained, on the pairs that preference describes.
type RewardModel struct {
	Problems int     `yaml:"problems" default:"100" min:"1"`
	Epochs   int     `yaml:"epochs" default:"1" min:"1" max:"100"`
	Batch    int     `yaml:"batch" default:"2" min:"1"`
	LR       float64 `yaml:"lr" default:"0" min:"0"`
}

// Scoring says where the scores of verifiers come from. A problem with an answer that stays without a score is not learned from.
type Scoring struct {
	Folders []string `yaml:"folders" names:"folder"`
	Command []string `yaml:"command" names:"command" reach:"runs"`
	URL     string   `yaml:"url" reach:"asks" default:""`
	Model   string   `yaml:"model" default:""`
	KeyEnv  string   `yaml:"key_env" reach:"tells" default:""`
	Seconds float64  `yaml:"seconds" default:"60" min:"0.01"`
	Retries int      `yaml:"retries" default:"2" min:"0" max:"20"`
}

// User is a reward of the user's own, for all answers of a turn together. It comes from one of python, command, expression and url. A
// problem with a turn that stays without a reward is not learned from.
type User struct {
	Python     string   `yaml:"python" names:"file" reach:"imports" default:""`
	Isolated   bool     `yaml:"isolated" default:"true"`
	Command    []string `yaml:"command" names:"command" reach:"runs"`
	Expression string   `yaml:"expression" default:""`
	URL        string   `yaml:"url" reach:"asks" default:""`
	KeyEnv     string   `yaml:"key_env" reach:"tells" default:""`
	Min        float64  `yaml:"min" default:"0"`
	Max        float64  `yaml:"max" default:"1"`
	Seconds    float64  `yaml:"seconds" default:"10" min:"0.01"`
	Retries    int      `yaml:"retries" default:"2" min:"0" max:"20"`
	MemoryMB   int      `yaml:"memory_mb" default:"512" min:"0"`
}

// Incentives are the coefficients of MAPoRL's Tables 1 and 2 (maporl.md 2.3).
type Incentives struct {
	Alpha0 float64 `yaml:"alpha0" default:"0"`
	Alpha1 float64 `yaml:"alpha1" default:"0"`
	Beta0  float64 `yaml:"beta0" default:"0"`
	Beta1  float64 `yaml:"beta1" default:"0"`
	By     string  `yaml:"by" default:"label" oneof:"label verifier"`
	Rule   string  `yaml:"rule" default:"paper" oneof:"paper reference"`
}

// Penalties are MAPoRL's answer flags (maporl.md 2.1). None is on unless a recipe asks for it: the score of a flagged answer takes the place of
// its reward, and what deserves a flag depends on the task, its prompts and the base.
type Penalties struct {
	Size      float64 `yaml:"size" default:"-10" max:"0"`
	Scope     string  `yaml:"scope" default:"score" oneof:"score own"`
	NoBox     bool    `yaml:"no_box" default:"false"`
	MinTokens int     `yaml:"min_tokens" default:"0" min:"0"`
	Reasoning bool    `yaml:"no_reasoning" default:"false"`
	AfterBox  bool    `yaml:"after_box" default:"false"`
	Repeats   int     `yaml:"repeats" default:"0" min:"0"`
	RepeatMin int     `yaml:"repeat_min" default:"2" min:"1"`
	RepeatMax int     `yaml:"repeat_max" default:"5" min:"1"`
}

// Training says how much is trained.
type Training struct {
	Updates    int     `yaml:"updates" default:"30" min:"0"`
	Tokens     int     `yaml:"tokens" default:"0" min:"0" most:"none"`
	Problems   int     `yaml:"problems" default:"32" min:"1"`
	Checkpoint int     `yaml:"checkpoint" default:"1" min:"1"`
	Keep       int     `yaml:"keep" default:"2" min:"1"`
	Async      int     `yaml:"async" default:"0" min:"0" max:"1"`
	Deadline   float64 `yaml:"deadline" default:"0" min:"0"`
	// RoleGradients has no default above 0: on a CPU nothing is free that goes backward.
	RoleGradients int `yaml:"role_gradients" default:"0" min:"0"`

	FailedShare float64 `yaml:"failed_share" default:"0.2" min:"0" max:"1"`
	TensorBoard string  `yaml:"tensorboard" names:"output" reach:"writes" default:"" takes:"true"`
	MLflow      MLflow  `yaml:"mlflow"`
}

// MLflow says to which MLflow server a training is sent while it runs.
type MLflow struct {
	URL        string `yaml:"url" reach:"asks" default:""`
	Experiment string `yaml:"experiment" default:"parley"`
	TokenEnv   string `yaml:"token_env" reach:"tells" default:""`
}

// Eval says how a team is measured.
type Eval struct {
	Problems    int      `yaml:"problems" default:"400" min:"1"`
	Temperature float64  `yaml:"temperature" default:"0.7" min:"0" max:"10"`
	Agents      int      `yaml:"agents" default:"0" min:"0" max:"64"`
	Baselines   []string `yaml:"baselines" oneof:"off-the-shelf-double single majority-vote concatenation pipeline discussion trained-single"`
	Passes      int      `yaml:"passes" default:"1" min:"1" max:"64"`
	Ablations   []string `yaml:"ablations" oneof:"untrained skipped"`
	Every       int      `yaml:"every" default:"0" min:"0"`
	Panel       int      `yaml:"panel" default:"32" min:"1" max:"1000"`
	Task        EvalTask `yaml:"task"`
	Invalid     string   `yaml:"invalid" default:"vote" oneof:"vote abstain"`
	Extract     int      `yaml:"extract" default:"0" min:"0" max:"100"`
	NoHistory   bool     `yaml:"without_history" default:"false"`
	PassAt      []int    `yaml:"pass_at" min:"1" max:"256"`
	AccuracyAt  []int    `yaml:"accuracy_at" min:"1" max:"256"`
	PassHat     []int    `yaml:"pass_hat" min:"1" max:"64"`
	Examples    int      `yaml:"examples" default:"2" min:"0" max:"20"`
}

// Samples is how often a team works on a held-out problem for pass@k, accuracy@k and pass^k: as often as the greatest k; 0: none is measured.
func (e Eval) Samples() int { return max(e.Solving(), e.Repeats()) }

// Solving is the greatest k of those two that ask what samples solve, which one agent alone has too.
func (e Eval) Solving() int { return slices.Max(slices.Concat([]int{0}, e.PassAt, e.AccuracyAt)) }

// Repeats is the greatest k of pass^k.
func (e Eval) Repeats() int { return slices.Max(append([]int{0}, e.PassHat...)) }

// Variants is how many further measurements of a team of so many agents are asked for: passes beyond the first, of the team before training and
// after it, and ablations of the latter.
func (e Eval) Variants(agents int) (before, after int) {
	if e.Passes > 1 {
		before = e.Passes
	}
	return before, before + len(e.Ablations)*agents
}

// Panels is how often a team is measured in a training of so many updates, and on how many problems.
func (e Eval) Panels(updates int) (times, problems int) {
	if e.Every == 0 {
		return 0, 0
	}
	return (updates + e.Every - 1) / e.Every, min(e.Panel, e.Problems)
}

// EvalTask is the task that a team is measured on, where it is another than it is trained on (MAPoRL §4.5). It has the keys of that task
// that matter there.
type EvalTask struct {
	Name string `yaml:"name" default:"same"`

	Settings any `yaml:"-"` // as in [Task]; nil: it is the same task
}

// Limits guard the machine.
type Limits struct {
	Generations int `yaml:"generations" default:"1000" min:"1"`
}
