package main

import (
	"math/rand/v2"

	"parley/task"
)

// postWords are what posts are about.
var postWords = []place{
	{"rel|he", []string{"brother|he", "sister|she", "boss|he", "neighbour|she", "cousin|he", "aunt|she", "uncle|he", "friend|she"}},
	{"name", []string{"Tom", "Ana", "Ben", "Mia", "Leo", "Eva", "Sam", "Ida", "Max", "Zoe"}},
	{"city", []string{"Leeds", "Paris", "Oslo", "Rome", "Boston", "Dublin", "Vienna", "Madrid"}},
	{"thing", []string{"bike", "laptop", "guitar", "car", "camera", "phone", "tent", "piano", "jacket", "watch"}},
	{"deed", []string{"broke", "lost", "sold", "painted", "borrowed", "stole"}},
	{"when", []string{"last week", "on Monday", "in May", "yesterday", "two days ago", "at night"}},
	{"where", []string{"near the station", "at a party", "in the garden", "behind the school", "on a trip", "at the lake"}},
	{"claim", []string{"it was an accident", "nobody needs it", "the weather was bad", "a stranger did it", "it was a joke", "the thing was old"}},
	{"n", []string{"30", "45", "60", "75", "80", "95"}},
	{"third", []string{"mother", "father", "teacher", "partner", "grandmother", "doctor"}},
	{"view", []string{"time will help", "money ends every friendship", "both must talk", "the police should know", "a letter is better", "silence is wise"}},
	{"feel", []string{"angry", "sad", "tired", "worried", "confused", "hurt"}},
	{"wish|plan", []string{"want the money back|to ask for the money", "want to move out|to leave the house", "hope for an apology|to wait for an apology", "need a new one soon|to buy another one", "miss our talks|to call again"}},
}

// postLines are a post, in trl's form without its head.
var postLines = []string{
	"I live in {city} with my {rel} {name}.", "{when} {he} {deed} my {thing} {where}.", "{name} says that {claim}.", "another {thing} costs {n} euros.",
	"my {third} thinks that {view}.", "I am {feel} and {wish}.", "is it right {plan}?",
}

// curt are summaries that say too little.
var curt = []string{"a {thing} is gone.", "{name} {deed} a {thing}.", "somebody is {feel}."}

// postFacts are what summaries say. The first is the heart of the matter.
var postFacts = [][]string{
	{"the writer's {rel} {name} {deed} a {thing} {where}.", "{when} a {rel} called {name} {deed} the writer's {thing}."},
	{"both live in {city}, and {name} is the {rel}.", "their home is a small flat in {city}."},
	{"{name} defends this and claims that {claim}.", "the excuse is that {claim}."},
	{"to buy another {thing} would cost {n} euros.", "the price of a new {thing} is {n} euros."},
	{"the {third} gives advice and believes that {view}.", "a {third} holds that {view}."},
	{"because of all this the writer feels {feel}.", "the author has become {feel} and does not sleep well."},
	{"now the question is whether it would be right {plan}.", "readers are asked if it is a good idea {plan}."},
}

// The lengths of summaries in sentences, 0 for a curt one, by who is asked: concisely or in detail. Many are too short, or as long as the other's.
var summaryLengths = [][]share[int]{
	{{25, 0}, {25, 1}, {20, 2}, {15, 3}, {15, 4}},
	{{10, 0}, {25, 1}, {25, 2}, {15, 3}, {10, 4}, {8, 5}, {7, 6}},
}

// postOf draws a post.
func postOf(rng *rand.Rand) (story, string) {
	s := tell(rng, postWords)
	return s, s.fill(append([]string{}, postLines...)...)
}

// openPosts asks for summaries of posts.
func openPosts() *writing {
	w := writingOf("magrpo-tldr-tiny")
	w.pose = func(rng *rand.Rand) (task.Problem, hand) {
		s, text := postOf(rng)
		return task.Problem{Question: text}, func(rng *rand.Rand, agent int, _ care) string { return summary(rng, s, agent) }
	}
	return w
}

// summary is what the agent who is asked concisely, or the one who is asked in detail, says of a post.
func summary(rng *rand.Rand, s story, agent int) string {
	h := habitOf(rng, summaryLengths[agent])
	if h.sentences == 0 {
		return s.fill(pick(rng, curt))
	}
	return h.write(rng, s, postFacts)
}
