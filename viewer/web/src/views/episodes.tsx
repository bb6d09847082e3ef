// The episodes of a run: filters, distributions that one can brush, and a list of any length.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { asRefused, exported, get, ofRun, useGet, type Query, type Refused } from '../api'
import { num, percent } from '../format'
import { Flag, N, Signed, Trouble, useDebounced } from '../parts'
import { link, setQuery } from '../route'
import { Short } from '../text'
import { nameOf, type Distribution, type Distributions, type EpisodePage, type EpisodeRow, type RunRow } from '../types'
import { VirtualTable, type Column } from '../virtual'
import { NoEpisodes } from './none'

const ranges = ['reward', 'advantage', 'score', 'tokens'] as const
const filters = ['from', 'to', 'problem', 'agent', ...ranges.flatMap((r) => [r + '_min', r + '_max']), 'moved', 'flag', 'truncated', 'failed', 'q']

const chosen = (query: URLSearchParams): Query => Object.fromEntries(filters.map((key) => [key, query.get(key) ?? undefined]))

export function EpisodesTab({ run, query }: { run: RunRow; query: URLSearchParams }) {
  const { id, updates } = run
  const filter = useDebounced(JSON.stringify(chosen(query)), 200)
  const list = useEpisodes(id, filter)
  const spread = useGet<Distributions>(ofRun(id, '/distributions'), JSON.parse(filter) as Query, true)
  const newer = list.newest !== null && updates > list.newest && !query.get('to') ? updates - list.newest : 0
  const filtered = Object.values(chosen(query)).some(Boolean)
  const none = list.done && list.rows.length === 0 && !filtered && !list.loading && !list.error && list.damaged.length === 0
  useEffect(() => void (none && list.again()), [updates])
  if (none) return <NoEpisodes run={run} />
  return (
    <>
      <Filters query={query} list={list} />
      {spread.data && (
        <>
          <div class="dists">{spread.data.fields.filter((f) => f.total > 0 && (!exported || ofRows.includes(f.name))).map((f) => <Brush key={f.name} field={f} query={query} />)}</div>
          <p class="dim">Distributions of {spread.data.from === spread.data.to ? `update ${spread.data.to}` : `updates ${spread.data.from} to ${spread.data.to}`}: drag over one to filter, or type bounds.</p>
        </>
      )}
      <p class="tools" role="status">
        <span>{list.rows.length.toLocaleString('en')} {list.done ? '' : 'or more '}episodes</span>
        {list.loading && <span class="dim">looking{list.scanned && ` at update ${list.scanned}`} …</span>}
        {newer > 0 && <button type="button" onClick={list.again}>{newer} newer {newer === 1 ? 'update' : 'updates'}: show</button>}
        {filtered && <button type="button" onClick={() => setQuery(Object.fromEntries(filters.map((key) => [key, undefined])))}>clear filters</button>}
      </p>
      {list.damaged.slice(0, 5).map((why) => <p class="trouble" key={why}><Short text={why} limit={400} /></p>)}
      {list.error && <Trouble error={list.error} again={list.again} />}
      {list.done && !list.loading && !list.error && list.rows.length === 0 && <p>No episode matches.</p>}
      <VirtualTable label="episodes" rows={list.rows} columns={columns} href={(r) => link(['runs', id, 'episodes', r.update, r.index])} keyOf={(r) => r.update + '/' + r.index} onEnd={list.more} />
    </>
  )
}

const columns: Column<EpisodeRow>[] = [
  { head: 'update', width: 66, class: 'num', cell: (r) => <N x={r.update} /> },
  { head: 'no.', about: 'its number in the update, from 0, as run episode takes it', width: 50, class: 'num', cell: (r) => <N x={r.index} /> },
  { head: 'question', class: 'text', cell: (r) => <Short text={r.question} limit={90} /> },
  { head: 'return', width: 76, about: 'what answers are trained on, the mean over completions', class: 'num', cell: (r) => <N x={r.reward} /> },
  { head: 'advantage', width: 150, about: 'lowest and highest', cell: (r) => <span><Signed x={r.advantage_min} /> <span class="dim">to</span> <Signed x={r.advantage_max} /></span> },
  { head: 'right', width: 66, about: 'share of right answers of the last turn', class: 'num', cell: (r) => <span class="n">{percent(r.correct)}</span> },
  { head: 'moved', width: 80, class: 'wide', cell: (r) => <>{r.right_wrong && <span class="wrong">✓→✗ </span>}{r.wrong_right && <span class="right">✗→✓</span>}</> },
  { head: 'noted', width: 170, cell: (r) => <>{r.damaged && <span class="wrong" title={r.damaged}>damaged </span>}{r.failed && <span class="wrong">failed </span>}{r.flags.slice(0, 2).map((f) => <Flag key={f} name={f} />)} {r.truncated > 0 && <span class="flag">✂ {r.truncated}</span>}</> },
  { head: 'turns', width: 60, class: 'num wide', cell: (r) => <N x={r.turns} /> },
  { head: 'completions', width: 106, class: 'num wide', cell: (r) => <N x={r.completions} /> },
  { head: 'tokens', width: 76, class: 'num wide', cell: (r) => <N x={r.tokens} /> },
]

