// One run: its tabs, and what is the same in all of them.
import { useEffect, useRef, useState } from 'preact/hooks'
import { asRefused, exported, ofRun, send, useEvents, useGet } from '../api'
import { interval, planned, plural, score, seconds as duration, signedInterval, when } from '../format'
import { useKeys } from '../keys'
import { useSession } from '../page'
import { Signed, StateOf, TeamPicture, Trouble } from '../parts'
import { go, link } from '../route'
import { Short } from '../text'
import type { Metrics, RunDetail, RunRow } from '../types'
import { Talk } from './ask'
import { WhoContributes } from './contribution'
import { CurvesTab } from './curves'
import { DiagnosticsTab } from './diagnostics'
import { EpisodeView } from './episode'
import { EpisodesTab } from './episodes'
import { HeldOutTab } from './heldout'
import { OverviewTab } from './overview'
import { ProblemsTab } from './problems'
import { RecipeTab } from './recipe'
import { NoteOf } from './runs'
import { SwapsTab } from './swap'
import { TimelineTab } from './timeline'

const tabs = ['overview', 'curves', 'episodes', 'problems', 'held-out', 'timeline', 'diagnostics', 'recipe', 'contribution', 'talk', 'swaps'] as const

// What tabs are called, where their address is another word.
const named: Record<string, string> = { contribution: 'who contributes' }

interface Props {
  id: string
  rest: string[]
  query: URLSearchParams
}

export function RunView({ id, rest, query }: Props) {
  const session = useSession()
  const shown = tabs.filter((name) => name !== 'swaps' || session.can_run)
  const run = useGet<RunDetail>(ofRun(id), undefined, true)
  const [tab = 'overview', update, index] = rest
  // Curves are long: they are read when a view first draws some.
  const drawn = useRef(false)
  drawn.current ||= tab === 'overview' || tab === 'curves'
  const metrics = useGet<Metrics>(drawn.current ? ofRun(id, '/metrics') : null, undefined, true)
  const [news, setNews] = useState<RunRow | null>(null)
  const [gone, setGone] = useState('')
  const [found, setFound] = useState(0)
  const [, tick] = useState(0)
  const live = useEvents(gone || !run.data ? null : ofRun(id, '/events'), {
    run: (row: RunRow) => {
      if ((news ?? run.data)!.state !== row.state || (news ?? run.data)!.checkpoint !== row.checkpoint) run.again()
      setNews(row)
    },
    metrics: (line: Line) => {
      if (!metrics.data) return
      if (append(metrics.data, line)) tick((n) => n + 1)
      else if (line.update > (metrics.data.updates.at(-1) ?? 0)) metrics.again()
    },
    diagnostics: () => setFound((n) => n + 1),
    gone: (data: { message: string }) => setGone(data.message || 'this run is gone'),
  }, () => (run.again(), metrics.again()))
  // A run that was just started has no folder yet.
  const missing = run.data === null && run.error?.code === 'not_found'
  useEffect(() => {
    if (!missing || exported) return
    const timer = setInterval(() => (run.again(), metrics.again()), 2000)
    return () => clearInterval(timer)
  }, [missing])
  useKeys(shown.slice(0, 9).map((name, i) => ({ key: String(i + 1), what: named[name] ?? name, do: () => go(link(i === 0 ? ['runs', id] : ['runs', id, name])) })))
  if (run.error && !run.data) return <Trouble error={run.error} again={run.again} />
  if (!run.data) return <p class="dim" role="status">loading …</p>
  const now = news ? { ...run.data, ...news } : run.data
  const episode = tab === 'episodes' && index !== undefined
  return (
    <>
      {gone && <p class="trouble" role="alert">{gone}: what is shown here was read before.</p>}
      {!episode && <Head run={now} live={live} metrics={metrics.data} changed={(row) => setNews(row)} />}
      {!episode && (
        <nav class="tabs" aria-label="views of the run">
          {shown.map((name, i) => (
            <a key={name} href={link(i === 0 ? ['runs', id] : ['runs', id, name])} aria-current={tab === name ? 'page' : undefined} title={i < 9 ? String(i + 1) : undefined}>{named[name] ?? name}</a>
          ))}
        </nav>
      )}
      {tab === 'overview' && <OverviewTab run={now} metrics={metrics} />}
      {tab === 'curves' && <CurvesTab run={now} metrics={metrics} />}
      {tab === 'episodes' && !episode && <EpisodesTab run={now} query={query} />}
      {episode && <EpisodeView id={id} update={Number(update)} index={Number(index)} query={query} />}
      {tab === 'problems' && <ProblemsTab run={now} problem={update} />}
      {tab === 'held-out' && <HeldOutTab run={now} problem={update} query={query} />}
      {tab === 'timeline' && <TimelineTab run={now} />}
      {tab === 'diagnostics' && <DiagnosticsTab id={id} version={found} />}
      {tab === 'recipe' && <RecipeTab id={id} />}
      {tab === 'contribution' && <WhoContributes run={now} />}
      {tab === 'talk' && <Talk run={now} />}
      {tab === 'swaps' && <SwapsTab id={id} />}
      {!(tabs as readonly string[]).includes(tab) && <p class="trouble">A run has no view “{tab}”. <a href={link(['runs', id])}>overview</a></p>}
    </>
  )
}

