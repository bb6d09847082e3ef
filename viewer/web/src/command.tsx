// What a view shows, asked for on a command line.
import { exported } from './api'
import { Copy } from './parts'
import type { Route } from './route'

// quote writes a word as a shell reads it.
const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'")

const ofTab: Record<string, (id: string, at: string[], query: URLSearchParams) => string[]> = {
  overview: (id) => ['run', 'show', id],
  curves: (id) => ['run', 'query', id, 'select * from updates'],
  episodes: (id, [update, index], query) =>
    index !== undefined ? ['run', 'episode', id, update!, index] : ['run', 'episodes', id, '--json', ...(query.get('from') || query.get('to') ? ['--update', `${query.get('from') ?? ''}:${query.get('to') ?? ''}`] : [])],
  problems: (id) => ['run', 'query', id, 'select problem, count(*) from episodes group by problem'],
  timeline: (id) => ['ui', 'get', `runs/${id}/timeline`],
  diagnostics: (id) => ['run', 'show', id, '--why'],
  recipe: (id) => ['run', 'recipe', id],
  contribution: (id) => ['run', 'contribution', id, '--recorded'],
  talk: (id) => ['ui', 'get', `runs/${id}/questions`],
  swaps: (id) => ['ui', 'get', `runs/${id}/swaps`],
}

// commandOf is the command line that prints what a view shows; null: there is none.
export function commandOf({ parts: [kind = '', id = '', tab = 'overview', ...at], query }: Route): string | null {
  const words = (() => {
    if (kind === '') return ['run', 'list']
    if (kind === 'compare') return query.getAll('run').length > 1 ? ['ui', 'get', 'compare?' + query.getAll('run').map((run) => 'run=' + encodeURIComponent(run)).join('&')] : null
    if (kind === 'studies') return ['ui', 'get', 'studies/' + id]
    if (kind === 'runs') return ofTab[tab]?.(id, at, query) ?? null
    return null
  })()
  return words && ['parley', ...words].map(quote).join(' ')
}

export function CommandLine({ route }: { route: Route }) {
  const command = commandOf(route)
  if (!command || exported) return null
  return <footer class="command"><span class="dim">on a command line</span> <code>{command}</code> <Copy text={command} /></footer>
}
