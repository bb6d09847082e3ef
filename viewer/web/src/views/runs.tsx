// All runs of the folder.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { exported, send, useEvents, useGet, ofRun } from '../api'
import { interval, overSeeds, planned, plural, score, student, when } from '../format'
import { useKeys } from '../keys'
import { useSession } from '../page'
import { Signed, StateOf, TeamPicture, Wait } from '../parts'
import { Spark } from '../plot'
import { go, link, toCompare } from '../route'
import { Short } from '../text'
import type { RecipeKeys, RunRow, State } from '../types'
import { Studies } from './study'
import { VirtualTable, type Column, type Sorting } from '../virtual'

const matches = (run: RunRow, words: string[]) => {
  const text = [run.id, run.name, run.recipe, run.task, run.algorithm, run.model, run.note, run.state, ...run.tags.map((t) => '#' + t), ...run.agents].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

// How many runs the server compares.
const mostCompared = 64

type Value = string | number | null

// What columns are sorted by, and which way first.
const values: Record<string, (run: RunRow) => Value> = {
  created: (r) => r.created, id: (r) => r.id, state: (r) => r.state, score: (r) => r.score, gain: (r) => r.gain, updates: (r) => r.updates, algorithm: (r) => r.algorithm, model: (r) => r.model,
  task: (r) => r.task, seed: (r) => r.seed, reward: (r) => r.spark.at(-1) ?? null,
}
const downFirst = ['created', 'score', 'gain', 'updates', 'reward']

// Scores of one task and one measure can be ranked. Others are kept apart.
const scale = (run: RunRow) => run.task + '\u0000' + run.metric

const inOrder = (x: Value, y: Value) => (typeof x === 'string' && typeof y === 'string' ? x.localeCompare(y, 'en', { numeric: true }) : x! < y! ? -1 : x! > y! ? 1 : 0)

function sorted(runs: RunRow[], { by, down }: Sorting, value: (run: RunRow) => Value): RunRow[] {
  const ranked = by === 'score' || by === 'gain'
  return runs.toSorted((a, b) => {
    const [x, y] = [value(a), value(b)]
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return (ranked && inOrder(scale(a), scale(b))) || (down ? -inOrder(x, y) : inOrder(x, y))
  })
}

// apart puts runs into lists by what they share.
function apart(runs: RunRow[], of: (run: RunRow) => string): Map<string, RunRow[]> {
  const out = new Map<string, RunRow[]>()
  for (const run of runs) out.set(of(run), [...(out.get(of(run)) ?? []), run])
  return out
}

// ranks are the places of runs by their score, each among those of its task and measure.
function ranks(runs: RunRow[]): Map<string, string> {
  const lists = apart(runs.filter((r) => r.score !== null), scale)
  const out = new Map<string, string>()
  for (const list of lists.values()) {
    if (list.length > 1) for (const r of list) out.set(r.id, `${1 + list.filter((other) => other.score! > r.score!).length} of ${list.length}`)
  }
  return out
}

// A Group heads the runs of a recipe.
interface Group {
  id: string
  group: RunRow[]
}

type Line = RunRow | Group

// together brings the runs of a recipe behind each other, below a heading, in the order of the first of each.
function together(runs: RunRow[]): Line[] {
  return [...apart(runs, (r) => r.recipe + '\u0000' + scale(r))].flatMap(([key, group]): Line[] => [{ id: '\u0000' + key, group }, ...group])
}

const runsOf = (line: Line): RunRow[] => ('group' in line ? line.group : [line])

// Heading says what the seeds of a recipe come to. Runs of one seed differ in more: they have no mean together.
function Heading({ of, chosen, choose }: { of: RunRow[]; chosen: string[]; choose: (runs: RunRow[]) => void }) {
  const seeds = new Set(of.map((r) => r.seed)).size
  const scores = of.map((r) => r.score).filter((x) => x !== null)
  const { mean, ci } = student(scores)
  const all = of.every((r) => chosen.includes(r.id))
  return (
    <span class="n">
      <b><Short text={of[0]!.recipe} limit={60} /></b> <span class="dim">{seeds === of.length ? plural(seeds, 'seed') : `${plural(of.length, 'run')} of ${plural(seeds, 'seed')}`}</span>{' '}
      {scores.length > 0 && seeds === of.length && <><b>{score(mean)}</b> <span class="dim">{overSeeds(ci, scores.length)} <span class="wide">{of[0]!.metric}</span>{scores.length < of.length && `, of ${scores.length} that are measured`}</span> </>}
      {!exported && of.length > 1 && <button type="button" class="small" title={`of ${of[0]!.recipe}`} aria-pressed={all} onClick={() => choose(of)}>{all ? 'choose none' : seeds === of.length ? 'choose all seeds' : 'choose all'}</button>}
    </span>
  )
}

export function RunsView() {
  const runs = useGet<{ runs: RunRow[] }>('/runs')
  const [changed, setChanged] = useState<Record<string, RunRow | null>>({})
  useEvents('/events', {
    runs: (news: { changed: RunRow[] | null; gone: string[] | null }) =>
      setChanged((old) => ({ ...old, ...Object.fromEntries((news.changed ?? []).map((r) => [r.id, r])), ...Object.fromEntries((news.gone ?? []).map((id) => [id, null])) })),
  }, runs.again)
  return (
    <>
      <h1>Runs</h1>
      {!exported && <Studies />}
      <Wait of={runs}>
        {(data) => {
          const known = new Set(data.runs.map((r) => r.id))
          const news = Object.values(changed).filter((r): r is RunRow => r !== null && !known.has(r.id))
          const now = [...news, ...data.runs.map((r) => (r.id in changed ? changed[r.id] : r))].filter((r) => r !== null && r !== undefined)
          return <Table runs={now} update={(run) => setChanged((old) => ({ ...old, [run.id]: run }))} />
        }}
      </Wait>
    </>
  )
}

function Table({ runs, update }: { runs: RunRow[]; update: (run: RunRow) => void }) {
  const session = useSession()
  const [search, setSearch] = useState('')
  const [state, setState] = useState<State | ''>('')
  const [sorting, setSorting] = useState<Sorting>({ by: 'created', down: true })
  const [grouped, setGrouped] = useState(false)
  const [keys, setKeys] = useState<string[]>([])
  const recipes = useGet<RecipeKeys>(exported ? null : '/keys', { key: keys }, true)
  const [chosen, setChosen] = useState<string[]>([])
  const shown = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const valueOf = values[sorting.by] ?? ((r: RunRow) => numeric(recipes.data?.values[r.id]?.[sorting.by]))
    const list = sorted(runs.filter((r) => (state === '' || r.state === state) && matches(r, words)), sorting, valueOf)
    return list
  }, [runs, search, state, sorting, recipes.data])
  const lines = useMemo((): Line[] => (grouped ? together(shown) : shown), [shown, grouped])
  const places = useMemo(() => (sorting.by === 'score' ? ranks(shown) : null), [shown, sorting.by])
  const sort = (by: string) => setSorting((old) => ({ by, down: old.by === by ? !old.down : downFirst.includes(by) }))
  // Those that are chosen already are left out, if all of them are; else the others are chosen too.
  const choose = useCallback((these: RunRow[]) => {
    const ids = these.map((r) => r.id)
    setChosen((old) => (ids.every((id) => old.includes(id)) ? old.filter((id) => !ids.includes(id)) : [...new Set([...old, ...ids])]))
  }, [])
  const compare = () => chosen.length > 0 && chosen.length <= mostCompared && go(toCompare(chosen))
  useKeys([{ key: 'c', what: 'compare the chosen runs', do: compare }])
  if (runs.length === 0) {
    return (
      <p>
        There are no runs in <bdi class="mono">{session.root}</bdi> yet. <code>parley train</code> makes one in a minute.
      </p>
    )
  }
  return (
    <>
      <div class="tools">
        <input type="search" placeholder="search, such as magrpo #good" aria-label="search runs" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
        <label>
          state
          <select value={state} onChange={(e) => setState(e.currentTarget.value as State | '')}>
            <option value="">any</option>
            {['running', 'finished', 'interrupted', 'failed', 'damaged'].map((s) => <option key={s}>{s}</option>)}
          </select>
        </label>
        <label><input type="checkbox" checked={grouped} onChange={(e) => setGrouped(e.currentTarget.checked)} />by recipe</label>
        {!exported && (
          <label>
            column
            <select value="" onChange={(e) => e.currentTarget.value && setKeys([...keys, e.currentTarget.value])}>
              <option value="">a key of recipes …</option>
              {(recipes.data?.keys ?? []).filter((key) => !keys.includes(key)).map((key) => <option key={key}>{key}</option>)}
            </select>
          </label>
        )}
        {keys.map((key) => <span class="tag mono" key={key}>{key} <button type="button" class="small" aria-label={'without the column ' + key} onClick={() => setKeys(keys.filter((k) => k !== key))}>×</button></span>)}
        {!exported && <button type="button" disabled={chosen.length < 1 || chosen.length > mostCompared} onClick={compare} title="c">compare {chosen.length > 0 && chosen.length}</button>}
        {chosen.length > mostCompared && <span class="wrong">at most {mostCompared} can be compared</span>}
        <span class="dim" role="status">{shown.length} of {runs.length}</span>
      </div>
      {shown.length === 0 && <p>No run matches.</p>}
      <VirtualTable
        label="runs"
        rows={lines}
        rowHeight={34}
        columns={columns(chosen, (run) => choose([run]), session.read_only ? null : update, places, keys, recipes.data)}
        sorting={sorting}
        onSort={sort}
        href={(r) => ('group' in r ? toCompare(r.group.map((one) => one.id)) : link(['runs', r.id]))}
        keyOf={(r) => r.id}
        chosen={(r) => runsOf(r).every((one) => chosen.includes(one.id))}
        onChoose={(r) => choose(runsOf(r))}
        heads={(r) => 'group' in r && <Heading of={r.group} chosen={chosen} choose={choose} />}
      />
    </>
  )
}

