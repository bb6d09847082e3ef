// The same problem through training: its dialogues side by side, differences marked.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { asRefused, get, ofRun, type Refused } from '../api'
import { Difference } from '../diff'
import { num, percent } from '../format'
import { Signed, Trouble, Verdict, useDebounced } from '../parts'
import { link } from '../route'
import { Said, Short } from '../text'
import type { ProblemPage, ProblemRow, RunRow, Spoken, Through } from '../types'
import { NoEpisodes } from './none'
import { Asked } from './question'

export function ProblemsTab({ run, problem }: { run: RunRow; problem: string | undefined }) {
  return problem === undefined ? <List run={run} /> : <One key={problem} id={run.id} problem={problem} />
}

// joined puts the times of a page to those of the same problems before it.
function joined(rows: ProblemRow[], page: ProblemRow[]): ProblemRow[] {
  const all = new Map(rows.map((p) => [p.problem, p]))
  for (const p of page) all.set(p.problem, { ...p, times: [...(all.get(p.problem)?.times ?? []), ...p.times] })
  return [...all.values()]
}

// newest are the last times, in their order; pages begin with the newest.
const newest = (p: ProblemRow) => p.times.slice(0, 12).toReversed()

function List({ run }: { run: RunRow }) {
  const { id } = run
  const [text, setText] = useState('')
  const q = useDebounced(text, 300)
  const [pages, setPages] = useState<{ q: string; rows: ProblemRow[]; next: string | null; damaged: string[]; busy: boolean; error: Refused | null }>({ q, rows: [], next: '', damaged: [], busy: true, error: null })
  const read = async (cursor: string, rows: ProblemRow[]) => {
    try {
      const page = await get<ProblemPage>(ofRun(id, '/problems'), { q, cursor, limit: 100 })
      setPages({ q, rows: joined(rows, page.problems), next: page.next, damaged: page.damaged, busy: false, error: null })
    } catch (e) {
      setPages({ q, rows, next: null, damaged: [], busy: false, error: asRefused(e) })
    }
  }
  useEffect(() => void read('', []), [q])
  const none = pages.rows.length === 0 && !pages.busy && pages.next === null
  if (none && pages.q === '' && !pages.error && pages.damaged.length === 0) return <NoEpisodes run={run} />
  return (
    <>
      <div class="tools">
        <input type="search" placeholder="text in the question" aria-label="text in the question" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <span class="dim">problems of training, and when they were played</span>
      </div>
      {pages.error && <Trouble error={pages.error} />}
      {pages.damaged.slice(0, 5).map((why) => <p class="trouble" key={why}><Short text={why} limit={400} /></p>)}
      {none && <p>No problem has this.</p>}
      <table>
        <thead><tr><th>problem</th><th>played</th><th>return then</th></tr></thead>
        <tbody>
          {pages.rows.map((p) => (
            <tr key={p.problem}>
              <td class="text"><a href={link(['runs', id, 'problems', p.problem])}><Short text={p.question || p.problem} limit={100} /></a></td>
              <td class="n">{newest(p).map((t) => t.update).join(', ')}</td>
              <td class="n">{newest(p).map((t) => num(t.reward)).join(' → ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {pages.next && <button type="button" onClick={() => (setPages({ ...pages, busy: true }), void read(pages.next!, pages.rows))} disabled={pages.busy}>more</button>}
    </>
  )
}

const limit = 40

// useThrough reads the times that a problem was played, the newest first, and on and on where it was played rarely.
function useThrough(id: string, problem: string) {
  const [state, set] = useState<Omit<Through, 'scanned'> & { loading: boolean; at: number | null; error: Refused | null }>({ problem: null, episodes: [], next: '', damaged: [], loading: true, at: null, error: null })
  const shown = useRef(true)
  const read = async (before: typeof state) => {
    const wanted = before.episodes.length + limit / 2
    for (let now = { ...before, loading: true, error: null as Refused | null }; shown.current; ) {
      set(now)
      try {
        const page = await get<Through>(ofRun(id, '/problem'), { id: problem, limit, cursor: now.next ?? '' })
        now = { ...now, ...(now.problem ? {} : { problem: page.problem, view: page.view ?? '', view_trouble: page.view_trouble ?? '' }), episodes: [...now.episodes, ...page.episodes], next: page.next, damaged: [...new Set([...now.damaged, ...page.damaged])], loading: true, at: page.scanned?.from ?? null, error: null }
      } catch (e) {
        return set({ ...now, loading: false, error: asRefused(e) })
      }
      if (now.next === null || now.episodes.length >= wanted) return set({ ...now, loading: false })
    }
  }
  useEffect(() => {
    shown.current = true
    void read(state)
    return () => void (shown.current = false)
  }, [])
  return { ...state, more: () => void read(state) }
}

function One({ id, problem }: { id: string; problem: string }) {
  const through = useThrough(id, problem)
  const times = useMemo(() => through.episodes.toSorted((a, b) => a.update - b.update || a.index - b.index), [through.episodes])
  const before = (i: number) => times.slice(0, i).findLast((e) => !e.damaged)?.lines
  return (
    <>
      {through.error && <Trouble error={through.error} again={through.more} />}
      {through.problem && <div class="panel"><Asked question={through.problem.question} of={through} />{through.problem.truth && <p>truth: <b><Short text={through.problem.truth} limit={300} /></b></p>}</div>}
      {through.damaged.length > 0 && <p class="trouble">Not known of which problem: <Short text={through.damaged.slice(0, 5).join('; ')} limit={600} /></p>}
      {times.length > 0 && <p class="dim"><ins>underlined</ins>: not in the dialogue before; <del>struck out</del>: no longer there. Later updates stand further to the right.</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label="the problem through training">
        <div class="through">
          {times.map((e, i) => (
            <article class="panel" key={`${e.update}/${e.index}`}>
              <h3><a href={link(['runs', id, 'episodes', e.update, e.index])}>update {e.update}</a> <span class="dim">{e.damaged ? 'damaged' : `return ${num(e.reward)}${e.correct === null ? '' : `, ${percent(e.correct)} right`}`}</span></h3>
              {e.damaged ? <p class="trouble"><Short text={e.damaged} limit={400} /></p> : <Dialogue lines={e.lines} before={before(i)} />}
            </article>
          ))}
        </div>
      </div>
      {through.loading && <p class="dim" role="status">looking{through.at !== null && ` at update ${through.at}`} …</p>}
      {!through.loading && through.next && <button type="button" onClick={through.more}>earlier updates</button>}
      {!through.loading && !through.error && through.next === null && times.length < 2 && <p class="dim">{times.length === 0 ? 'No episode of this problem can be found.' : 'It was played once so far: there is nothing to compare it with.'}</p>}
    </>
  )
}

// Dialogue shows lines; with what was said before at the same place, the differences.
export function Dialogue({ lines, before, numbers = true }: { lines: Spoken[]; before?: Spoken[] | undefined; numbers?: boolean }) {
  const seen = new Map<string, number>()
  const named = (line: Spoken) => `${line.turn}:${line.agent}`
  return (
    <>
      {lines.map((line, i) => {
        const nth = seen.get(named(line)) ?? 0
        seen.set(named(line), nth + 1)
        const old = before?.filter((l) => named(l) === named(line))[nth]
        return (
          <div class="message" key={i}>
            <b><Short text={line.name} /></b> <span class="dim">turn {line.turn + 1}</span> <Verdict correct={line.correct} />{' '}
            {numbers && line.reward !== null && line.reward !== undefined && <span class="dim">return {num(line.reward)}</span>} {numbers && line.advantage !== undefined && <span><span class="dim">advantage</span> <Signed x={line.advantage} /></span>}
            {before ? <Difference before={old?.text ?? ''} after={line.text} /> : <Said text={line.text} limit={3000} />}
          </div>
        )
      })}
    </>
  )
}
