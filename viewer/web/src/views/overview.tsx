// The first look at a run: what came of it, what it cost, where to look.
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { exported, ofRun, picture, useGet, type Loaded } from '../api'
import { interval, num, percent, plural, pValue, score, short, signedInterval } from '../format'
import { Copy, Lazy, Scroll, Signed, Wait } from '../parts'
import { link } from '../route'
import { Said, Short } from '../text'
import type { AtK, Costs, Diagnostics, EpisodePage, EpisodeRow, Measured, Metrics, RunDetail } from '../types'
import { Damage, MetricPlot, together, type Shown } from './curves'
import { PanelPlot, measured } from './panel'
import { Variants } from './study'

const shownFirst = ['accuracy', 'reward', 'return', 'play', 'kl', 'length', 'surprisal']

// ofAnswers are curves that say nothing where an update has no answers.
const ofAnswers = ['length', 'surprisal']
const says = (one: Shown) => !ofAnswers.includes(one.name) || one.parts.some((part) => part.values.some((x) => x !== null && x !== 0))

export function OverviewTab({ run, metrics }: { run: RunDetail; metrics: Loaded<Metrics> }) {
  const asked = metrics.data !== null || metrics.error !== null // the server has the curves ready first: they are what takes longest to draw
  return (
    <>
      {!!run.runs && !exported && <Variants id={run.id} />}
      <div class="two">
        <div>
          <Systems run={run} />
          <Findings id={run.id} />
          {asked && <Look run={run} />}
        </div>
        <Wait of={metrics}>
          {(data) => {
            const shown = together(data.series)
            const chosen = shownFirst.flatMap((name) => shown.filter((one) => one.name === name && says(one))).slice(0, 2)
            return <div><Damage of={data} />{measured(data) && <PanelPlot metrics={data} x="update" />}{chosen.map((one) => <MetricPlot key={one.name} id={run.id} metrics={data} shown={one} x="update" />)}</div>
          }}
        </Wait>
      </div>
      <div class="two">
        {asked && <Lazy><CostsOf id={run.id} updates={run.updates} /></Lazy>}
        <Kept run={run} />
      </div>
      <ReportOf run={run} />
      <Pictures run={run} />
    </>
  )
}

function Systems({ run }: { run: RunDetail }) {
  const report = run.report
  if (!report) return <p class="dim">There is no report yet: the team is measured on held-out problems when training ends.</p>
  return (
    <section>
      <h2>Systems on {report.problems} held-out problems</h2>
      <SystemsBy of={report} label="systems" />
      <p>{run.answers ? <a href={link(['runs', run.id, 'held-out'])}>what they answered</a> : <span class="dim">What they answered is not kept{run.runs ? ' here, but in the runs of the experiment' : ': an earlier release made the run, or its algorithm plays by itself'}.</span>}</p>
      {measures(report.also).map((also) => <div key={also.metric}><h3>The same systems by {also.metric}</h3><SystemsBy of={also} label={'systems by ' + also.metric} /></div>)}
      <ByK list={report.pass_at} name="pass@k" label="pass at k" title="At least one of k joint samples solves the problem" />
      <ByK list={report.pass_hat} name="pass^k" label="pass hat k" title="All of k plays reach the greatest score" />
    </section>
  )
}

// ByK is a table of a number for some k; nothing where it was not measured.
function ByK({ list = [], name, label, title }: { list?: AtK[]; name: string; label: string; title: string }) {
  if (list.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <Scroll label={label}>
        <table>
          <thead><tr><th>system</th><th class="num">k</th><th class="num">{name}</th><th>95 % interval</th></tr></thead>
          <tbody>{list.map((p) => <tr key={p.system + p.k}><th scope="row"><Short text={p.system} /></th><td class="num">{p.k}</td><td class="num"><b>{score(p.value)}</b></td><td class="n dim">{interval(p.ci95)}</td></tr>)}</tbody>
        </table>
      </Scroll>
    </>
  )
}

const measures = (also: Measured | undefined): Measured[] => (also ? [also, ...measures(also.also)] : [])

