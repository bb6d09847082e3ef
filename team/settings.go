package team

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
