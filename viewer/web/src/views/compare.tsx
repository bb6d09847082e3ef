// Several runs over each other: curves with intervals over seeds, differences on the same problems, and what differs in their recipes.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { exported, useEvents, useGet, type Loaded } from '../api'
import { interval, num, plural, pValue, score, signedInterval, verdict } from '../format'
import { Lazy, Scroll, Signed, Wait } from '../parts'
import { boundsOf, looks, Plot, type Curve } from '../plot'
import { go, link, toCompare } from '../route'
import { Short } from '../text'
import type { ByMeasure, Centre, Compare, Comparison, CrossPlay, PairedDifference, RunRow } from '../types'
import { AxisChoice, type Axis } from './curves'
import { Pairs } from './pairs'

export function CompareView({ query }: { query: URLSearchParams }) {
  const runs = query.getAll('run')
  const [metric, setMetric] = useState('reward')
  const [x, setX] = useState<Axis>('update')
  const [chosen, setPart] = useState('')
  const compared = useGet<Compare>(runs.length > 0 ? '/compare' : null, { run: runs, metric, x }, true)
  useFollow(runs, compared)
  return (
    <>
      <h1>Compare</h1>
      <Choose runs={runs} />
      {runs.length === 0 && <p class="dim">Choose runs here, or in the list of runs with x, then c.</p>}
      {runs.length > 0 && (
        <Wait of={compared}>
          {(data) => {
            const parts = partsOf(data)
            const part = parts.includes(chosen) ? chosen : partFirst(parts)
            return (
              <>
                <div class="tools">
                  <label>
                    curve
                    <select value={data.metric} onChange={(e) => setMetric(e.currentTarget.value)}>{data.metrics.map((m) => <option key={m}>{m}</option>)}</select>
                  </label>
                  {parts.length > 1 && (
                    <label>
                      of
                      <select value={part} onChange={(e) => setPart(e.currentTarget.value)}>{parts.map((p) => <option key={p}>{p}</option>)}</select>
                    </label>
                  )}
                  <AxisChoice x={x} set={setX} />
                </div>
                <HeldOut data={data} />
                {data.cross_play && <Strangers of={data.cross_play} all={data.runs.length} />}
                <Curves data={data} x={x} part={part} />
                {data.runs.length > 1 && !exported && <Lazy><Pairs key={data.runs.map((r) => r.id).join()} runs={data.runs} /></Lazy>}
                <Recipes data={data} />
              </>
            )
          }}
        </Wait>
      )}
    </>
  )
}

// useFollow compares again when one of the runs has changed: not before the last answer has come, which may take longer than an update.
function useFollow(runs: string[], compared: Loaded<Compare>) {
  const waits = useRef(false)
  const renew = () => {
    if (compared.loading) waits.current = true
    else compared.again()
  }
  useEvents(runs.length > 0 ? '/events' : null, {
    runs: (news: { changed: RunRow[] | null; gone: string[] | null }) => {
      if ([...(news.changed ?? []).map((r) => r.id), ...(news.gone ?? [])].some((id) => runs.includes(id))) renew()
    },
  }, renew)
  useEffect(() => {
    if (compared.loading || !waits.current) return
    waits.current = false
    compared.again()
  }, [compared.loading])
}

function Choose({ runs }: { runs: string[] }) {
  const all = useGet<{ runs: RunRow[] }>('/runs')
  if (exported) return null
  return (
    <div class="tools">
      {runs.map((id) => <span class="tag" key={id}><a href={link(['runs', id])}><Short text={id} limit={60} /></a> <button type="button" class="small" aria-label={'leave out ' + id} onClick={() => go(toCompare(runs.filter((r) => r !== id)))}>×</button></span>)}
      <label>
        add
        <select value="" onChange={(e) => e.currentTarget.value && go(toCompare([...runs, e.currentTarget.value]))}>
          <option value="">a run …</option>
          {(all.data?.runs ?? []).filter((r) => !runs.includes(r.id)).map((r) => <option key={r.id} value={r.id}>{r.id}</option>)}
        </select>
      </label>
    </div>
  )
}

// onto puts values at their places among all places, so that curves of different lengths share one axis.
function onto(places: number[], x: number[], y: (number | null)[]): (number | null)[] {
  const at = new Map(x.map((place, i) => [place, y[i] ?? null]))
  return places.map((place) => at.get(place) ?? null)
}

