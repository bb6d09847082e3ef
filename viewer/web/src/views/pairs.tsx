// Two runs on the same held-out problems: where one is right and the other wrong, or one is better, with both dialogues side by side.
import { useMemo, useState } from 'preact/hooks'
import { ofRun, useGet } from '../api'
import { plural, score } from '../format'
import { Scroll, Signed, Wait } from '../parts'
import { Short } from '../text'
import type { Compare, HeldOut, HeldOutDialogues, HeldOutProblem } from '../types'
import { Answer, Problem } from './heldout'

interface Pair {
  a: HeldOutProblem
  b: HeldOutProblem
  difference: number
}

const systems = (of: HeldOut | null) => (of?.systems ?? []).map((s) => s.system)

// usual is the system that is compared where nothing else was chosen.
const usual = (of: HeldOut | null) => systems(of).find((s) => s === 'trained') ?? systems(of)[0] ?? ''

// together are the problems that both runs have and that their systems score differently, the greatest difference first.
function together(a: HeldOut, b: HeldOut, ofA: string, ofB: string): Pair[] {
  const name = (p: HeldOutProblem) => p.number + ' ' + p.problem + ' ' + p.question
  const known = new Map(b.problems.map((p) => [name(p), p]))
  return a.problems.flatMap((p): Pair[] => {
    const other = known.get(name(p))
    const [x, y] = [p.scores[ofA], other?.scores[ofB]]
    return other && x != null && y != null ? [{ a: p, b: other, difference: x - y }] : []
  })
}

// asRightOrWrong says that scores are answers that are right or wrong. A share of agents, a reward or a share of its range is only more or less.
const asRightOrWrong = (metrics: (string | undefined)[], pairs: Pair[], ofA: string, ofB: string) =>
  metrics.every((m) => m === 'accuracy') && pairs.every((p) => [p.a.scores[ofA], p.b.scores[ofB]].every((x) => x === 0 || x === 1))

export function Pairs({ runs }: { runs: Compare['runs'] }) {
  const [a, setA] = useState(runs[0]!.id)
  const [b, setB] = useState(runs[1]!.id)
  const [one, other] = [useGet<HeldOut>(ofRun(a, '/answers')), useGet<HeldOut>(ofRun(b, '/answers'))]
  const [of, setOf] = useState<[string, string]>(['', ''])
  const [way, setWay] = useState(1)
  const [open, setOpen] = useState<number | null>(null)
  const [ofA, ofB] = [of[0] || usual(one.data), of[1] || usual(other.data)]
  const pairs = useMemo(() => (one.data && other.data ? together(one.data, other.data, ofA, ofB) : []), [one.data, other.data, ofA, ofB])
  const shown = useMemo(() => pairs.filter((p) => way * p.difference > 0).sort((p, q) => way * (q.difference - p.difference)), [pairs, way])
  const [way1, way2] = asRightOrWrong([a, b].map((id) => runs.find((r) => r.id === id)?.metric), pairs, ofA, ofB) ? ['A right, B wrong', 'B right, A wrong'] : ['A better', 'B better']
  const choose = (label: string, run: string, set: (id: string) => void, data: HeldOut | null, system: string, setSystem: (s: string) => void) => (
    <span>
      <label>{label} <select aria-label={'run ' + label} value={run} onChange={(e) => (set(e.currentTarget.value), setOpen(null))}>{runs.map((r) => <option key={r.id}>{r.id}</option>)}</select></label>{' '}
      <select aria-label={'system of ' + label} value={system} onChange={(e) => (setSystem(e.currentTarget.value), setOpen(null))}>{systems(data).map((s) => <option key={s}>{s}</option>)}</select>
    </span>
  )
  return (
    <section>
      <h2>Problem by problem</h2>
      <div class="tools">
        {choose('A', a, setA, one.data, ofA, (s) => setOf([s, ofB]))}
        {choose('B', b, setB, other.data, ofB, (s) => setOf([ofA, s]))}
        <label>
          show
          <select value={way} onChange={(e) => (setWay(Number(e.currentTarget.value)), setOpen(null))}>
            <option value={1}>{way1}</option>
            <option value={-1}>{way2}</option>
          </select>
        </label>
      </div>
      <Wait of={one}>{(x) => (x.none ? <p class="dim"><Short text={a} />: {x.none}.</p> : null)}</Wait>
      <Wait of={other}>{(x) => (x.none && b !== a ? <p class="dim"><Short text={b} />: {x.none}.</p> : null)}</Wait>
      {one.data && other.data && !one.data.none && !other.data.none && (
        pairs.length === 0 ? <p>They share no held-out problem.</p> : (
          <>
            <p class="dim" role="status">{plural(shown.length, 'problem')} of {pairs.length} that both have</p>
            {shown.length > 0 && (
              <Scroll label={`problems of: ${way > 0 ? way1 : way2}`}>
                <table class="pairs">
                  <thead><tr><th>problem</th><th>truth</th><th class="num">difference</th><th title="score, and what each agent answered last">A</th><th title="score, and what each agent answered last">B</th></tr></thead>
                  <tbody>
                    {shown.slice(0, 500).map((p) => (
                      <tr key={p.a.number}>
                        <td class="text"><button type="button" class="plain" aria-expanded={open === p.a.number} onClick={() => setOpen(open === p.a.number ? null : p.a.number)}><Short text={p.a.question || p.a.problem} limit={90} /></button></td>
                        <td><Short text={p.a.truth} limit={30} /></td>
                        <td class="num"><Signed x={p.difference} /></td>
                        <td><b class="n">{score(p.a.scores[ofA])}</b> <span class="dim"><Short text={p.a.said[ofA] ?? ''} limit={60} /></span></td>
                        <td><b class="n">{score(p.b.scores[ofB])}</b> <span class="dim"><Short text={p.b.said[ofB] ?? ''} limit={60} /></span></td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Scroll>
            )}
            {open !== null && <Both key={open} a={a} b={b} ofA={ofA} ofB={ofB} problem={open} />}
          </>
        )
      )}
    </section>
  )
}

function Both({ a, b, ofA, ofB, problem }: { a: string; b: string; ofA: string; ofB: string; problem: number }) {
  const [one, other] = [useGet<HeldOutDialogues>(ofRun(a, '/answers/' + problem)), useGet<HeldOutDialogues>(ofRun(b, '/answers/' + problem))]
  const found = (of: HeldOutDialogues, system: string) => of.answers.find((x) => x.system === system)
  return (
    <>
      <Wait of={one}>{(d) => <Problem of={d} />}</Wait>
      <div class="two">
        <div><Wait of={one}>{(d) => <Answer of={found(d, ofA)} system={ofA} title={`A: ${a}, ${ofA}`} />}</Wait></div>
        <div><Wait of={other}>{(d) => <Answer of={found(d, ofB)} system={ofB} title={`B: ${b}, ${ofB}`} />}</Wait></div>
      </div>
    </>
  )
}
