package recipecmd

import "strings"

// A relatedSystem is what one paper describes and parley expresses as recipes: what it trains, what its agents exchange, how far its description
// here can be trusted, which recipes are it, and what of the paper is not reproduced. One whose recipes are not shipped yet names none.
type relatedSystem struct {
	Name  string // as its paper has it
	Paper string // its arXiv number
	// Trains says whose weights change: all agents, some of them, a critic only, or none. A feature list without it would call all of them training.
	Trains string
	// Exchange is the level of access at which the agents exchange: API, text, values, logits.
	Exchange string
	// Evidence is where what is built comes from: the paper, the authors' code, second-hand texts, ourselves.
	Evidence string
	// Recipes are the full ones, over a real base or an endpoint, and Twins their small forms for two cores.
	Recipes, Twins []string
	// Missing is what of the paper is not reproduced.
	Missing string
}

// Recipe is the names of the full recipes, and Twin of the small ones, in one line each; empty where there is none.
func (s relatedSystem) Recipe() string { return strings.Join(s.Recipes, ", ") }

// Twin is the names of the small recipes in one line.
func (s relatedSystem) Twin() string { return strings.Join(s.Twins, ", ") }

// relatedSystems lists the two systems that parley was made for and the related ones, in the order of the documentation.
func relatedSystems() []relatedSystem {
	return []relatedSystem{
		{
			Name: "MAGRPO", Paper: "2508.04652", Trains: "all", Exchange: "text", Evidence: "paper, code",
			Recipes: []string{"magrpo-paper", "magrpo-arxiv", "magrpo-humaneval", "magrpo-coophumaneval"}, Twins: []string{"magrpo-tiny"},
			Missing: "the paper's bases and scores",
		},
		{
			Name: "MAPoRL", Paper: "2502.18439", Trains: "all", Exchange: "text", Evidence: "paper, code",
			Recipes: []string{"maporl-paper", "maporl-repo"}, Twins: []string{"maporl-e1-tiny", "maporl-g7-tiny", "maporl-g8-tiny"},
			Missing: "the paper's bases and scores",
		},
		{
			Name: "MALT", Paper: "2412.01928", Trains: "all", Exchange: "text", Evidence: "paper",
			Recipes: []string{"malt"}, Twins: []string{"malt-tiny"},
			Missing: "the scores on MATH, GSM8K and CSQA with an 8B base",
		},
		{
			Name: "SWEET-RL", Paper: "2503.15478", Trains: "some + critic", Exchange: "text", Evidence: "paper, code",
			Recipes: []string{"sweet"}, Twins: []string{"sweet-tiny"},
			Missing: "ColBench, its data and its scores; the repository is non-commercial and was not read",
		},
		{
			Name: "MLPO", Paper: "2507.08960", Trains: "some", Exchange: "API, text", Evidence: "abstract, second-hand",
			Recipes: []string{"mlpo"}, Twins: []string{"mlpo-tiny"},
			Missing: "every score; that the leader is better alone",
		},
		{
			Name: "FuseLLM", Paper: "2401.10491", Trains: "some", Exchange: "logit", Evidence: "code, second-hand",
			Recipes: []string{"fuse", "distil-team"}, Twins: []string{"fuse-tiny", "distil-team-tiny"},
			Missing: "the fusion of 7B models and its scores",
		},
		{
			Name: "ReAd", Paper: "2405.14314", Trains: "critic only", Exchange: "text, score", Evidence: "paper",
			Twins:   []string{"read-s-tiny", "read-j-tiny"},
			Missing: "DV-RoCoBench, Overcooked, BERT features, a planner that reads, and every score",
		},
		{
			Name: "Collab", Paper: "2503.21720", Trains: "none", Exchange: "logit", Evidence: "paper",
			Twins:   []string{"collab-tiny"},
			Missing: "7B pairs, their rewards and win rates",
		},
		{
			Name: "LessonL", Paper: "2505.23946", Trains: "none", Exchange: "text", Evidence: "code; numbers second-hand",
			Recipes: []string{"lessonl", "lessonl-speed"}, Twins: []string{"lessonl-tiny"},
			Missing: "OpenMP, PolyBench, C++, CodeBERT and every score",
		},
		{
			Name: "Corex", Paper: "2310.00280", Trains: "none", Exchange: "text", Evidence: "second-hand",
			Recipes: []string{"corex-discuss", "corex-review", "corex-retrieve"}, Twins: []string{"corex-discuss-tiny", "corex-review-tiny", "corex-retrieve-tiny"},
			Missing: "every score; its prompts and repository were not had",
		},
		{
			Name: "Mutual Enhancement", Paper: "2401.06603", Trains: "all", Exchange: "text, values", Evidence: "abstract, second-hand; equations ours",
			Twins:   []string{"mutual-tiny"},
			Missing: "everything: a bidirectional teacher–student, after Gu 2024",
		},
	}
}