// A value of a recipe sorts as a number where it is one.
const numeric = (text: string | undefined): Value => (text === undefined ? null : text !== '' && Number.isFinite(Number(text)) ? Number(text) : text)

function columns(chosen: string[], choose: (run: RunRow) => void, update: ((run: RunRow) => void) | null, places: Map<string, string> | null, keys: string[], recipes: RecipeKeys | null): Column<Line>[] {
  const of: Column<RunRow>[] = [
    { head: <span class="dim">✓</span>, about: 'choose runs to compare (x)', cell: (r) => <input type="checkbox" aria-label={'choose ' + r.name} checked={chosen.includes(r.id)} onChange={() => choose(r)} /> },
    { head: 'run', by: 'id', class: 'run', cell: (r) => <a href={link(['runs', r.id])}><Short text={r.id} limit={60} /></a> },
    { head: 'score', by: 'score', about: 'of the trained team on held-out problems, with its 95 % interval; ranked among runs of one task and measure', cell: (r) => (r.score === null ? <span class="dim">–</span> : <Score run={r} place={places?.get(r.id)} />) },
    { head: 'gain', by: 'gain', about: 'score after training less score before', class: 'num', cell: (r) => <Signed x={r.gain} ci={r.gain_ci95 ?? null} /> },
    { head: 'state', by: 'state', cell: (r) => <StateOf state={r.state} problem={r.problem} /> },
    ...keys.map((key): Column<RunRow> => ({ head: <span class="mono">{key}</span>, by: key, cell: (r) => <Short text={recipes?.values[r.id]?.[key] ?? ''} limit={40} /> })),
    { head: 'reward', by: 'reward', about: 'mean reward over the updates', class: 'wide', cell: (r) => <Spark values={r.spark} /> },
    { head: 'updates', by: 'updates', class: 'num', cell: (r) => <span class="n">{r.updates}<span class="dim">{planned(r)}{r.runs ? ` in ${plural(r.runs, 'run')}` : ''}</span></span> },
    { head: 'tags and note', cell: (r) => <NoteOf run={r} update={update} /> },
    { head: 'team', about: 'dots are agents, lines: who sees whose words', class: 'wide', cell: (r) => <TeamPicture agents={r.agents} edges={r.team ?? []} /> },
    { head: 'algorithm', by: 'algorithm', cell: (r) => <Short text={r.algorithm} /> },
    { head: 'model', by: 'model', class: 'wide', cell: (r) => <Short text={r.model} limit={40} /> },
    { head: 'task', by: 'task', class: 'wide', cell: (r) => <Short text={r.task} limit={30} /> },
    { head: 'seed', by: 'seed', class: 'num wide', cell: (r) => <span class="n">{r.seed}</span> },
    { head: 'started (UTC)', by: 'created', class: 'wide', cell: (r) => <span class="n">{when(r.created)}</span> },
  ]
  return of.map((c) => ({ ...c, cell: (line) => ('group' in line ? null : c.cell(line)) }))
}

