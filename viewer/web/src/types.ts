// What the server answers (see package viewer). null stands for a number that is absent or was not recorded. Turns and agents count from 0 here,
// and from 1 on the page; diagnostics count agents from 1. Episodes and held-out problems count from 0 everywhere, as commands do.

export interface Session {
  version: string
  root: string
  read_only: boolean
  can_run: boolean
  export?: true
}

export type State = 'running' | 'finished' | 'interrupted' | 'failed' | 'damaged'

export interface RunRow {
  id: string
  name: string
  state: State
  problem?: string
  recipe: string
  task: string
  algorithm: string
  model: string
  seed: number
  created: string
  updates: number
  updates_planned: number | null
  tokens_planned?: number
  runs?: number // of an experiment
  checkpoint: number
  agents: string[]
  team: { from: number; to: number }[]
  score: number | null
  ci95: [number, number] | null
  metric: string
  before: number | null
  gain: number | null
  gain_ci95?: [number, number]
  spark: number[]
  parent?: string
  tags: string[]
  note: string
}

// Keys in which recipes differ, and the values of those that were asked for, by run.
export interface RecipeKeys {
  keys: string[]
  values: Record<string, Record<string, string>>
  left: number
}

export interface System {
  variant?: string // of an experiment
  system: string
  score: number
  raw?: number // of a share of the range: what it is a share of
  ci95?: [number, number]
  per_turn?: number[]
  tokens_per_problem?: number
  latency_tokens?: number
}

// A Measured table: all of its rows are of one measure.
export interface Measured {
  metric: string
  measure?: { name: string; of?: string; of_low?: number; of_high?: number }
  rows: System[]
  comparisons?: { system: string; against: string; difference: number; ci95: [number, number]; p: number }[]
  also?: Measured
}

export interface Report extends Measured {
  problems: number
  gain?: number
  pass_at?: AtK[]
  pass_hat?: AtK[]
}

// An AtK is a number of a system for some k.
export interface AtK {
  system: string
  k: number
  value: number
  ci95: [number, number]
}

export interface RunDetail extends RunRow {
  dir: string
  versions: { parley: string; go: string; system: string; cpu: string; cores: number; kernels: string; threads: number }
  bases: { name: string; sha256: string; agents: number[]; policies?: string[] }[]
  changes: string[]
  checkpoints: number[]
  adapters: string[]
  report: Report | null
  report_text: string
  pictures: string[]
  commands: { what: string; command: string }[]
  answers: boolean // to held-out problems are kept
  refused?: string // why it cannot go on here
}

export interface Series {
  key: string
  name: string
  part: string
  unit: string
  about: string
  group: string
  values: (number | null)[]
}

export interface Metrics {
  updates: number[]
  tokens: number[]
  seconds: (number | null)[]
  series: Series[]
  damaged?: string // what could not be read
}

export interface RecipeView {
  yaml: string
  preset: string
  differences: { key: string; preset: string; run: string }[]
}

export interface Evidence {
  update: number
  index: number
  problem: string
  node?: number
  action?: number
  agent?: number
  held_out?: boolean
}

export interface Finding {
  kind: string
  rule: string
  agent?: number
  name?: string
  value: number
  sense: string
  threshold: number
  first_update?: number
  last_update?: number
  evidence?: Evidence[]
  remedy?: string
  fired?: boolean
  moot?: boolean
}

export interface Diagnostics {
  update: number
  joint_actions?: number
  diagnostics: Finding[]
  checked: Finding[]
  unchecked: { rule: string; why: string }[]
}

export interface Span {
  name: string
  start: number
  seconds: number
}

export interface Timeline {
  updates: { update: number; start: number; seconds: number; phases: Span[]; engine: Span[]; aside: Span[] }[]
  first: number
  last: number
}

export interface Costs {
  update: number
  agents: { name: string; policy: string; queries: number; answers: number; tokens: number; prompt_tokens: number }[]
  damaged: string[] // episodes that are left out
}

// What each agent contributes. What was not played, and what cannot be counted, is null.
export interface Contributed {
  contribution: Contribution
  command: string
  refused: string // why nothing can be played
}

export interface Contribution {
  update: number
  problems: number
  measure: string
  score: number | null
  nobody: number | null
  orders: number // drawn; 0: all
  agents: AgentContribution[]
  training: TrainingOf
  notes: string[]
}

export interface AgentContribution {
  agent: string
  left_out: Lacking | null
  untrained: Lacking | null
  shapley: number | null
  shapley_ci95: [number, number] | null
  shapley_error: number | null
  sentence: string
  notes: string[]
  share_right: number | null
  share_read: number | null
  help: number | null
  harm: number | null
  heard: number
  share_gradient: number | null
  share_loss: number | null
}

export interface Lacking {
  how: 'left-out' | 'untrained'
  score: number
  difference: number
  ci95: [number, number]
  p: number
}

// What training recorded of each agent, by update.
export interface TrainingOf {
  updates: number[]
  from: number
  agents: { right: (number | null)[]; read: (number | null)[]; help: (number | null)[]; harm: (number | null)[] }[]
  gradient_of: string
  damaged: string[]
}

