package keys

import "embed"

//go:embed *.md
var files embed.FS

// texts is the Markdown file that says what the keys of a section mean.
func texts(name string) (file, text string) {
	data, err := files.ReadFile(name)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return "recipe/keys/" + name, string(data)
}

// The sections say in which file their texts are, as package recipe/schema asks them to.

// KeyTexts is the Markdown file that says what each key means.
func (Engine) KeyTexts() (file, text string) { return texts("engine.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Task) KeyTexts() (file, text string) { return texts("task.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Team) KeyTexts() (file, text string) { return texts("team.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Agent) KeyTexts() (file, text string) { return texts("agent.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Step) KeyTexts() (file, text string) { return texts("step.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Servers) KeyTexts() (file, text string) { return texts("servers.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Sampling) KeyTexts() (file, text string) { return texts("sampling.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Sampler) KeyTexts() (file, text string) { return texts("sampler.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Reward) KeyTexts() (file, text string) { return texts("reward.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Training) KeyTexts() (file, text string) { return texts("training.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Eval) KeyTexts() (file, text string) { return texts("eval.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Limits) KeyTexts() (file, text string) { return texts("limits.md") }

// KeyTexts is the Markdown file that says what each key means.
func (Experiment) KeyTexts() (file, text string) { return texts("experiment.md") }
