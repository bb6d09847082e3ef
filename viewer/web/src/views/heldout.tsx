// Held-out problems: what every system of the report answered to each, what training changed, and both dialogues side by side.
import { useMemo, useState } from 'preact/hooks'
import { ofRun, useGet } from '../api'
import { num, score } from '../format'
import { useKeys } from '../keys'
import { Scroll, Signed, Wait } from '../parts'
import { go, link, setQuery } from '../route'
import { Said, Short } from '../text'
import type { HeldOut, HeldOutAnswer, HeldOutDialogues, HeldOutProblem, RunRow } from '../types'
import { VirtualTable, type Column } from '../virtual'
import { Dialogue } from './problems'
import { Asked } from './question'

const untrained = 'off-the-shelf'

export function HeldOutTab({ run, problem, query }: { run: RunRow; problem: string | undefined; query: URLSearchParams }) {
  const all = useGet<HeldOut>(ofRun(run.id, '/answers'))
  return (
    <Wait of={all}>
      {(data) => (data.none ? <p class="dim">{data.none[0]!.toUpperCase() + data.none.slice(1)}.</p> : (
        <>
          {(data.damaged ?? []).map((what) => <p class="trouble" key={what}>Left out, as it is damaged: <Short text={what} limit={300} /></p>)}
          {problem === undefined ? <List id={run.id} data={data} query={query} /> : <One id={run.id} data={data} problem={Number(problem)} query={query} />}
        </>
      ))}
    </Wait>
  )
}

type Order = 'number' | 'lost' | 'gained'

const orders: Record<Order, string> = { number: 'number', lost: 'change: lost first', gained: 'change: gained first' }

// sorted puts problems without a change behind those that have one.
function sorted(problems: HeldOutProblem[], order: Order): HeldOutProblem[] {
  if (order === 'number') return problems
  const sign = order === 'lost' ? 1 : -1
  const by = (p: HeldOutProblem) => (p.change === null ? Infinity : sign * p.change)
  return problems.toSorted((a, b) => (by(a) === by(b) ? a.number - b.number : by(a) - by(b)))
}

const orderOf = (query: URLSearchParams): Order => (['lost', 'gained'] as const).find((one) => one === query.get('order')) ?? 'number'

// place is a problem among the others in the order that was chosen.
const place = (id: string, number: number, order: Order) => link(['runs', id, 'held-out', number], { order: order === 'number' ? undefined : order })