interface List {
  rows: EpisodeRow[]
  done: boolean
  loading: boolean
  error: Refused | null
  scanned: number | null
  newest: number | null
  agents: string[]
  flags: string[]
  damaged: string[]
  more: () => void
  again: () => void
}

// useEpisodes reads page after page: as many as the list shows, and on and on where matches are rare.
function useEpisodes(id: string, filter: string): List {
  const [turn, setTurn] = useState(0)
  const key = id + filter + turn
  const blank = { key, rows: [] as EpisodeRow[], next: '' as string | null, loading: false, error: null as Refused | null, page: null as EpisodePage | null, newest: null as number | null }
  const [state, set] = useState(blank)
  const now = state.key === key ? state : blank
  const busy = useRef('')
  const wanted = useRef(100)
  const current = useRef(key)
  current.current = key

  const read = useCallback(async (from: string | null, rows: EpisodeRow[], newest: number | null) => {
    if (from === null || busy.current === key) return
    busy.current = key
    set((old) => ({ ...(old.key === key ? old : blank), key, loading: true }))
    try {
      const query = JSON.parse(filter) as Query
      const page = await get<EpisodePage>(ofRun(id, '/episodes'), exported ? {} : { ...query, limit: from === '' ? 100 : 500, cursor: from })
      if (current.current !== key) return
      const found = exported ? page.episodes.filter((row) => passes(row, query)) : page.episodes
      const all = found.length > 0 ? [...rows, ...found] : rows
      const last = newest ?? page.updates?.to ?? null
      busy.current = ''
      const on = page.next !== null && all.length < wanted.current
      set({ key, rows: all, next: page.next, loading: on, error: null, page, newest: last })
      if (on) void read(page.next, all, last)
    } catch (e) {
      busy.current = ''
      if (current.current === key) set((old) => ({ ...old, key, loading: false, error: asRefused(e) }))
    }
  }, [key])
  useEffect(() => {
    wanted.current = 100
    void read('', [], null)
    return () => void (busy.current = '')
  }, [key])
  const more = () => {
    wanted.current = now.rows.length + 300
    if (!now.loading && !now.error && now.next) void read(now.next, now.rows, now.newest)
  }
  return {
    rows: now.rows, done: now.next === null, loading: now.loading, error: now.error, scanned: now.page?.scanned?.from ?? null, newest: now.newest,
    agents: now.page?.agents ?? [], flags: now.page?.flags ?? [], damaged: now.page?.damaged ?? [], more, again: () => setTurn((n) => n + 1),
  }
}

// What a row of an exported file has bounds of. It has no single agents, scores or lengths: only a server can filter by these.
const ofRows = ['reward', 'advantage']

// passes filters the rows of an exported file.
function passes(row: EpisodeRow, query: Query): boolean {
  const number = (key: string) => (query[key] === undefined ? null : Number(query[key]))
  const within = (low: number | null, high: number | null, name: string) => {
    const [min, max] = [number(name + '_min'), number(name + '_max')]
    return (min === null || (high !== null && high >= min)) && (max === null || (low !== null && low <= max))
  }
  const [from, to] = [number('from'), number('to')]
  return (
    (from === null || row.update >= from) && (to === null || row.update <= to) && within(row.reward_min, row.reward_max, 'reward') && within(row.advantage_min, row.advantage_max, 'advantage') &&
    (!query.problem || row.problem === query.problem) && (query.moved !== 'right-wrong' || row.right_wrong) && (query.moved !== 'wrong-right' || row.wrong_right) &&
    (!query.flag || (query.flag === 'any' ? row.flags.length > 0 : row.flags.includes(String(query.flag)))) && (!query.truncated || row.truncated > 0) && (!query.failed || row.failed !== '') &&
    (!query.q || row.question.toLowerCase().includes(String(query.q).toLowerCase()))
  )
}