const union = (lists: number[][]) => [...new Set(lists.flat())].sort((a, b) => a - b)

// partsOf are whose values the curves are: agents, turns, policies.
const partsOf = (data: Compare) => [...new Set(data.curves.map((c) => c.part))]

// The mean of the agents says most of a team; of turns, the last one does.
const partFirst = (parts: string[]) => parts.find((p) => p === 'mean of the agents') ?? parts.at(-1) ?? ''

// Curves draws a color for each recipe: its seeds as thin lines, their mean as a strong one, in the band of its interval.
function Curves({ data, x, part }: { data: Compare; x: Axis; part: string }) {
  const groups = useMemo(() => [...new Set(data.runs.map((r) => r.group))], [data])
  const { places, curves } = useMemo(() => {
    const shown = groups.slice(0, looks)
    const groupOf = (id: string) => data.runs.find((r) => r.id === id)?.group ?? id
    const seeds = data.curves.filter((c) => c.part === part && shown.includes(groupOf(c.id)))
    const bands = data.bands.filter((b) => b.part === part && b.n > 1 && shown.includes(b.group))
    const places = union([...seeds.map((c) => c.x), ...bands.map((b) => b.x)])
    const lines = seeds.map((c): Curve => {
      const group = groupOf(c.id)
      const one = { values: onto(places, c.x, c.y), look: shown.indexOf(group) }
      return bands.some((b) => b.group === group) ? { ...one, label: c.id, thin: true } : { ...one, label: group }
    })
    const means = bands.map((b): Curve => ({ label: `${b.group}, ${b.n} seeds`, values: onto(places, b.x, b.mean), low: b.low && onto(places, b.x, b.low), high: b.high && onto(places, b.x, b.high), look: shown.indexOf(b.group) }))
    return { places, curves: [...lines, ...means] }
  }, [data, part])
  const several = curves.some((c) => c.low)
  return (
    <section>
      <h2><Short text={data.metric} />{part && <span class="dim"> <Short text={part} /></span>}</h2>
      {several && <p class="dim">A color a recipe: thin lines are seeds, the strong one is their mean, in its 95 % interval.</p>}
      {groups.length > looks && <p class="trouble">{groups.length} recipes are compared, and {looks} can be told apart: those of {groups.slice(looks).map((g) => <><Short text={g} limit={40} /> </>)} are not drawn. Leave some out.</p>}
      <Plot x={places} xName={x} curves={curves} title={data.metric} height={320} bounds={data.bounds ?? boundsOf(data.unit)} apart />
    </section>
  )
}

function HeldOut({ data }: { data: Compare }) {
  if (data.refused) return <section><h2>On held-out problems</h2><p><Short text={data.refused} limit={800} /></p></section>
  if (!data.comparison) return null
  return <Table of={data.comparison} />
}

function Table({ of: { rows, differences, metric, measure, problems, method, also, pass_at } }: { of: Comparison }) {
  return (
    <section>
      <h2>On the same {problems} held-out problems</h2>
      <Scroll label="scores">
        <table>
          <thead><tr><th>run</th><th>system</th><th>seeds</th><th class="num">{metric}</th><th>95 % interval</th><th class="num">before</th><th class="num">gain</th><th class="num">tokens a problem</th></tr></thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.run + r.system}>
                <th scope="row"><Short text={r.run} /></th><td><Short text={r.system} /></td><td class="n">{r.seeds.join(', ')}</td><td class="num"><b>{score(r.score)}</b></td><td class="n dim">{interval(r.ci95)}</td>
                <td class="num">{score(r.off_the_shelf)}</td><td class="num"><Signed x={r.gain} ci={null} /></td><td class="num">{num(r.tokens_per_problem)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <Differences of={differences ?? []} title="Paired differences" metric={metric} problems={problems} lower={measure?.better === 'lower'} />
      {also && <By of={also} name={also.metric} problems={problems} />}
      {(pass_at ?? []).map((p) => <By key={p.k} of={p} name={`pass@${p.k}`} problems={problems} />)}
      <p class="dim"><Short text={method ?? ''} limit={400} /></p>
    </section>
  )
}

