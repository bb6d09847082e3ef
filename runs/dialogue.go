package runs

// A Dialogue is one recorded dialogue of a system on a held-out problem, for people to read.
type Dialogue struct {
	System   string   `json:"system"`
	Question string   `json:"question"`
	Truth    string   `json:"truth,omitempty"`
	Lines    []Answer `json:"lines"`
}

// An Answer is what one agent said in one turn of a dialogue.
type Answer struct {
	Turn    int      `json:"turn"`           // from 1
	Agent   int      `json:"agent"`          // from 1
	Name    string   `json:"name,omitempty"` // of the agent, where it has one
	Text    string   `json:"text"`
	Correct bool     `json:"correct"`
	Reward  float64  `json:"reward"`          // joint reward of the turn, for tasks that have one
	Calls   []string `json:"calls,omitempty"` // what it called within its turn, and what came of it
}
