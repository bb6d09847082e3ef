// A new run from a recipe, with every error at its place while one types, and the queue of this machine.
import { useEffect, useRef, useState } from 'preact/hooks'
import { asRefused, get, ofRun, send, useEvents, useGet } from '../api'
import { when } from '../format'
import { useSession } from '../page'
import { Trouble, Wait, useDebounced } from '../parts'
import { link } from '../route'
import { Short, visible } from '../text'
import type { Check, Job, RecipeView } from '../types'

export function StartView({ query }: { query: URLSearchParams }) {
  const session = useSession()
  const from = query.get('from') ?? ''
  const [yaml, setYaml] = useState('')
  const [why, setWhy] = useState('')
  useEffect(() => {
    if (!from) return
    get<RecipeView>(ofRun(from, '/recipe')).then((r) => setYaml(r.yaml), (e: unknown) => setWhy(asRefused(e).message))
  }, [from])
  if (session.read_only || !session.can_run) return <p>This page only reads: it was started with --read-only, or is an exported file.</p>
  return (
    <>
      <h1>Start a run</h1>
      {why && <p class="trouble">{why}</p>}
      <Shipped use={setYaml} />
      <Checked yaml={yaml} set={setYaml} />
      <Queue />
    </>
  )
}

function Shipped({ use }: { use: (yaml: string) => void }) {
  const recipes = useGet<{ recipes: { name: string; about: string; minutes: number | null }[] }>('/recipes')
  const [why, setWhy] = useState('')
  const load = async (name: string) => {
    try {
      use((await get<{ yaml: string }>('/recipes/' + encodeURIComponent(name))).yaml)
    } catch (e) {
      setWhy(asRefused(e).message)
    }
  }
  return (
    <Wait of={recipes}>
      {(data) => (
        <div class="tools">
          <label>
            begin with
            <select onChange={(e) => e.currentTarget.value && void load(e.currentTarget.value)}>
              <option value="">a shipped recipe …</option>
              {data.recipes.map((r) => <option key={r.name} value={r.name} title={r.about}>{r.name}{r.minutes ? ` (${r.minutes} min)` : ''}</option>)}
            </select>
          </label>
          <span class="wrong">{why}</span>
        </div>
      )}
    </Wait>
  )
}

function Checked({ yaml, set }: { yaml: string; set: (yaml: string) => void }) {
  const late = useDebounced(yaml, 250)
  const [check, setCheck] = useState<Check | null>(null)
  const [seed, setSeed] = useState('')
  const [said, setSaid] = useState('')
  useEffect(() => {
    let current = true
    if (late.trim() === '') return setCheck(null)
    send<Check>('POST', '/recipe/check', { yaml: late }).then((c) => current && setCheck(c), (e: unknown) => current && setSaid(asRefused(e).message))
    return () => void (current = false)
  }, [late])
  const start = async () => {
    try {
      const { job } = await send<{ job: Job }>('POST', '/start', { yaml, ...(seed === '' ? {} : { seed: Number(seed) }) })
      setSaid(`queued as number ${job.job}`)
    } catch (e) {
      setSaid(asRefused(e).message)
    }
  }
  const errors = check && late === yaml ? check.errors : (check?.errors ?? [])
  return (
    <>
      <Editor yaml={yaml} set={set} errors={errors} />
      <div class="tools">
        <button type="button" disabled={!check?.ok || late !== yaml} onClick={() => void start()}>start</button>
        <label>seed <input type="number" value={seed} placeholder="as written" onInput={(e) => setSeed(e.currentTarget.value)} /></label>
        <span role="status">{check === null ? '' : check.ok ? <span class="right">✓ the recipe is right{check.name && ': '}<Short text={check.name} /></span> : <span class="wrong">✗ {errors.length} {errors.length === 1 ? 'error' : 'errors'}</span>} {said}</span>
      </div>
      {errors.length > 0 && <ol class="errors" aria-label="errors">{errors.map((e, i) => <li key={i}>line {e.line}: <Short text={e.message} limit={600} />{e.hint && <span class="dim"> <Short text={e.hint} limit={600} /></span>}</li>)}</ol>}
      {(check?.warnings ?? []).map((w) => <p class="flag" key={w} style={{ whiteSpace: 'normal' }}>⚑ <Short text={w} limit={600} /></p>)}
      {check?.full && <details><summary>the whole recipe, defaults filled in</summary><div class="yaml mono" tabIndex={0} role="region" aria-label="the whole recipe">{check.full.split('\n').map((line, i) => <div key={i}>{visible(line)}{' '}</div>)}</div></details>}
    </>
  )
}

// Editor is a text field over lines that carry their numbers and their errors.
function Editor({ yaml, set, errors }: { yaml: string; set: (yaml: string) => void; errors: Check['errors'] }) {
  const behind = useRef<HTMLDivElement>(null)
  const follow = (e: Event) => {
    const field = e.currentTarget as HTMLTextAreaElement
    behind.current!.scrollTop = field.scrollTop
    behind.current!.scrollLeft = field.scrollLeft
  }
  const lines = yaml.split('\n')
  return (
    <div class="editor">
      <div class="lines" ref={behind} aria-hidden="true">
        {lines.map((line, i) => {
          const found = errors.filter((e) => e.line === i + 1 || (e.line < 1 && i === 0))
          return <div key={i} class={found.length > 0 ? 'line bad' : 'line'}><span class="no">{found.length > 0 && '✗'}{i + 1}</span>{line || ' '}{found.length > 0 && <span class="says">{found.map((e) => e.message).join('; ').slice(0, 300)}</span>}</div>
        })}
      </div>
      <textarea value={yaml} onInput={(e) => set(e.currentTarget.value)} onScroll={follow} spellcheck={false} autocapitalize="off" wrap="off" aria-label="recipe" placeholder="preset: magrpo-tiny" />
    </div>
  )
}

function Queue() {
  const queue = useGet<{ jobs: Job[] }>('/queue')
  const [jobs, setJobs] = useState<Job[] | null>(null)
  const [why, setWhy] = useState('')
  useEvents('/events', { queue: (data: { jobs: Job[] }) => setJobs(data.jobs ?? []) })
  const remove = async (job: Job) => {
    try {
      await send('DELETE', '/queue/' + job.job)
      setJobs((jobs ?? queue.data?.jobs ?? []).filter((j) => j.job !== job.job))
    } catch (e) {
      setWhy(asRefused(e).message)
    }
  }
  const shown = jobs ?? queue.data?.jobs ?? []
  return (
    <section>
      <h2>Queue of this machine</h2>
      {queue.error && <Trouble error={queue.error} />}
      {why && <p class="trouble">{why}</p>}
      {shown.length === 0 ? <p class="dim">Nothing waits: runs go one after the other.</p> : (
        <table>
          <thead><tr><th class="num">no.</th><th>what</th><th>state</th><th>since (UTC)</th><th></th></tr></thead>
          <tbody>
            {shown.map((j) => (
              <tr key={j.job}>
                <td class="num">{j.job}</td><td>{j.run ? <a href={link(['runs', j.run])}><Short text={j.title} /></a> : <Short text={j.title} />}</td><td>{j.state} <Short text={j.message} limit={200} /></td><td class="n">{when(j.created)}</td>
                <td>{j.state === 'waiting' && <button type="button" class="small" onClick={() => void remove(j)}>remove</button>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