// By is the comparison by another measure.
function By({ of, name, problems }: { of: ByMeasure; name: string; problems: number }) {
  return (
    <>
      <h3>The same systems by {name}</h3>
      <Scroll label={'systems by ' + name}>
        <table>
          <thead><tr><th>run</th><th class="num">{name}</th><th>95 % interval</th></tr></thead>
          <tbody>{of.rows.map((r) => <tr key={r.run}><th scope="row"><Short text={r.run} /></th><td class="num"><b>{score(r.value)}</b></td><td class="n dim">{interval(r.ci95)}</td></tr>)}</tbody>
        </table>
      </Scroll>
      <Differences of={of.differences} title={'Paired differences in ' + name} metric={name} problems={problems} lower={false} />
    </>
  )
}

interface DifferencesProps {
  of: PairedDifference[]
  title: string
  metric: string
  problems: number
  lower: boolean // is better
}

// Differences are verdicts in words, and the numbers that they are made of.
function Differences({ of, title, metric, problems, lower }: DifferencesProps) {
  if (of.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      {of.map((d) => <p class="sentence" key={d.a + d.b}><Short text={verdict(d, metric, problems, lower)} limit={400} /></p>)}
      <Scroll label={title.toLowerCase()}>
        <table>
          <thead><tr><th>difference</th><th class="num">mean</th><th>95 % interval</th><th class="num">p</th><th class="num">p (Holm)</th></tr></thead>
          <tbody>
            {of.map((d) => (
              <tr key={d.a + d.b}><th scope="row"><Short text={d.a} /> less <Short text={d.b} /></th><td class="num"><Signed x={d.difference} ci={d.ci95} /></td><td class="n dim">{signedInterval(d.ci95)}</td><td class="num">{pValue(d.p)}</td><td class="num">{pValue(d.p_holm)}</td></tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}

// Strangers is who plays with whom: the first agent of each run with the others of each.
function Strangers({ of: { runs, scores, exact, games }, all }: { of: CrossPlay; all: number }) {
  return (
    <section class="strangers">
      <h2>How strangers play</h2>
      <p class="dim">
        A row is the run of the first agent, a column that of the others; who learned together is bold. {exact ? 'Computed exactly, from the probabilities of moves.' : `Means of ${plural(games, 'game')}.`}
        {runs.length < all && ` ${all - runs.length} of the ${all} runs ${all - runs.length === 1 ? 'has' : 'have'} not played with all of these.`}
      </p>
      {scores.map((s) => (
        <div key={s.score}>
          <h3><Short text={s.score} limit={60} /></h3>
          <p class="sentence">self-play {centre(s.self_play, num)}, cross-play {centre(s.cross_play, num)}, difference <Signed x={s.difference.mean} ci={s.difference.ci95} />{s.difference.ci95 && ' ' + signedInterval(s.difference.ci95)}</p>
          <Scroll label={'who plays with whom: ' + s.score}>
            <table>
              <thead><tr><th>first agent</th>{runs.map((r) => <th class="num" key={r.run}><Short text={r.run} limit={40} /></th>)}</tr></thead>
              <tbody>
                {s.values.map((row, i) => (
                  <tr key={i}>
                    <th scope="row"><Short text={runs[i]!.run} limit={40} />{runs[i]!.update > 0 && <span class="dim"> update {runs[i]!.update}</span>}</th>
                    {row.map((x, j) => <td class="num" key={j}>{i === j ? <b>{num(x)}</b> : num(x)}</td>)}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </div>
      ))}
      {runs.length < 3 && <p class="dim">Intervals over runs take 3 runs.</p>}
    </section>
  )
}

// A mean, with its interval where there is one.
const centre = (c: Centre, number: (x: number) => string) => number(c.mean) + (c.ci95 ? ' ' + interval(c.ci95) : '')

function Recipes({ data }: { data: Compare }) {
  return (
    <section>
      <h2>What differs in the recipes</h2>
      {data.recipe.length === 0 ? <p class="dim">Nothing.</p> : (
        <Scroll label="differences of recipes">
          <table>
            <thead><tr><th>key</th>{data.runs.map((r) => <th key={r.id}><Short text={r.id} limit={40} /></th>)}</tr></thead>
            <tbody>{data.recipe.map((r) => <tr key={r.key}><th scope="row"><span class="mono">{r.key}</span>{r.unknown && <span class="dim"> not in this release</span>}</th>{r.values.map((v, i) => <td key={i}>{v === null ? <span class="dim">–</span> : <Short text={v} limit={80} />}</td>)}</tr>)}</tbody>
          </table>
        </Scroll>
      )}
    </section>
  )
}