function List({ id, data, query }: { id: string; data: HeldOut; query: URLSearchParams }) {
  const order = orderOf(query)
  const [text, setText] = useState('')
  const rows = useMemo(() => sorted(data.problems, order).filter((p) => (p.question + ' ' + p.problem + ' ' + p.truth).toLowerCase().includes(text.toLowerCase())), [data, order, text])
  const columns: Column<HeldOutProblem>[] = [
    { head: 'no.', about: 'from 0, as run answers takes it', class: 'num', width: 50, cell: (p) => <span class="n">{p.number}</span> },
    { head: 'change', about: 'score of the trained team less that of the untrained one', class: 'num', width: 80, cell: (p) => (p.change === null ? <span class="dim">–</span> : <Signed x={p.change} />) },
    { head: 'problem', width: 260, cell: (p) => <a href={place(id, p.number, order)}><Short text={p.question || p.problem} limit={90} /></a> },
    { head: 'truth', width: 90, cell: (p) => <Short text={p.truth} limit={30} /> },
    ...data.systems.map((s): Column<HeldOutProblem> => ({
      head: <Short text={s.system} limit={30} />, about: `${s.system}, measured after update ${s.update}: the score, and what each agent answered last`, width: 150,
      cell: (p) => (s.system in p.scores ? <><b class="n">{score(p.scores[s.system])}</b> <span class="dim"><Short text={p.said[s.system] ?? ''} limit={30} /></span></> : <span class="dim">–</span>),
    })),
  ]
  return (
    <>
      <div class="tools">
        <input type="search" placeholder="text in the question" aria-label="text in the question" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <label>
          order
          <select value={order} onChange={(e) => setQuery({ order: e.currentTarget.value === 'number' ? undefined : e.currentTarget.value })}>
            {Object.entries(orders).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          </select>
        </label>
        <span class="dim" role="status">{rows.length} of {data.problems.length} held-out problems, {data.problems.filter((p) => (p.change ?? 0) > 0).length} better and {data.problems.filter((p) => (p.change ?? 0) < 0).length} worse after training</span>
      </div>
      <VirtualTable rows={rows} columns={columns} label="held-out problems" href={(p) => place(id, p.number, order)} keyOf={(p) => String(p.number)} />
    </>
  )
}

function One({ id, data, problem, query }: { id: string; data: HeldOut; problem: number; query: URLSearchParams }) {
  const order = orderOf(query)
  const row = data.problems.find((p) => p.number === problem)
  const list = useMemo(() => sorted(data.problems, order), [data, order])
  const at = list.findIndex((p) => p.number === problem)
  const near = (step: number) => list[at + step] && go(place(id, list[at + step]!.number, order))
  useKeys([{ key: 'n', what: 'next problem', do: () => near(1) }, { key: 'p', what: 'problem before', do: () => near(-1) }])
  const dialogues = useGet<HeldOutDialogues>(ofRun(id, '/answers/' + problem))
  const last = data.systems.some((s) => s.system === 'trained') ? 'trained' : (data.systems.at(-1)?.system ?? '')
  const [left, right] = [query.get('left') ?? untrained, query.get('right') ?? last]
  return (
    <>
      <div class="tools">
        <button type="button" title="p" disabled={at <= 0} onClick={() => near(-1)}>problem before</button>
        <button type="button" title="n" disabled={at < 0 || at === list.length - 1} onClick={() => near(1)}>next problem</button>
        <Choice name="left" value={left} of={data} />
        <Choice name="right" value={right} of={data} />
        {row?.change != null && <span>change <Signed x={row.change} /></span>}
      </div>
      <Wait of={dialogues}>
        {(d) => (
          <>
            <h2>Held-out problem {d.number}</h2>
            <Problem of={d} />
            <div class="two">
              {[left, right].map((system, i) => <Answer key={system + i} of={d.answers.find((a) => a.system === system)} system={system} />)}
            </div>
          </>
        )}
      </Wait>
      {row?.panel && <Through id={id} problem={problem} />}
    </>
  )
}

function Choice({ name, value, of }: { name: string; value: string; of: HeldOut }) {
  return (
    <label>
      {name}
      <select value={value} onChange={(e) => setQuery({ [name]: e.currentTarget.value })}>{of.systems.map((s) => <option key={s.system}>{s.system}</option>)}</select>
    </label>
  )
}

export const Problem = ({ of }: { of: HeldOutDialogues }) => (
  <div class="panel">
    {(of.damaged ?? []).map((what) => <p class="trouble" key={what}>Left out, as it is damaged: <Short text={what} limit={300} /></p>)}
    <Asked question={of.question} of={of} />
    {of.truth && <p>truth: <b><Short text={of.truth} limit={300} /></b></p>}
  </div>
)

// Answer is the dialogue of one system, with its score.
export function Answer({ of, system, title }: { of: HeldOutAnswer | undefined; system: string; title?: string }) {
  if (!of) return <section><h2><Short text={title ?? system} /></h2><p class="dim">It has no answer to this problem.</p></section>
  return (
    <section aria-label={title ?? system}>
      <h2><Short text={title ?? system} /> <b class="n">{score(of.score)}</b></h2>
      <p class="dim">measured after update {of.update}, {num(of.generated)} generated tokens{of.failed && <>, failed: <Short text={of.failed} limit={300} /></>}</p>
      <Dialogue lines={of.lines} numbers={false} />
      {(of.program ?? []).map((text, i) => <div class="message" key={i}>the program answered <Said text={text} limit={3000} /></div>)}
    </section>
  )
}

// Through is the problem at every time that the panel measured, with what changed.
function Through({ id, problem }: { id: string; problem: number }) {
  const times = useGet<HeldOutDialogues>(ofRun(id, '/answers/' + problem), { system: 'panel' })
  return (
    <section>
      <h2>This problem through training</h2>
      <Wait of={times}>
        {(d) => (
          <>
            <p class="dim"><ins>underlined</ins>: not in the dialogue before; <del>struck out</del>: no longer there.</p>
            <Scroll label="the problem through training">
              <div class="through">
                {d.answers.map((a, i) => (
                  <article class="panel" key={a.update}>
                    <h3>{a.system === untrained ? 'untrained' : `update ${a.update}`} <b class="n">{score(a.score)}</b></h3>
                    <Dialogue lines={a.lines} before={d.answers[i - 1]?.lines} numbers={false} />
                  </article>
                ))}
              </div>
            </Scroll>
          </>
        )}
      </Wait>
    </section>
  )
}