interface Line {
  update: number
  tokens: number
  seconds: number | null
  values: Record<string, number | null>
}

// append puts an update that has just been done behind the others. False: it is there already, others lack between,
// or it has a value that no update before had.
function append(all: Metrics, line: Line): boolean {
  const known = new Set(all.series.map((s) => s.key))
  if (line.update !== (all.updates.at(-1) ?? 0) + 1 || Object.keys(line.values).some((key) => !known.has(key))) return false
  all.updates = [...all.updates, line.update]
  all.tokens = [...all.tokens, line.tokens]
  all.seconds = [...all.seconds, line.seconds]
  for (const series of all.series) series.values = [...series.values, line.values[series.key] ?? null]
  return true
}

// pace is what an update took of the last ones, and what those that are left will take at that, in seconds.
function pace(run: RunRow, metrics: Metrics | null): { each: number; left: number | null } | null {
  const times = (metrics?.seconds ?? []).filter((s): s is number => s !== null).slice(-11)
  if (times.length < 2) return null
  const each = (times.at(-1)! - times[0]!) / (times.length - 1)
  return { each, left: run.updates_planned ? each * (run.updates_planned - run.updates) : null }
}

function Pace({ run, metrics }: { run: RunRow; metrics: Metrics | null }) {
  const now = pace(run, metrics)
  if (!now) return null
  return <span class="dim">{duration(now.each)} an update{now.left !== null && now.left > 0 && `, about ${duration(now.left)} left`}</span>
}

function Head({ run, live, metrics, changed }: { run: RunDetail; live: boolean; metrics: Metrics | null; changed: (row: RunRow) => void }) {
  const session = useSession()
  return (
    <>
      <h1><Short text={run.id} limit={90} /></h1>
      <div class="head">
        <div class="cards">
          {run.score !== null && (
            <div class="card">
              <span class="dim">{run.metric} on held-out problems</span>
              <b class="big n">{score(run.score)}</b>
              <span class="dim n">{interval(run.ci95)}</span>
            </div>
          )}
          {run.gain !== null && (
            <div class="card">
              <span class="dim">gain of training</span>
              <b class="big"><Signed x={run.gain} ci={run.gain_ci95 ?? null} /></b>
              <span class="dim n">{run.before !== null && `from ${score(run.before)}`}{run.gain_ci95 && `, ${signedInterval(run.gain_ci95)}`}</span>
            </div>
          )}
          <div class="card">
            <span class="dim"><StateOf state={run.state} problem={run.problem} />{live && run.state === 'running' && ' · live'}</span>
            <b class="big n">{run.runs ? run.runs : untrained(run) ? '–' : run.updates}</b>
            <span class="dim">{run.runs ? <>{run.runs === 1 ? 'run' : 'runs'} of an experiment, {plural(run.updates, 'update')} in all</> : untrained(run) ? 'nothing is trained' : run.updates_planned ? `of ${plural(run.updates_planned, 'update')}` : `updates${planned(run)}`}</span>
            {run.state === 'running' && <Pace run={run} metrics={metrics} />}
          </div>
          <div class="card">
            <span class="dim">{plural(run.agents.length, 'agent')}</span>
            <TeamPicture agents={run.agents} edges={run.team ?? []} />
            <span class="dim"><Short text={run.agents.join(', ')} limit={60} /></span>
          </div>
        </div>
        <div class="facts">
          <span>algorithm <b>{run.algorithm}</b></span>
          <span>base <b><Short text={run.model} limit={60} /></b></span>
          <span>task <b>{run.task}</b></span>
          <span>seed <b>{run.seed}</b></span>
          <span>{when(run.created)} UTC</span>
          <span><NoteOf run={run} update={session.read_only ? null : changed} /></span>
          <Steer run={run} />
        </div>
      </div>
      {run.problem && <p class="trouble"><Short text={run.problem} limit={600} /></p>}
      {run.refused && <p class="dim">It cannot go on here: <Short text={run.refused} limit={800} /></p>}
      {(run.changes ?? []).map((change) => <p class="dim" key={change}>changed on the way: <Short text={change} /></p>)}
    </>
  )
}

// untrained says that a run is over and had no updates.
const untrained = (run: RunRow) => run.state === 'finished' && run.updates === 0

// What can be done to the run from here.
function Steer({ run }: { run: RunDetail }) {
  const session = useSession()
  const [said, setSaid] = useState('')
  if (exported || session.read_only || !session.can_run) return null
  const act = async (what: 'stop' | 'resume') => {
    try {
      await send('POST', ofRun(run.id, '/' + what))
      setSaid(what === 'stop' ? 'it stops after what it does now, and can be resumed' : 'queued')
    } catch (e) {
      setSaid(asRefused(e).message)
    }
  }
  return (
    <span>
      {run.state === 'running' && <button type="button" onClick={() => void act('stop')}>stop</button>}{' '}
      {(run.state === 'interrupted' || run.state === 'failed') && !run.refused && <button type="button" onClick={() => void act('resume')}>resume</button>}{' '}
      <a href={link(['start'], { from: run.id })}>clone</a> <span class="dim" role="status">{said}</span>
    </span>
  )
}
