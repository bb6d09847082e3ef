package language

import (
	"parley/systems/lessonl/executor"
	"parley/task"
	"parley/task/bfcl"
	"parley/task/blocks"
	"parley/task/classeval"
	"parley/task/code"
	"parley/task/labelled"
	"parley/task/sums"
	"parley/task/textstats"
	"parley/task/world"
)

// Tasks lists the tasks in the order of documentation. A new one is a folder under task with a function that returns its [task.Type], and a line here. From
// the type come the task's keys in recipes, the fields that prompts may use, the kinds of reports between turns, what `parley reward` scores, and its page
// in the documentation. The first is what recipes mean that name none.
func Tasks() []task.Type {
	return []task.Type{
		sums.Type(),
		labelled.DataType(),
		labelled.Type(labelled.GSM8K),
		labelled.Type(labelled.TinyGSM),
		labelled.Type(labelled.SVAMP),
		labelled.Type(labelled.GSMHard),
		labelled.Type(labelled.MATH),
		labelled.Type(labelled.NLI),
		sums.DuetType(),
		sums.DictationType(),
		textstats.TLDRType(),
		textstats.ArxivType(),
		code.HumanEval(),
		code.CoopHumanEval(),
		code.MBPP(),
		classeval.Type(),
		bfcl.Type(),
		executor.Speedup(),
		blocks.StrBuild(),
		blocks.HouseBuild(),
		world.Type(),
	}
}