export interface EpisodeRow {
  update: number
  index: number
  problem: string
  question: string
  nodes: number
  completions: number
  turns: number
  samples: number
  reward: number | null
  reward_min: number | null
  reward_max: number | null
  advantage_min: number | null
  advantage_max: number | null
  correct: number | null
  right_wrong: boolean
  wrong_right: boolean
  truncated: number
  flags: string[]
  failed: string
  tokens: number
  damaged?: string // why it cannot be read
}

export interface EpisodePage {
  episodes: EpisodeRow[]
  next: string | null
  scanned: { from: number; to: number } | null
  updates: { from: number; to: number } | null
  damaged: string[]
  agents: string[]
  flags: string[]
}

export interface Distribution {
  name: 'reward' | 'advantage' | 'score' | 'tokens'
  about: string
  edges: number[]
  counts: number[]
  total: number
}

export interface Distributions {
  from: number
  to: number
  fields: Distribution[]
}

export interface Formula {
  name: string
  formula: string
  filled: string
  terms: { symbol: string; what: string; value: number }[]
  exact: boolean
  note: string
}

export interface Call {
  at: number
  name: string
  arguments: string
  result: string
  failed: boolean
}

// reward of a completion is what it is trained on: its return, as the page calls it. The reward of a joint action is what it earned in its own turn.
export interface Completion {
  completion: number
  text: string
  visible: string | null
  answer: string | null
  correct: boolean | null
  score: number | null
  reward: number
  advantage: number
  flags: string[]
  masked: boolean
  penalty: number
  stop: string
  tokens: number
  surprisal: number | null
  calls: Call[]
  formula: Formula[]
  cut: number
}

// nameOf has the glossary's word for a number of an answer.
export const nameOf = (name: string) => (name === 'reward' ? 'return' : name)

// weighed says whether an answer has one advantage: with a critic, tokens have advantages of their own, which are not recorded.
export const weighed = (one: Completion) => one.advantage !== 0 || one.formula.some((f) => f.name === 'advantage')

export interface Cell {
  agent: number
  name: string
  policy: string
  opponent: string
  speaker: string
  sampling: { temperature: number; top_k: number; top_p: number }
  messages: { role: string; content: string }[]
  prompt_tokens: number
  dropped: number
  saw: { node: number; agent: number; completion: number }[]
  completions: Completion[]
}

// What an environment answered to one step.
export interface Outcome {
  observations?: Record<string, string>
  all?: string
  team?: number
  agents?: Record<string, number>
  done?: boolean
  info?: unknown
}

export interface Joint {
  action: number
  completions: number[]
  reward: number | null
  parts: Record<string, number>
  flags: string[]
  own: Record<string, number> | null
  report: string[] | null
  went_on: boolean
  outcome: Outcome[] | null
  unscored: boolean
}

export interface Node {
  node: number
  turn: number
  parent: number
  parent_action: number
  sample: number
  ended: boolean
  failed: string
  went_on: number[]
  cells: Cell[]
  joint: Joint[]
  answers?: string[] // what the program answered, behind its last call
}

export interface Place {
  update: number
  index: number
}

// How the observations of a game are drawn: text finds the rows of a field in them, or pieces, by name, with their rows and columns.
export interface Board {
  side: number
  text: string
}

// A Problem is what was asked.
export interface Problem {
  id: string
  question: string
  truth: string
  fields: Record<string, string>
}

// A problem as task.view shows it, or why it cannot.
export interface Viewed {
  view?: string
  view_trouble?: string
}

export interface Episode extends Place, Viewed {
  board?: Board
  problem: Problem
  agents: { agent: number; name: string }[]
  turns: number
  samples: number
  failed: string
  refused: Record<string, string>
  nodes: Node[]
  solo: Node[]
  reward_note: string
  critic: boolean // each token has an advantage of its own
  program?: boolean // the team works in a program: each node is a call, in the order in which they came
  neighbours: { previous: Place | null; next: Place | null }
  group: Place[]
}

export interface Token {
  id: number
  text: string | null
  special: boolean
  logprob: number | null
  policy: number | null
  entropy: number | null
  reference: number | null
  kl: number | null
  advantage: number | null
  after: number | null
  ratio: number | null
  clipped: boolean | null
  inserted: boolean
}

export interface Tokens {
  text_known: boolean
  advantage: number
  stop: string
  tokens: Token[]
  missing: { field: string; why: string }[]
  computed: Computed | null // what a run does not record, from its checkpoints
}

export interface Computed {
  created: string
  kernels: string
  after: string // where the policies after the update come from
  penalty: { estimator: string; coefficient: number }
}

export interface ProblemRow {
  problem: string
  question: string
  times: { update: number; index: number; reward: number | null; correct: number | null }[]
}

export interface ProblemPage {
  problems: ProblemRow[]
  next: string | null
  scanned: { from: number; to: number } | null
  damaged: string[]
}

