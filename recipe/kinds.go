package recipe

// generated says that problems are made, not read.
func (t Task) generated() bool { return t.Name == "sums" || t.Name == "duet" }

// labelled says that problems come with their right answers from a data set.
func (t Task) labelled() bool {
	switch t.Name {
	case "gsm8k", "tinygsm", "svamp", "gsm-hard", "math", "nli":
		return true
	}
	return false
}

// numeric says that answers are numbers, compared with the truth one by one.
func (t Task) numeric() bool { return t.Name == "sums" || t.labelled() && t.Name != "nli" }

// pairTask says that the task's joint reward is defined for exactly two responses.
func (t Task) pairTask() bool { return t.Name == "duet" || t.wordsTask() }

// wordsTask says that the answers are texts whose words are counted.
func (t Task) wordsTask() bool { return t.Name == "tldr" || t.Name == "arxiv" }

// buildTask says that the answers are commands that place blocks.
func (t Task) buildTask() bool { return t.Name == "strbuild" || t.Name == "housebuild" }

// reports says that the task can write what a mode of team.feedback shows of an answer.
func (t Task) reports(feedback string) bool {
	switch feedback {
	case "diagnostics":
		return t.Sandboxed() || t.buildTask()
	case "expert":
		return t.codeTask()
	case "perfect", "position":
		return t.buildTask()
	case "position_modification", "rect_modification", "resource_schedule":
		return t.Name == "housebuild"
	}
	return true
}

// SeesOthers says that prompts of later turns show what the other agents answered.
func (t Team) SeesOthers() bool { return t.Protocol == "debate" && t.History == "all" }

// slices says that team.sandbox_slice chooses what feedback shows.
func (t Team) slices() bool {
	return t.Feedback == "diagnostics" || t.Feedback == "position_modification" || t.Feedback == "rect_modification"
}

// joint says that the task has a joint reward.
func (t Task) joint() bool { return t.Name == "duet" || t.unanswered() }

// codeTask says that the answers are programs.
func (t Task) codeTask() bool {
	return t.Name == "humaneval" || t.Name == "coophumaneval" || t.Name == "mbpp"
}

// Sandboxed says that answers are run in the sandbox.
func (t Task) Sandboxed() bool { return t.codeTask() || t.Name == "classeval" }

// unanswered says that the task has a joint reward and no right answers to compare with.
func (t Task) unanswered() bool {
	return t.wordsTask() || t.Sandboxed() || t.buildTask()
}

// solvable says that a single answer either solves a problem or does not: it agrees with the truth, or is a program that passes all tests.
func (t Task) solvable() bool { return !t.unanswered() || t.codeTask() }

// Active says that some training problems may be left out.
func (f Filter) Active() bool { return f.MinPassRate > 0 || f.MaxPassRate < 1 }

// trees says that episodes are trees of joint actions, not debates.
func (r *Recipe) trees() bool { return !r.Algorithm.Debates() }

// Other says that another task is measured than is trained on.
func (e EvalTask) Other() bool { return e.Name != "same" }

// Measured is the task whose held-out problems are measured on.
func (r *Recipe) Measured() Task {
	on := r.Eval.Task
	if !on.Other() {
		return r.Task
	}
	t := Defaults().Task
	t.Name, t.Path, t.Subset, t.Steps, t.BadLines, t.Train = on.Name, on.Path, on.Subset, on.Steps, r.Task.BadLines, r.Task.Train
	t.Filter = r.Task.Filter
	if t.numeric() && r.Task.numeric() {
		t.Answer = r.Task.Answer
	}
	return t
}

// Votes says that answers of a single agent can be voted on: they have right and wrong, and stand for themselves.
func (r *Recipe) Votes() bool {
	return !r.Task.unanswered() && !(r.Task.pairTask() && r.Reward.OfTask())
}
