package alone

import "parley/learn"

// Mutual are the settings of a teacher and a student. One update plays training.problems episodes, one after another.
type Mutual struct {
	Mode         string  `yaml:"mode" default:"two-way" oneof:"two-way one-way none" doc:"two-way: both learn. one-way: the teacher instructs and stays as it is. none: it says nothing."`
	Discount     float64 `yaml:"discount" default:"0.95" min:"0.0001" max:"1" doc:"Discount of the student's values."`
	Step         float64 `yaml:"step" default:"0.5" min:"0.0001" max:"1" doc:"How far a value moves to its target."`
	Explore      float64 `yaml:"explore" default:"0.2" min:"0" max:"1" doc:"Share of the student's own choices that are random, in training."`
	Comply       float64 `yaml:"comply" default:"0.5" min:"0" max:"1" doc:"How often the student does what it is told."`
	Credit       string  `yaml:"credit" default:"advantage" oneof:"advantage difference" doc:"What an instruction is worth to the teacher. advantage: r + discount max Q(s',a) - mean Q(s,a). difference: the student's temporal difference r + discount V(s') - V(s), V the best of Q."`
	TeacherEvery int     `yaml:"teacher_every" default:"16" min:"1" doc:"Steps of the student between updates of the teacher."`
}

// Pair is the algorithm's entry in the register.
func Pair() learn.Algorithm {
	return entry(learn.Algorithm{
		Name: "mutual", About: "a bidirectional teacher–student, after Gu 2024: the first agent names actions, the second is a table that learns by Q-learning",
		Sections: []learn.Section{{
			Name: "mutual", Settings: Mutual{},
			Rules: []learn.Rule{{Keys: []string{"algorithm", "team.agents"}, Broken: inWorld, Hint: "write a teacher and a student by name, in this order"}},
		}},
	})
}