// SystemsBy is one table, of one measure.
function SystemsBy({ of: { metric, measure, rows, comparisons }, label }: { of: Measured; label: string }) {
  const variants = rows.some((row) => row.variant)
  return (
    <>
      <Scroll label={label}>
        <table>
          <thead><tr>{variants && <th>variant</th>}<th>system</th><th class="num">{metric}</th><th>95 % interval</th><th>per turn</th>{measure?.of && <th class="num">{measure.of}</th>}<th class="num">tokens a problem</th></tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={(row.variant ?? '') + ' ' + row.system}>
                {variants && <td><Short text={row.variant ?? ''} /></td>}
                <th scope="row"><Short text={row.system} /></th>
                <td class="num"><b>{score(row.score)}</b></td>
                <td class="n dim">{interval(row.ci95)}</td>
                <td class="n">{(row.per_turn ?? []).map((x) => score(x)).join(' → ')}</td>
                {measure?.of && <td class="num">{score(row.raw)}</td>}
                <td class="num">{num(row.tokens_per_problem)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {(comparisons ?? []).map((c) => (
        <p key={c.system + c.against}>
          <Short text={c.system} /> less <Short text={c.against} />: <Signed x={c.difference} ci={c.ci95} /> <span class="dim">{signedInterval(c.ci95)}, p = {pValue(c.p)}</span>
        </p>
      ))}
    </>
  )
}

function Findings({ id }: { id: string }) {
  const found = useGet<Diagnostics>(ofRun(id, '/diagnostics'))
  const list = found.data?.diagnostics ?? []
  return (
    <section>
      <h2>Diagnostics</h2>
      {found.data && list.length === 0 && <p class="dim">{(found.data.checked ?? []).length > 0 ? 'Nothing fired.' : 'Nothing was looked for.'}</p>}
      {list.map((d) => (
        <p key={d.kind + d.rule + d.agent}><span class="flag"><span aria-hidden="true">⚑</span> {d.kind.replaceAll('_', ' ')}</span> {d.name ?? (d.agent ? `agent ${d.agent}` : '')} <a href={link(['runs', id, 'diagnostics'])}>why</a></p>
      ))}
    </section>
  )
}

// Look lists the answers of the newest updates that say most: three clicks from a run to a reason.
function Look({ run }: { run: RunDetail }) {
  const last = run.updates
  const first = Math.max(1, last - 4)
  const page = useGet<EpisodePage>(last > 0 ? ofRun(run.id, '/episodes') : null, { from: first, to: last, limit: 500 }, true)
  const rows = page.data?.episodes ?? []
  const punished = useMemo(() => worst(rows, (r) => r.advantage_min), [page.data])
  const rewarded = useMemo(() => worst(rows, (r) => (r.advantage_max === null ? null : -r.advantage_max)), [page.data])
  const weighed = punished.length > 0 || rewarded.length > 0
  const poorest = useMemo(() => extreme(rows, (r) => r.reward_min), [page.data])
  const richest = useMemo(() => extreme(rows, (r) => (r.reward_max === null ? null : -r.reward_max)), [page.data])
  const moved = rows.filter((r) => r.right_wrong).slice(0, 3)
  if (rows.length === 0) return null
  return (
    <section>
      <h2>Where to look</h2>
      <p class="dim">Of {first === last ? `update ${last}` : `updates ${first} to ${last}`}.</p>
      <Picks id={run.id} title="Answers that were punished most" rows={punished} pick="lowest" value={(r) => r.advantage_min} />
      <Picks id={run.id} title="Answers that were rewarded most" rows={rewarded} pick="highest" value={(r) => r.advantage_max} />
      {!weighed && <Picks id={run.id} title="Answers that earned least" rows={poorest} pick="poorest" value={(r) => r.reward_min} />}
      {!weighed && <Picks id={run.id} title="Answers that earned most" rows={richest} pick="richest" value={(r) => r.reward_max} />}
      {moved.length > 0 && <Picks id={run.id} title="Right, then wrong" rows={moved} pick="moved" value={(r) => r.reward} />}
      <p><a href={link(['runs', run.id, 'episodes'])}>all episodes</a></p>
    </section>
  )
}

type By = (row: EpisodeRow) => number | null

const worst = (rows: EpisodeRow[], by: By) => extreme(rows.filter((r) => (by(r) ?? 0) < 0), by)

const extreme = (rows: EpisodeRow[], by: By) => rows.filter((r) => by(r) !== null).sort((a, b) => by(a)! - by(b)!).slice(0, 3)

interface PicksProps {
  id: string
  title: string
  rows: EpisodeRow[]
  pick: string
  value: (row: EpisodeRow) => number | null
}

function Picks({ id, title, rows, pick, value }: PicksProps) {
  if (rows.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <table>
        <tbody>
          {rows.map((r) => (
            <tr key={`${r.update}/${r.index}`}>
              <td class="num"><Signed x={value(r)} /></td>
              <td class="n"><a href={link(['runs', id, 'episodes', r.update, r.index], { pick })}>update {r.update}, episode {r.index}</a></td>
              <td class="text dim"><Short text={r.question} limit={80} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

// How often what an update changes is asked for again, in milliseconds, while a run goes on.
const patience = 5000

function CostsOf({ id, updates }: { id: string; updates: number }) {
  const costs = useGet<Costs>(ofRun(id, '/costs'), undefined, true)
  const asked = useRef({ updates, at: Date.now() })
  useEffect(() => {
    if (updates === asked.current.updates || Date.now() - asked.current.at < patience) return
    asked.current = { updates, at: Date.now() }
    costs.again()
  }, [updates])
  return (
    <section>
      <h2>Costs of each agent</h2>
      <Wait of={costs}>
        {(data) => data.agents.length === 0 && (data.damaged ?? []).length === 0 ? <p class="dim">No update has answers of the agents. The report has what held-out problems cost.</p> : (
          <>
            <Scroll label="costs">
              <table>
                <thead><tr><th>agent</th><th>policy</th><th class="num">asked</th><th class="num">answers</th><th class="num">tokens</th><th class="num">prompt tokens</th><th class="num">share of tokens</th></tr></thead>
                <tbody>
                  {data.agents.map((a) => (
                    <tr key={a.name}>
                      <th scope="row"><Short text={a.name} /></th><td><Short text={a.policy} /></td>
                      <td class="num">{num(a.queries)}</td><td class="num">{num(a.answers)}</td><td class="num">{short(a.tokens)}</td><td class="num">{short(a.prompt_tokens)}</td>
                      <td class="num">{percent(a.tokens / data.agents.reduce((sum, b) => sum + b.tokens, 0))}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
            <p class="dim">Means over the problems of update {data.update}.</p>
            {(data.damaged ?? []).map((what) => <p class="trouble" key={what}>Left out, as it is damaged: <Short text={what} limit={300} /></p>)}
          </>
        )}
      </Wait>
    </section>
  )
}

const none = (run: RunDetail) => (run.state === 'finished' ? 'none' : 'none yet')

function Kept({ run }: { run: RunDetail }) {
  return (
    <section>
      <h2>What is kept</h2>
      <p>Checkpoints: {run.checkpoints.length > 0 ? `after ${run.checkpoints.length === 1 ? 'update' : 'updates'} ${run.checkpoints.join(', ')}` : none(run)}</p>
      <p>Adapters: {run.adapters.length > 0 ? <Short text={run.adapters.join(', ')} /> : none(run)}</p>
      <p>Folder: <bdi class="mono">{run.dir}</bdi></p>
      {run.commands.length > 0 && (
        <table>
          <tbody>{run.commands.map((c) => <tr key={c.what}><th scope="row">{c.what}</th><td><code><Short text={c.command} limit={400} /></code> <Copy text={c.command} /></td></tr>)}</tbody>
        </table>
      )}
      {run.versions && (
        <p class="dim">
          parley {run.versions.parley}, {run.versions.go}, {run.versions.system}, <Short text={run.versions.cpu} />, {run.versions.cores} cores, kernels {run.versions.kernels}
        </p>
      )}
    </section>
  )
}

// The report as it was printed, with its sample dialogues.
function ReportOf({ run }: { run: RunDetail }) {
  if (!run.report_text) return null
  return (
    <section>
      <h2>Report</h2>
      <details><summary>as it was printed, with sample dialogues</summary><Said text={run.report_text} limit={60000} /></details>
    </section>
  )
}

function Pictures({ run }: { run: RunDetail }) {
  const names = run.pictures ?? []
  if (names.length === 0) return null
  return (
    <section>
      <h2>Pictures of the report</h2>
      <details>
        <summary>{plural(names.length, 'picture')}</summary>
        {names.map((name) => <p key={name}><img src={picture(run.id, name)} alt={'the picture ' + name} loading="lazy" style={{ maxWidth: '100%', background: '#fff' }} /></p>)}
      </details>
    </section>
  )
}

