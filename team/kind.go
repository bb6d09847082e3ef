package team

// A Kind is a protocol that recipes can name: what it is, as data, and how it is opened. Package protocols lists them.
type Kind struct {
	Name  string // as recipes write it
	About string // one sentence, for the list of protocols

	OneAgent  bool // there is one agent
	OneModel  bool // one model does the work of all agents, and writes a response for each ([Split])
	Exchanges bool // prompts of later turns show what the others answered, unless the recipe hides it
	// Partial says that some turns ask some agents only. A response of the team is whole once all have spoken: before, it has no joint reward.
	Partial bool
	// Stepwise says that the recipe itself says who is asked what, in steps or a program. Open is nil then.
	Stepwise bool
	// Harness says that a program of the user's decides who is asked what, and asks: there are neither steps nor prompts to look at.
	Harness bool
	// Begins are values, as KEY=VALUE, that recipes with the protocol begin with in the place of the defaults.
	Begins []string
	// Check says what is wrong with a team of that size and so many turns; empty: nothing. nil: any size is right.
	Check func(agents, turns int) string
	Open  func(Settings) (Protocol, error)
}

// Workflow is the [Kind] of package workflow.
func Workflow() Kind {
	return Kind{Name: "workflow", About: "Who is asked what, when and how often stands in the recipe, step by step: team.workflow, or team.program.", Partial: true, Stepwise: true}
}

// Settings are what the protocols have in common.
type Settings struct {
	Agents int
	Turns  int
	// SeeOthers lets later prompts show what the other agents said in the turn before.
	SeeOthers bool
	// ShowScores lets later prompts show the verifier's score of each answer (maporl.md §1.2).
	ShowScores bool
	Prompts    Prompts
	// Boxed has the agents of a debate read all answers, their own too, with the final one in a box on the last line (maporl.md §1.2).
	Boxed bool
	// Roles holds one text an agent, for templates that ask for .Role; empty: none.
	Roles []string
	// Memory says what of the dialogue prompts of later turns hold.
	Memory Memory
	// Feedback puts a score into words, for templates that show scores.
	Feedback func(score float64) string
}
