package runs

// A TurnResult is how a system did after one turn. All but the interval are shares in [0, 1].
type TurnResult struct {
	Turn         int        `json:"turn"`          // from 1
	Voted        float64    `json:"voted"`         // expected accuracy of the vote
	CI95         [2]float64 `json:"ci95"`          // 95 % interval of Voted
	SingleAnswer float64    `json:"single_answer"` // accuracy of one answer
	Unparseable  float64    `json:"unparseable"`   // texts without a readable final answer
	Extracted    float64    `json:"extracted"`     // those of them whose answer the base read out
	Flagged      float64    `json:"flagged"`       // answers that training would penalise
}

// Moves are how results moved over a pair of turns, as shares of all: R is right, W wrong, the first letter is the earlier turn's.
type Moves struct {
	RR  float64 `json:"rr"`
	WR  float64 `json:"wr"`
	RW  float64 `json:"rw"`
	WW  float64 `json:"ww"`
	Net float64 `json:"net"` // WR - RW

	CI95 *MovesCI95 `json:"ci95,omitempty"` // of an experiment of several seeds
}

// MovesCI95 are 95 % intervals of moves over seeds.
type MovesCI95 struct {
	RR  [2]float64 `json:"rr"`
	WR  [2]float64 `json:"wr"`
	RW  [2]float64 `json:"rw"`
	WW  [2]float64 `json:"ww"`
	Net [2]float64 `json:"net"`
}

// Conditioned are moves whose third letter is a circumstance. One that has no answers is absent.
type Conditioned struct {
	RWR    *float64 `json:"rwr,omitempty"`
	RWW    *float64 `json:"rww,omitempty"`
	WRW    *float64 `json:"wrw,omitempty"`
	WRR    *float64 `json:"wrr,omitempty"`
	Delta0 *float64 `json:"delta0,omitempty"` // WRW - RWW
	Delta1 *float64 `json:"delta1,omitempty"` // WRR - RWR
}

// Conditions are conditioned moves as shares of all answers, and as shares of the answers with the first and the third letter.
type Conditions struct {
	Joint       Conditioned `json:"joint"`
	Conditional Conditioned `json:"conditional"`
}

// A Transition is how a system's results moved from one turn to the next.
type Transition struct {
	FromTurn  int        `json:"from_turn"` // from 1
	ToTurn    int        `json:"to_turn"`
	Answers   Moves      `json:"answers"`   // of single answers
	Votes     Moves      `json:"votes"`     // of votes
	Own       Conditions `json:"own"`       // letters: answer before, answer after, majority of the others before
	Influence Conditions `json:"influence"` // letters: majority of the others before, after, answer before
}

// A Comparison is the difference of two systems' scores on the same problems.
type Comparison struct {
	System     string     `json:"system"`
	Against    string     `json:"against"`
	Difference float64    `json:"difference"` // of the scores of the last turn
	CI95       [2]float64 `json:"ci95"`       // 95 % interval of Difference
	P          float64    `json:"p"`          // two-sided, by a permutation test
}

// A LoneScore is how a policy answers the question alone, without any history (MAPoRL, Remark 2).
type LoneScore struct {
	Policy string     `json:"policy"` // off-the-shelf: the base
	Score  float64    `json:"score"`
	CI95   [2]float64 `json:"ci95"`
}

// An AtK is a measure of k samples of a system: of a team its joint samples (MAGRPO §10).
type AtK struct {
	System string     `json:"system"` // as in the report's rows
	K      int        `json:"k"`
	Value  float64    `json:"value"` // a mean over problems
	CI95   [2]float64 `json:"ci95"`
}

// An AccuracyAtK is the greatest share of a problem that one of the first k samples solves.
type AccuracyAtK struct {
	AtK
	Expected float64 `json:"expected"` // of k samples drawn from all
}