const Score = ({ run, place }: { run: RunRow; place: string | undefined }) => (
  <span class="n"><b>{score(run.score)}</b> <span class="dim wide">{interval(run.ci95)}</span> <span class="dim wide">{run.metric}</span>{place && <span class="dim"> · {place}</span>}</span>
)

export const Tags = ({ tags }: { tags: string[] }) => <>{tags.map((tag) => <span class="tag" key={tag}>#<Short text={tag} limit={30} /></span>)}</>

// NoteOf shows tags and note of a run, and lets them be written: "#good #slow the rest is the note".
export function NoteOf({ run, update }: { run: RunRow; update: ((run: RunRow) => void) | null }) {
  const [text, setText] = useState<string | null>(null)
  const [why, setWhy] = useState('')
  const words = [...run.tags.map((t) => '#' + t), run.note].filter(Boolean).join(' ')
  const save = async () => {
    const tags = [...new Set([...text!.matchAll(/(?:^|\s)#(\S+)/g)].map((m) => m[1]!))]
    try {
      update!(await send<RunRow>('PUT', ofRun(run.id, '/note'), { tags, note: text!.replace(/(^|\s)#\S+/g, ' ').trim() }))
      setText(null)
    } catch (e) {
      setWhy(e instanceof Error ? e.message : String(e))
    }
  }
  if (text === null) {
    return (
      <>
        {update && <button type="button" class="small" aria-label={'tags and note of ' + run.name} onClick={() => setText(words)}>✎</button>}{' '}
        <Tags tags={run.tags} /> <Short text={run.note} limit={60} />
      </>
    )
  }
  return (
    <form onSubmit={(e) => (e.preventDefault(), void save())}>
      <input aria-label="tags begin with #" value={text} onInput={(e) => setText(e.currentTarget.value)} onBlur={() => why === '' && setText(null)} autofocus ref={(e) => e?.focus()} onKeyDown={(e) => e.key === 'Escape' && setText(null)} /> <span class="wrong">{why}</span>
    </form>
  )
}
