// What stands around every view: where one is, the theme, help on keys, and what to do without a token.
import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { exported, onlyRun, useEvents, useGet } from './api'
import { CommandLine } from './command'
import { knownKeys, useKeys, type Key } from './keys'
import { Trouble } from './parts'
import { go, link, useRoute, type Route } from './route'
import { isDark, nextTheme } from './theme'
import { Short } from './text'
import type { Job, Session } from './types'
import { CompareView } from './views/compare'
import { RunView } from './views/run'
import { RunsView } from './views/runs'
import { StartView } from './views/start'
import { StudyView } from './views/study'

const SessionContext = createContext<Session>({ version: '', root: '', read_only: true, can_run: false })

// useSession says what may be done here.
export const useSession = () => useContext(SessionContext)

export function Page() {
  const session = useGet<Session>('/session')
  if (session.error?.code === 'token') return <AskToken />
  if (session.error) return <main class="alone"><h1>parley</h1><Trouble error={session.error} again={session.again} /></main>
  if (!session.data) return <main class="alone"><p role="status">loading …</p></main>
  return (
    <SessionContext.Provider value={session.data}>
      <Frame />
    </SessionContext.Provider>
  )
}

function AskToken() {
  const [token, set] = useState('')
  const enter = (e: Event) => {
    e.preventDefault()
    location.assign('/?token=' + encodeURIComponent(token.trim()))
  }
  return (
    <main class="alone">
      <h1>parley</h1>
      <p>This page needs the token that “parley ui” printed. The address that it printed has it already.</p>
      <form onSubmit={enter}>
        <label>Token <input value={token} onInput={(e) => set(e.currentTarget.value)} autocomplete="off" autofocus /></label> <button>open</button>
      </form>
    </main>
  )
}

function Frame() {
  const route = useRoute()
  const session = useSession()
  const [help, setHelp] = useState(false)
  const [dark, setDark] = useState(isDark())
  const [jobs, setJobs] = useState<Job[]>([])
  useEvents(session.can_run ? '/events' : null, { queue: (data: { jobs: Job[] }) => setJobs(data.jobs ?? []) })
  const turn = () => setDark(nextTheme() === 'dark')
  useEffect(() => {
    const changed = () => setDark(isDark())
    addEventListener('themechange', changed)
    return () => removeEventListener('themechange', changed)
  }, [])
  useKeys([
    { key: '?', what: 'this help', do: () => setHelp(!help) },
    { key: '/', what: 'search', do: () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus() },
    { key: 'Escape', what: 'back', do: () => (help ? setHelp(false) : go(up(route))) },
    { key: 'D', what: 'dark or light', do: turn },
    { key: 'R', what: 'runs', do: () => go('#/') },
  ])
  useTitle(route)
  const waiting = jobs.filter((j) => j.state === 'waiting' || j.state === 'running').length
  const start = session.can_run && !session.read_only
  return (
    <>
      <a class="skip" href="#content" onClick={(e) => (e.preventDefault(), document.getElementById('content')?.focus())}>to the content</a>
      <header class="bar">
        <nav aria-label="where">
          <a class="home" href="#/">parley</a>
          {trail(route).map(([name, to]) => <span key={to}><span class="slash" aria-hidden="true">/</span><a href={to}><Short text={name} limit={60} /></a></span>)}
        </nav>
        <nav aria-label="page">
          {exported && <span class="dim">exported file</span>}
          {!exported && session.read_only && <span class="dim" title="started with --read-only">read only</span>}
          {start && <a href="#/start">start a run{waiting > 0 && ` (${waiting} queued)`}</a>}
          <button type="button" onClick={turn} title="D" aria-pressed={dark}>{dark ? 'light' : 'dark'}</button>
          <button type="button" onClick={() => setHelp(true)} title="?">keys</button>
        </nav>
      </header>
      <main id="content" tabIndex={-1}>{view(route)}<CommandLine route={route} /></main>
      {help && <Help close={() => setHelp(false)} />}
    </>
  )
}

// useTitle names the view in the browser's title, and brings readers of the screen and of the keyboard to what is new when they have gone somewhere.
function useTitle(route: Route) {
  const where = route.parts.join('/')
  const first = useRef(true)
  useEffect(() => {
    document.title = [...trail(route).map(([name]) => name).reverse(), 'parley'].join(' · ')
    if (!first.current) document.getElementById('content')?.focus({ preventScroll: true })
    first.current = false
  }, [where])
}

function view(route: Route) {
  const [kind = '', id = '', ...rest] = route.parts
  if (kind === '' && onlyRun) return <RunView id={onlyRun} rest={[]} query={route.query} />
  if (kind === '') return <RunsView />
  if (kind === 'runs' && id) return <RunView key={id} id={id} rest={rest} query={route.query} />
  if (kind === 'studies' && id) return <StudyView key={id} id={id} />
  if (kind === 'compare') return <CompareView query={route.query} />
  if (kind === 'start') return <StartView query={route.query} />
  return <p class="trouble">There is no such view. <a href="#/">All runs</a></p>
}

function trail({ parts }: Route): [string, string][] {
  const [kind, id, tab, update, index] = parts
  if (kind === 'studies' && id) return [[id, link([kind, id])]]
  if (kind !== 'runs') return kind ? [[kind, link([kind])]] : []
  const out: [string, string][] = [[id!, link(['runs', id!])]]
  if (tab) out.push([tab, link(['runs', id!, tab])])
  if (update && tab === 'held-out') out.push([`problem ${update}`, link(parts.slice(0, 4))])
  else if (update) out.push([index === undefined ? update : `update ${update}, episode ${index}`, link(parts.slice(0, index === undefined ? 4 : 5))])
  return out
}

// One step up: from an episode to the list, from there to the run, to all runs.
function up({ parts }: Route): string {
  if (parts.length > 3) return link(parts.slice(0, 3))
  if (parts.length > 2) return link(parts.slice(0, 2))
  return '#/'
}

function Help({ close }: { close: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  const [keys] = useState<Key[]>(knownKeys)
  useEffect(() => box.current!.showModal(), [])
  return (
    <dialog ref={box} onClose={close} onClick={(e) => e.target === box.current && close()} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <table class="keys">
        <tbody>
          {keys.map((k) => (
            <tr key={k.key}>
              <th scope="row">{k.key.split(' ').map((one) => <kbd key={one}>{one.replace('Arrow', '').replace('Escape', 'Esc')}</kbd>)}</th>
              <td>{k.what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <form method="dialog"><button>close</button></form>
    </dialog>
  )
}