function Filters({ query, list }: { query: URLSearchParams; list: List }) {
  const [text, setText] = useState(query.get('q') ?? '')
  const late = useDebounced(text, 300)
  useEffect(() => {
    if (late !== (query.get('q') ?? '')) setQuery({ q: late })
  }, [late])
  const value = (key: string) => query.get(key) ?? ''
  const bound = (key: string, label: string) => (
    <input type="number" step="any" aria-label={label} placeholder={label} value={value(key)} onChange={(e) => setQuery({ [key]: e.currentTarget.value })} />
  )
  const choice = (key: string, label: string, options: [string, string][]) => (
    <label>{label}<select value={value(key)} onChange={(e) => setQuery({ [key]: e.currentTarget.value })}>{options.map(([v, name]) => <option key={v} value={v}>{name}</option>)}</select></label>
  )
  const box = (key: string, label: string) => <label><input type="checkbox" checked={value(key) !== ''} onChange={(e) => setQuery({ [key]: e.currentTarget.checked ? '1' : '' })} />{label}</label>
  const searched = exported ? 'text in the question' : 'text in question or answers'
  return (
    <div class="tools" role="search" aria-label="filter episodes">
      <input type="search" placeholder={searched} aria-label={searched} value={text} onInput={(e) => setText(e.currentTarget.value)} />
      <span>{bound('from', 'from update')} {bound('to', 'to update')}</span>
      {!exported && choice('agent', 'agent', [['', 'any'], ...list.agents.map((name, i): [string, string] => [String(i), name])])}
      {choice('moved', 'moved', [['', 'any'], ['right-wrong', 'right → wrong'], ['wrong-right', 'wrong → right']])}
      {choice('flag', 'flag', [['', 'any or none'], ['any', 'flagged'], ...list.flags.map((f): [string, string] => [f, f])])}
      {box('truncated', 'truncated')}
      {box('failed', 'failed')}
      {value('problem') && <span>problem <Short text={value('problem')} limit={40} /> <button type="button" class="small" aria-label="all problems" onClick={() => setQuery({ problem: '' })}>×</button></span>}
    </div>
  )
}

// Brush is a histogram: dragging over it sets the bounds of the filter.
function Brush({ field, query }: { field: Distribution; query: URLSearchParams }) {
  const [drag, setDrag] = useState<[number, number] | null>(null)
  const svg = useRef<SVGSVGElement>(null)
  const { edges, counts } = field
  const name = nameOf(field.name)
  const [low, high] = [edges[0]!, edges.at(-1)!]
  const span = high - low || 1
  const most = Math.max(...counts, 1)
  const bounds = useMemo((): [number, number] => [Number(query.get(field.name + '_min') || low), Number(query.get(field.name + '_max') || high)], [query, low, high])
  const filtered = query.get(field.name + '_min') || query.get(field.name + '_max')
  const at = (e: PointerEvent) => {
    const box = svg.current!.getBoundingClientRect()
    return low + span * Math.max(0, Math.min(1, (e.clientX - box.left) / box.width))
  }
  const done = () => {
    if (!drag) return
    const [a, b] = drag[0] < drag[1] ? drag : [drag[1], drag[0]]
    setDrag(null)
    // An end that was dragged to is no bound: what lies there is meant, too.
    const digits = Math.max(0, Math.min(20, 3 - Math.floor(Math.log10(span))))
    const bound = (value: number, end: number) => (b - a < span / 100 || value === end ? '' : Number(value.toFixed(digits)))
    setQuery({ [field.name + '_min']: bound(a, low), [field.name + '_max']: bound(b, high) })
  }
  const shown = drag ? [Math.min(...drag), Math.max(...drag)] : bounds
  const x = (value: number) => (100 * (value - low)) / span
  return (
    <div class="dist">
      <div class="head"><b title={field.about}>{name}</b><span class="dim n">{num(low)} to {num(high)}</span></div>
      <svg
        ref={svg} viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label={`${name}: ${field.total} values from ${num(low)} to ${num(high)}`}
        onPointerDown={(e) => (svg.current!.setPointerCapture(e.pointerId), setDrag([at(e), at(e)]))} onPointerMove={(e) => drag && setDrag([drag[0], at(e)])} onPointerUp={done} onPointerCancel={() => setDrag(null)}
      >
        {counts.map((n, i) => {
          const inside = edges[i + 1]! >= shown[0]! && edges[i]! <= shown[1]!
          const height = n === 0 ? 0 : Math.max(1, (38 * n) / most)
          return <rect key={i} class={inside ? 'bar in' : 'bar'} x={x(edges[i]!) + 0.2} width={Math.max(0.3, x(edges[i + 1]!) - x(edges[i]!) - 0.4)} y={40 - height} height={height}><title>{num(edges[i])} to {num(edges[i + 1])}: {n}</title></rect>
        })}
        {(drag || filtered) && <rect class="brush" x={x(shown[0]!)} width={Math.max(0, x(shown[1]!) - x(shown[0]!))} y="0" height="40" />}
      </svg>
      <div class="tools">
        {(['_min', '_max'] as const).map((end) => (
          <input key={end} type="number" step="any" class="small" aria-label={`${name}, ${end === '_min' ? 'at least' : 'at most'}`} placeholder={end === '_min' ? 'at least' : 'at most'} value={query.get(field.name + end) ?? ''} onChange={(e) => setQuery({ [field.name + end]: e.currentTarget.value })} />
        ))}
      </div>
    </div>
  )
}
