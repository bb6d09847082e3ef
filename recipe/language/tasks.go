package language

import (
	"parley/systems/lessonl/executor"
	"parley/task"
	"parley/task/arxiv"
	"parley/task/bfcl"
	"parley/task/blocks"
	"parley/task/classeval"
	"parley/task/code"
	"parley/task/data"
	"parley/task/dictation"
	"parley/task/duet"
	"parley/task/labelled"
	"parley/task/sums"
	"parley/task/tldr"
	"parley/task/travel"
	"parley/task/world"
)

// Tasks lists the tasks in the order of documentation. A new one is a folder under task with a function that returns its [task.Type], and a line here. From
// the type come the task's keys in recipes, the fields that prompts may use, the kinds of reports between turns, what `parley reward` scores, and its page
// in the documentation. The first is what recipes mean that name none.
func Tasks() []task.Type {
	return []task.Type{
		sums.Type(),
		data.Type(),
		labelled.Type(labelled.GSM8K),
		labelled.Type(labelled.TinyGSM),
		labelled.Type(labelled.SVAMP),
		labelled.Type(labelled.GSMHard),
		labelled.Type(labelled.MATH),
		labelled.Type(labelled.NLI),
		duet.Type(),
		dictation.Type(),
		tldr.Type(),
		arxiv.Type(),
		code.HumanEval(),
		code.CoopHumanEval(),
		code.MBPP(),
		classeval.Type(),
		bfcl.Type(),
		travel.Type(),
		executor.Speedup(),
		blocks.StrBuild(),
		blocks.HouseBuild(),
		world.Type(),
	}
}
