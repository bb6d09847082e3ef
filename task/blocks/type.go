// Package blocks is MAGRPO's block-building games (§8): a team draws a short string with blocks of every agent's own palette
// ([Drawings], StrBuild), or builds a house under attack ([Houses], HouseBuild).
//
//	t := build.NewDrawings(2)
//	problems, err := t.Problems(task.Train, 8)
//	score, err := t.Score(problems[0], []string{"/setblock 0 4 0 stone", "/setblock 1 4 0 obsidian"})
//
// Agents write commands, one a line; lines that are none, or that an agent may not give, are skipped. [ScoreString] and
// [ScoreHouse] are the rewards as pure functions. The glyphs, the strings and the houses are ours.
package blocks

import (
	"context"

	"parley/task"
)

// What recipes call the tasks.
const (
	drawings = "strbuild"
	houses   = "housebuild"
)

// StrBuild returns the task of drawings for the register.
func StrBuild() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: drawings, About: "StrBuild: commands that draw a short text with blocks of every agent's own colours (magrpo.md 8).",
			Joint: true, Responses: anyTeam, Solo: soloDrawing,
			Fields: []task.Field{
				{Name: FieldWidth, About: "of the drawing, in cells"},
				{Name: FieldHeight, About: "of the drawing"},
				{Name: FieldCommands, About: "that one agent may give"},
				{Name: FieldPalette, About: "the blocks of an agent", PerAgent: true},
				{Name: FieldPalette, About: "all blocks: those of one who draws alone"},
				{Name: FieldAloneCommands, About: "that such a one may give"},
			},
			Reports: []task.Report{
				{Name: "diagnostics", About: "which cells lack a block or have one too many, and how many commands were carried out", Sliced: true}, perfect, position,
			},
		},
		Open: func(_ context.Context, s Settings, in task.Environment) (task.Task, error) {
			t := NewDrawings(in.Agents)
			if s.Made {
				t.texts = madeTexts()
			}
			return t, nil
		},
		Items: func(context.Context, Settings) (*task.ItemScorer, error) {
			return &task.ItemScorer{Read: ReadDrawing, Score: func(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
				return NewDrawings(len(responses)).Score(ctx, p, responses)
			}}, nil
		},
	})
}

// HouseBuild returns the task of houses for the register.
func HouseBuild() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: houses, About: "HouseBuild: commands that build a house under attack (magrpo.md 8).",
			Joint: true, Responses: anyTeam, Solo: soloHouse,
			Fields: []task.Field{
				{Name: FieldSize, About: "of the site, such as 6 x 7 x 7"},
				{Name: FieldBlocks, About: "each kind of block with how many an agent may place"},
				{Name: FieldAloneBlocks, About: "the same for one who builds alone"},
			},
			Reports: []task.Report{
				{Name: "diagnostics", About: "which cells are wrong, and how many commands were carried out", Sliced: true},
				perfect, position,
				{Name: PositionCorrection, About: "the wrong cells", Sliced: true},
				{Name: BoxCorrection, About: "fills that correct them", Sliced: true},
				{Name: ResourceSchedule, About: "the agent's blocks that are left, and fills to spend them on"},
			},
		},
		Open: func(_ context.Context, s Settings, in task.Environment) (task.Task, error) {
			t := NewHouses(in.Agents)
			if s.Made {
				t.plans = madePlans()
			}
			return t, nil
		},
		Items: func(context.Context, Settings) (*task.ItemScorer, error) {
			return &task.ItemScorer{Read: ReadHouse, Score: func(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
				return NewHouses(len(responses)).Score(ctx, p, responses)
			}}, nil
		},
	})
}

var (
	anyTeam  = task.Count{Least: 1, Most: task.MostAgents}
	perfect  = task.Report{Name: Perfect, About: "what each agent should change for a perfect result"}
	position = task.Report{Name: Position, About: "where blocks belong"}
)

// soloDrawing asks for a drawing with everybody's blocks.
const soloDrawing = `Draw the text {{.Question}} in capital letters with blocks. Every letter is 5 cells wide and 5 high; between two letters are 2 empty columns.
The drawing is {{.Fields.width}} cells wide and {{.Fields.height}} high; x runs to the right and y upwards, both from 0; z is always 0.

Your blocks: {{.Fields.palette}}. Use each of them but air, which removes a block.
Neighbouring blocks should not have one colour. Leave the background empty.

Write commands only, one a line, at most {{.Fields.commands_alone}}:
/setblock x y 0 block`

// soloHouse asks for a house from as many blocks as one who builds alone may place.
const soloHouse = `Build this house. The site is {{.Fields.size}} blocks large (x, y upwards, z). Each layer is shown with one row a z, from 0, and one letter an x, from 0; a dot is air.

{{.Question}}

Blocks: {{.Fields.blocks_alone}}. The numbers are how many of them you may place.
Spiders attack the house: write /kill @e[type=spider].

Write commands only, one a line; both corners belong to a fill, and a fill that leaves the site or takes more blocks than you have is skipped:
/fill x1 y1 z1 x2 y2 z2 block`
