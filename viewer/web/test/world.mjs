// The world of the tests: runs that are kept in the repository, runs that the program trains now, one with hostile texts, and a server over them.
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const parley = process.env.PARLEY
if (!parley) throw new Error('PARLEY is to name the program')

export const token = 'a-token-of-the-tests'

// Runs of every algorithm and kind of workflow, which are kept in the repository.
export const fixtures = process.env.FIXTURES ?? fileURLToPath(new URL('../../testdata/runs', import.meta.url))

export const kept = readdirSync(fixtures)

export const root = mkdtempSync(join(tmpdir(), 'parley-page-'))
export const runs = join(root, 'runs')

export function train(recipe, name, ...flags) {
  const out = join(runs, name)
  const args = ['train', recipe, '--max-updates', '2', '--set', 'eval.problems=8', '--out', out, ...flags]
  const done = spawnSync(parley, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
  if (done.status !== 0) throw new Error(`parley ${args.join(' ')}: ${done.stderr.slice(-600)}`)
}

// Texts that scripts, directions of writing and sizes make dangerous.
export const script = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
export const mark = '\u202e'
export const long = 'ab'.repeat(1_500_000)

// hostile copies a run and puts hostile texts into its episodes.
function hostile() {
  const dir = join(runs, 'hostile')
  cpSync(join(runs, 'magrpo-tiny'), dir, { recursive: true })
  rewrite(dir, 1, (lines) => {
    lines[0].problem.question = script + ' ' + mark + 'backwards'
    const [a, b] = lines[0].nodes[0].agents
    a.completions[0].text = script + '\n' + mark + 'evil \u200b'
    b.completions[0].text = long
    a.completions[0].flags = [script]
    lines[1].problem.truth = 't'.repeat(5000)
    lines[1].problem.id = 'i'.repeat(5000)
  })
  rewriteFile(join(dir, 'evaluation', 'trained-000002.jsonl.zst'), ([line]) => {
    line.problem.question = script + ' ' + mark + 'backwards'
    line.problem.truth = script
    line.nodes[0].agents[0].completions[0].text = script + '\n' + mark + 'evil'
    line.nodes[0].agents[1].completions[0].text = long
  })
  const [checkpoint] = readdirSync(join(dir, 'checkpoints'))
  for (let update = 3; update <= 40; update++) cpSync(join(dir, 'checkpoints', checkpoint), join(dir, 'checkpoints', String(update).padStart(checkpoint.length, '0')), { recursive: true })
}

const fileOf = (dir, update) => join(dir, 'episodes', String(update).padStart(6, '0') + '.jsonl.zst')

const read = (file) => spawnSync('zstd', ['-dc', file], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout.trim().split('\n').map((line) => JSON.parse(line))

// episodesOf are the episodes of an update, as the run has them.
export const episodesOf = (name, update) => read(fileOf(join(runs, name), update))

// rewrite changes the episodes of an update.
export const rewrite = (dir, update, change) => rewriteFile(fileOf(dir, update), change)

function rewriteFile(file, change) {
  const lines = read(file)
  change(lines)
  const plain = join(root, 'plain.jsonl')
  writeFileSync(plain, lines.map((line) => JSON.stringify(line)).join('\n') + '\n')
  rmSync(file)
  spawnSync('zstd', ['-q', plain, '-o', file])
}

// fullDisk is a folder without room: on a small disk of its own where this user may mount one; else who is started under it writes no file of
// more than 8 KB.
export function fullDisk() {
  const dir = join(root, 'disk')
  const ballast = join(dir, 'ballast')
  mkdirSync(dir)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dir]).status === 0
  const fill = () => {
    const file = openSync(ballast, 'w')
    try {
      for (;;) writeSync(file, Buffer.alloc(4096))
    } catch (e) {
      if (e.code !== 'ENOSPC') throw e
    } finally {
      closeSync(file)
    }
  }
  return {
    dir,
    under: mounted ? [] : ['bash', '-c', 'ulimit -f 8; exec "$@"', '-'],
    fill: () => mounted && fill(),
    free: () => rmSync(ballast, { force: true }),
    remove: () => (mounted && spawnSync('umount', ['--lazy', dir]), rmSync(dir, { recursive: true, force: true })),
  }
}

export function makeRuns() {
  mkdirSync(runs, { recursive: true })
  for (const name of kept) if (!existsSync(join(runs, name))) cpSync(join(fixtures, name), join(runs, name), { recursive: true })
  rmSync(join(runs, 'magrpo-tiny'), { recursive: true, force: true })
  const panel = ['--set', 'eval.every=1', '--set', 'eval.panel=6']
  train('magrpo-tiny', 'magrpo-tiny', ...panel)
  train('magrpo-tiny', 'magrpo-tiny-s2', '--seed', '2', ...panel)
  hostile()
}

const started = []

// serve starts parley ui over a folder and waits for its address.
export async function serve(folder, { flags = [], under = [] } = {}) {
  const [program, ...args] = [...under, parley, 'ui', folder, '--addr', '127.0.0.1:0', ...flags]
  const child = spawn(program, args, { env: { ...process.env, PARLEY_TOKEN: token }, stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  let said = ''
  const url = await new Promise((found, failed) => {
    const hear = (data) => {
      said += data
      const match = said.match(/http:\/\/127\.0\.0\.1:\d+/)
      if (match) found(match[0])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('exit', (code) => failed(new Error(`parley ui ended with ${code}: ${said}`)))
  })
  const ended = new Promise((done) => child.on('exit', done))
  return { url, pid: child.pid, stop: () => (child.kill('SIGINT'), ended) }
}

// remove ends what tests that failed have left.
export function remove() {
  for (const child of started) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
}

export const algorithmOf = (name) => JSON.parse(readFileSync(join(runs, name, 'run.json'), 'utf8')).recipe.match(/^algorithm: (\w+)/m)[1]

export const metrics = (name) => readFileSync(join(runs, name, 'metrics.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line))