// What an agent said in a turn.
// HeldOut is what systems answered to the held-out problems of a run.
export interface HeldOut {
  systems: { system: string; update: number; score: number | null; scored: number }[]
  panel: number[] // after how many updates; 0: before training
  problems: HeldOutProblem[]
  none?: string
  damaged?: string[]
}

export interface HeldOutProblem {
  number: number
  problem: string
  question: string
  truth: string
  scores: Record<string, number | null>
  said: Record<string, string>
  change: number | null
  panel?: (number | null)[]
}

export interface HeldOutDialogues extends Viewed {
  number: number
  problem: string
  question: string
  truth: string
  answers: HeldOutAnswer[]
  damaged?: string[]
}

export interface HeldOutAnswer {
  system: string
  update: number
  score: number | null
  generated: number
  failed?: string
  lines: HeldOutLine[]
  program?: string[]
}

export interface HeldOutLine extends Spoken {
  pass: number
  answer: string
}

export interface Spoken {
  turn: number
  agent: number
  name: string
  text: string
  correct?: boolean | null
  reward?: number | null
  advantage?: number
}

export interface Line extends Spoken {
  correct: boolean | null
  reward: number | null
}

// One time that a problem was played.
export interface Time extends Place {
  reward: number | null
  correct: number | null
  lines: Line[]
  damaged?: string // why it cannot be read
}

export interface Through extends Viewed {
  problem: Problem | null
  episodes: Time[]
  next: string | null
  scanned: { from: number; to: number } | null
  damaged: string[]
}

export interface Comparison {
  metric: string
  measure?: { better: 'higher' | 'lower' }
  problems: number
  method: string
  rows: {
    run: string
    system: string
    seeds: number[]
    score: number
    ci95?: [number, number]
    off_the_shelf?: number
    gain?: number
    tokens_per_problem?: number
    problems: number
  }[]
  differences: PairedDifference[]
  also?: ByMeasure & { metric: string }
  pass_at?: (ByMeasure & { k: number })[]
}

export interface PairedDifference { a: string; b: string; difference: number; ci95: [number, number]; p: number; p_holm?: number }

// The rows of a comparison by another measure.
export interface ByMeasure {
  rows: { run: string; value: number; ci95: [number, number] }[]
  differences: PairedDifference[]
}

export interface Compare {
  runs: { id: string; name: string; group: string; seed: number; metric: string }[]
  x: string
  metric: string
  unit: string
  bounds?: [number, number] // of the metric, where the runs' reports say them
  metrics: string[]
  curves: { id: string; part: string; x: number[]; y: (number | null)[] }[]
  bands: {
    group: string
    part: string
    x: number[]
    mean: (number | null)[]
    low: (number | null)[] | null
    high: (number | null)[] | null
    n: number
  }[]
  comparison: Comparison | null
  refused: string
  recipe: { key: string; values: (string | null)[]; unknown?: boolean }[] // unknown: this release does not know the key
  cross_play?: CrossPlay // of runs whose agents have all played with each other
}

export interface Centre {
  mean: number
  ci95: [number, number] | null
}

// How agents of several runs play together: values by the run of the first agent and that of the others.
export interface CrossPlay {
  runs: { run: string; update: number }[]
  exact: boolean
  games: number
  scores: { score: string; values: number[][]; self_play: Centre; cross_play: Centre; difference: Centre }[]
}

export interface Check {
  ok: boolean
  name: string
  errors: { line: number; column: number; message: string; hint?: string }[]
  warnings: string[]
  full: string
}

export interface Job {
  job: number
  what: 'train' | 'resume' | 'swap' | 'ask' | 'tokens' | 'contribution'
  title: string
  run: string
  state: 'waiting' | 'running' | 'done' | 'failed'
  message: string
  created: string
}

export interface Swap {
  id: number
  created: string
  update: number
  index: number
  problem: string
  title: string
  error: string
  lines: Line[]
  swapped: Line[]
  reward: number | null
  swapped_reward: number | null
}

// A question that the team of a run was asked, and what it answered.
export interface Asked {
  created: string
  question: string
  agent: string // who was asked alone; empty: the team
  update: number
  temperature: number | null
  seed: number
  lines: Answered[] | null
  answer: string
  vote: boolean
}

export interface Answered extends Spoken {
  left: number // bytes that were not kept
  truncated: boolean
  beside?: string
}

export interface StudyMean {
  mean: number
  ci95: [number, number]
}

export interface StudyCell {
  name: string
  levels: string[]
  runs: { id: string; seed: number; state: State | '' }[]
}

export interface Study {
  id: string
  problem?: string
  experiment?: boolean // its cells are variants, and its dimensions the keys that they change
  runs: number
  dimensions: string[]
  metrics: string[]
  cells: StudyCell[]
  results: {
    study: string
    question: string
    cells: { cell: string; seeds: number[]; metrics?: Record<string, StudyMean>; systems?: Record<string, StudyMean> }[]
    differences: { metric: string; a: string; b: string; seeds: number; difference: number; ci95?: [number, number]; p?: number; p_holm?: number }[]
    left_out: { Cells: string; Why: string }[]
    failed: { cell: string; seed: number; failed: string }[]
    missing: number
  } | null
}
