package fuse

import "parley/loss/fusion"

// Settings are those of learning from teachers (FuseLLM §3).
type Settings struct {
	Teachers    []string `yaml:"teachers" names:"model" doc:"The frozen teachers: names of models as in model, with tokenizers of their own or not. Name the student's base too where its own start is to teach."`
	Text        string   `yaml:"text" default:"{{.Truth}}" doc:"The text that is learned as the answer to the team's prompt: a template over the problem, with {{.Truth}}, {{.Right}} (its form in which answers are compared), {{.Question}} and {{.Fields.NAME}}."`
	Align       string   `yaml:"align" default:"mined" oneof:"mined exact" doc:"What becomes of teacher tokens that the student has not. mined: the nearest token by edit distance stands for them. exact: they are left out."`
	Fusion      string   `yaml:"fusion" default:"min_ce" oneof:"min_ce avg_ce" doc:"min_ce: of every text the teacher with the lowest cross-entropy teaches. avg_ce: all do, weighted by softmax(exp(-cross-entropy))."`
	Per         string   `yaml:"per" default:"token" oneof:"token char" doc:"What the teachers' cross-entropies are a mean over: their own tokens, as in the paper, or characters, which does not favour finer tokenizers."`
	Schedule    string   `yaml:"schedule" default:"fixed" oneof:"fixed linear dynamic" doc:"How the weight of the text itself goes. fixed: lambda. linear: it rises from lambda to 1 over the run. dynamic: 1 - exp(-cross-entropy) of the best teacher; with avg_ce of the mean."`
	Lambda      float64  `yaml:"lambda" default:"0.9" min:"0" max:"1" doc:"Weight of the text itself; the teachers have the rest. 1 is plain supervised learning of the texts."`
	Top         int      `yaml:"top" default:"10" min:"1" max:"1000" doc:"How many of a teacher's most probable tokens are kept at every place."`
	Temperature float64  `yaml:"temperature" default:"1" min:"0.01" max:"100" doc:"Temperature of the teachers' distributions over the kept tokens."`
	Epochs      int      `yaml:"epochs" default:"1" min:"1" max:"100" doc:"Passes over the texts of an update."`
	Minibatches int      `yaml:"minibatches" default:"1" min:"1" doc:"Optimizer steps per pass and policy."`
}

// Objective says how the teachers are put together.
func (s Settings) Objective() fusion.Objective { return fusion.Objective{Fusion: s.Fusion, Per: s.Per} }

// Weight says how much the text itself counts.
func (s Settings) Weight() fusion.Schedule { return fusion.Schedule{Kind: s.Schedule, Value: s.Lambda} }

// Distil are the settings of learning from a trained team.
type Distil struct {
	Run  string `yaml:"run" names:"policy" default:"" doc:"The folder of the run that trained the team. What it says in the end about the training problems is learned, with the distributions of the policies that said it."`
	Join string `yaml:"join" default:"" doc:"What stands between the texts of all who speak in the last turn, such as [PARAGRAPH_SPLIT]: the student learns to write them one behind the other. Empty: it learns the last text alone."`
}
