// The same problem through training: its dialogues side by side, differences marked.
import { useEffect, useState } from 'preact/hooks'
import { asRefused, get, ofRun, useGet, type Refused } from '../api'
import { Difference } from '../diff'
import { num, percent } from '../format'
import { Signed, Trouble, Verdict, Wait, useDebounced } from '../parts'
import { link } from '../route'
import { Said, Short } from '../text'
import type { Line, ProblemPage, ProblemRow, Through } from '../types'

export function ProblemsTab({ id, problem }: { id: string; problem: string | undefined }) {
  return problem === undefined ? <List id={id} /> : <One id={id} problem={problem} />
}

function List({ id }: { id: string }) {
  const [text, setText] = useState('')
  const q = useDebounced(text, 300)
  const [pages, setPages] = useState<{ q: string; rows: ProblemRow[]; next: string | null; busy: boolean; error: Refused | null }>({ q, rows: [], next: '', busy: true, error: null })
  const read = async (cursor: string, rows: ProblemRow[]) => {
    try {
      const page = await get<ProblemPage>(ofRun(id, '/problems'), { q, cursor, limit: 100 })
      const all = [...rows, ...page.problems]
      setPages({ q, rows: all, next: page.next, busy: false, error: null })
    } catch (e) {
      setPages({ q, rows, next: null, busy: false, error: asRefused(e) })
    }
  }
  useEffect(() => void read('', []), [q])
  return (
    <>
      <div class="tools">
        <input type="search" placeholder="text in the question" aria-label="text in the question" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <span class="dim">problems of training, and when they were played</span>
      </div>
      {pages.error && <Trouble error={pages.error} />}
      {pages.rows.length === 0 && !pages.busy && pages.next === null && <p>No problem has this.</p>}
      <table>
        <thead><tr><th>problem</th><th>played</th><th>return then</th></tr></thead>
        <tbody>
          {pages.rows.map((p) => (
            <tr key={p.problem}>
              <td class="text"><a href={link(['runs', id, 'problems', p.problem])}><Short text={p.question || p.problem} limit={100} /></a></td>
              <td class="n">{p.times.map((t) => t.update).slice(-12).join(', ')}</td>
              <td class="n">{p.times.slice(-12).map((t) => num(t.reward)).join(' → ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {pages.next && <button type="button" onClick={() => (setPages({ ...pages, busy: true }), void read(pages.next!, pages.rows))} disabled={pages.busy}>more</button>}
    </>
  )
}

function One({ id, problem }: { id: string; problem: string }) {
  const through = useGet<Through>(ofRun(id, '/problem'), { id: problem })
  return (
    <Wait of={through}>
      {(data) => (
        <>
          <div class="panel"><Said text={data.problem.question} limit={1500} />{data.problem.truth && <p>truth: <b><Short text={data.problem.truth} limit={300} /></b></p>}</div>
          <p class="dim"><ins>underlined</ins>: not in the dialogue before; <del>struck out</del>: no longer there. The first episode of each update is shown.</p>
          <div class="scroll" tabIndex={0} role="region" aria-label="the problem through training">
            <div class="through">
              {data.episodes.map((e, i) => (
                <article class="panel" key={`${e.update}/${e.index}`}>
                  <h3><a href={link(['runs', id, 'episodes', e.update, e.index])}>update {e.update}</a> <span class="dim">return {num(e.reward)}{e.correct !== null && `, ${percent(e.correct)} right`}</span></h3>
                  <Dialogue lines={e.lines} before={data.episodes[i - 1]?.lines} />
                </article>
              ))}
            </div>
          </div>
          {data.episodes.length < 2 && <p class="dim">It was played once so far: there is nothing to compare it with.</p>}
        </>
      )}
    </Wait>
  )
}

// Dialogue shows lines; with what was said before at the same place, the differences.
export function Dialogue({ lines, before, numbers = true }: { lines: Line[]; before?: Line[] | undefined; numbers?: boolean }) {
  const seen = new Map<string, number>()
  const named = (line: Line) => `${line.turn}:${line.agent}`
  return (
    <>
      {lines.map((line, i) => {
        const nth = seen.get(named(line)) ?? 0
        seen.set(named(line), nth + 1)
        const old = before?.filter((l) => named(l) === named(line))[nth]
        return (
          <div class="message" key={i}>
            <b><Short text={line.name} /></b> <span class="dim">turn {line.turn + 1}</span> <Verdict correct={line.correct} />{' '}
            {numbers && line.reward !== null && <span class="dim">return {num(line.reward)}</span>} {numbers && line.advantage !== undefined && <span><span class="dim">advantage</span> <Signed x={line.advantage} /></span>}
            {before ? <Difference before={old?.text ?? ''} after={line.text} /> : <Said text={line.text} limit={3000} />}
          </div>
        )
      })}
    </>
  )
}
