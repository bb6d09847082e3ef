// All runs of the folder.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { exported, send, useEvents, useGet, ofRun } from '../api'
import { interval, planned, plural, score, when } from '../format'
import { useKeys } from '../keys'
import { useSession } from '../page'
import { Signed, StateOf, TeamPicture, Wait } from '../parts'
import { Spark } from '../plot'
import { go, link } from '../route'
import { Short } from '../text'
import type { RunRow, State } from '../types'
import { VirtualTable, type Column } from '../virtual'

type Order = 'created' | 'name' | 'score' | 'gain'

const matches = (run: RunRow, words: string[]) => {
  const text = [run.id, run.name, run.recipe, run.task, run.algorithm, run.model, run.note, run.state, ...run.tags.map((t) => '#' + t), ...run.agents].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

function sorted(runs: RunRow[], order: Order): RunRow[] {
  const by = { created: (r: RunRow) => r.created, name: (r: RunRow) => r.name, score: (r: RunRow) => r.score, gain: (r: RunRow) => r.gain }[order]
  const down = order === 'name' ? 1 : -1
  return runs.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)]
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return x < y ? -down : x > y ? down : 0
  })
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
  const [order, setOrder] = useState<Order>('created')
  const [chosen, setChosen] = useState<string[]>([])
  const shown = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    return sorted(runs.filter((r) => (state === '' || r.state === state) && matches(r, words)), order)
  }, [runs, search, state, order])
  const choose = useCallback((run: RunRow) => setChosen((old) => (old.includes(run.id) ? old.filter((id) => id !== run.id) : [...old, run.id])), [])
  const compare = () => chosen.length > 0 && go('#/compare?' + chosen.map((id) => 'run=' + encodeURIComponent(id)).join('&'))
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
        <label>
          order
          <select value={order} onChange={(e) => setOrder(e.currentTarget.value as Order)}>
            <option value="created">newest</option>
            <option value="name">name</option>
            <option value="score">score</option>
            <option value="gain">gain</option>
          </select>
        </label>
        {!exported && <button type="button" disabled={chosen.length < 1} onClick={compare} title="c">compare {chosen.length > 0 && chosen.length}</button>}
        <span class="dim" role="status">{shown.length} of {runs.length}</span>
      </div>
      {shown.length === 0 && <p>No run matches.</p>}
      <VirtualTable
        label="runs"
        rows={shown}
        rowHeight={34}
        columns={columns(chosen, choose, session.read_only ? null : update)}
        href={(r) => link(['runs', r.id])}
        keyOf={(r) => r.id}
        chosen={(r) => chosen.includes(r.id)}
        onChoose={choose}
      />
    </>
  )
}

function columns(chosen: string[], choose: (run: RunRow) => void, update: ((run: RunRow) => void) | null): Column<RunRow>[] {
  return [
    { head: <span class="dim">✓</span>, about: 'choose runs to compare (x)', cell: (r) => <input type="checkbox" aria-label={'choose ' + r.name} checked={chosen.includes(r.id)} onChange={() => choose(r)} /> },
    { head: 'run', cell: (r) => <a href={link(['runs', r.id])}><Short text={r.id} limit={60} /></a> },
    { head: 'state', cell: (r) => <StateOf state={r.state} problem={r.problem} /> },
    { head: 'score', about: 'of the trained team on held-out problems, with its 95 % interval', cell: (r) => (r.score === null ? <span class="dim">–</span> : <span class="n"><b>{score(r.score)}</b> <span class="dim">{interval(r.ci95)}</span> <span class="wide dim">{r.metric}</span></span>) },
    { head: 'gain', about: 'score after training less score before', class: 'num', cell: (r) => <Signed x={r.gain} ci={r.gain_ci95 ?? null} /> },
    { head: 'reward', about: 'mean reward over the updates', class: 'wide', cell: (r) => <Spark values={r.spark} /> },
    { head: 'updates', class: 'num', cell: (r) => <span class="n">{r.updates}<span class="dim">{planned(r)}{r.runs ? ` in ${plural(r.runs, 'run')}` : ''}</span></span> },
    { head: 'tags and note', cell: (r) => <NoteOf run={r} update={update} /> },
    { head: 'team', about: 'dots are agents, lines: who sees whose words', class: 'wide', cell: (r) => <TeamPicture agents={r.agents} edges={r.team ?? []} /> },
    { head: 'algorithm', cell: (r) => <Short text={r.algorithm} /> },
    { head: 'model', class: 'wide', cell: (r) => <Short text={r.model} limit={40} /> },
    { head: 'task', class: 'wide', cell: (r) => <Short text={r.task} limit={30} /> },
    { head: 'seed', class: 'num wide', cell: (r) => <span class="n">{r.seed}</span> },
    { head: 'started (UTC)', class: 'wide', cell: (r) => <span class="n">{when(r.created)}</span> },
  ]
}

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
