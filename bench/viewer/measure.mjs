// How fast the page is with a long run, 1,000 updates × 256 episodes × 8 completions, and with one of a hundredth of its updates. It needs zstd, Chromium
// and the packages of web (npm ci there).
//
//	parley train magrpo-tiny --max-updates 1 --set eval.problems=4 --out small
//	PARLEY=./parley node bench/viewer/measure.mjs small DIR
//
// DIR takes the runs, of 200 MB, and keeps them for the next time. Each view is opened five times of either run, in turn, and the middle times are
// printed: until the browser painted something, until what the view is about was there, and how many times as long as with the short run that took. The
// frames are those of the browser's own trace.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { serve } from './server.mjs'

const [small, out, updatesText = '1000'] = process.argv.slice(2)
const updates = Number(updatesText)
const [episodes, token, times] = [256, 'a-token-of-the-bench', 5]
const { chromium } = createRequire(new URL('../../viewer/web/package.json', import.meta.url))('playwright-core')
const runs = { long: updates, short: Math.max(1, Math.round(updates / 100)) }

// make makes a run that repeats the episodes of a small one under other numbers.
function make(name, updates) {
  const run = join(out, name)
  if (existsSync(join(run, 'complete'))) return
  rmSync(run, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  cpSync(small, run, { recursive: true })
  const read = spawnSync('zstd', ['-dc', join(small, 'episodes', '000001.jsonl.zst')], { encoding: 'utf8', maxBuffer: 1 << 28 })
  const lines = read.stdout.trim().split('\n')
  const metrics = readFileSync(join(small, 'metrics.jsonl'), 'utf8').split('\n')[0]
  const timing = readFileSync(join(small, 'timing.jsonl'), 'utf8').split('\n')[0]
  const numbered = (line, update) => line.replace(/^\{"update":1,/, `{"update":${update},`)
  const [plain, all, timings] = [join(out, 'plain'), [], []]
  for (let update = 1; update <= updates; update++) {
    const text = Array.from({ length: episodes }, (_, i) => numbered(lines[i % lines.length], update).replace(/"index":\d+/, `"index":${i}`)).join('\n') + '\n'
    writeFileSync(plain, text)
    spawnSync('zstd', ['-q', '-f', plain, '-o', join(run, 'episodes', String(update).padStart(6, '0') + '.jsonl.zst')])
    all.push(numbered(metrics, update))
    timings.push(numbered(timing, update))
  }
  writeFileSync(join(run, 'metrics.jsonl'), all.join('\n') + '\n')
  writeFileSync(join(run, 'timing.jsonl'), timings.join('\n') + '\n')
  writeFileSync(join(run, 'complete'), '')
}

// work is what an opening costs, which says more than its time does where other programs run: requests and what is sent, elements of the page, and
// processor time of server and page.
async function work(page, client, before, server) {
  await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined) // a page that listens to events is never idle
  const { metrics } = await client.send('Performance.getMetrics')
  const asked = await page.evaluate(() => performance.getEntriesByType('resource').map((e) => e.decodedBodySize))
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  const task = metrics.find((m) => m.name === 'TaskDuration').value
  return `${asked.length} requests, ${Math.round(asked.reduce((a, b) => a + b, 0) / 1024)} KiB, ${nodes} elements, page ${Math.round(1000 * task)} ms, server ${server.worked() - before} ms`
}

// opened is how long a view takes from nothing to what it is about.
async function opened(browser, url, hash, selector) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const client = await context.newCDPSession(page)
  await client.send('Performance.enable')
  await page.goto(`${url}/?token=${token}`)
  await page.goto('about:blank')
  const start = performance.now()
  await page.goto(url + '/' + hash, { waitUntil: 'commit' })
  await page.waitForSelector(selector)
  const took = performance.now() - start
  const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)
  return { page, client, took, painted, context }
}

// scrolled are the frames while the list of episodes is scrolled, drawn and dropped, as the trace has them.
async function scrolled(browser, page, seconds) {
  const client = await page.context().newCDPSession(page)
  const events = []
  client.on('Tracing.dataCollected', ({ value }) => events.push(...value))
  const box = await page.locator('.virtual').boundingBox()
  await page.mouse.move(box.x + 200, box.y + 200)
  await client.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline.frame', 'devtools.timeline.frame', 'devtools.timeline'] } })
  await page.evaluate(() => {
    globalThis.frames_ = []
    let before = performance.now()
    const step = (now) => (globalThis.frames_.push(now - before), (before = now), requestAnimationFrame(step))
    requestAnimationFrame(step)
  })
  const end = performance.now() + 1000 * seconds
  while (performance.now() < end) {
    await page.mouse.wheel(0, 400)
    await page.waitForTimeout(30)
  }
  const frames = await page.evaluate(() => globalThis.frames_.slice(2))
  const complete = new Promise((done) => client.once('Tracing.tracingComplete', done))
  await client.send('Tracing.end')
  await complete
  const count = (name) => events.filter((e) => e.name === name).length
  const sorted = frames.toSorted((a, b) => a - b)
  const rows = await page.evaluate(() => Number(document.querySelector('.virtual table').getAttribute('aria-rowcount')))
  return { perSecond: frames.length / seconds, p95: sorted[Math.floor(sorted.length * 0.95)], drawn: count('DrawFrame'), dropped: count('DroppedFrame'), rows }
}

for (const [name, n] of Object.entries(runs)) make(name, n)
const server = await serve(out, token)
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
const print = (what, value) => console.log(what.padEnd(46) + value)
const middle = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
print('runs', `${runs.long} and ${runs.short} updates × ${episodes} episodes × 8 completions`)
for (const [what, hash, selector] of [['runs', () => '#/', '.virtual tbody tr'], ['the run, curves drawn', (name) => `#/runs/${name}`, '.plot canvas'], ['its episodes', (name) => `#/runs/${name}/episodes`, '.virtual tbody tr'], ['one episode', (name) => `#/runs/${name}/episodes/${runs[name]}/0`, '.cell']]) {
  const measured = { long: [], short: [] }
  let cost = ''
  for (let i = 0; i < times; i++) {
    for (const name of Object.keys(runs)) {
      const before = server.worked()
      const { page, client, took, painted, context } = await opened(browser, server.url, hash(name), selector)
      measured[name].push({ took, painted })
      if (name === 'long') cost = await work(page, client, before, server)
      await context.close()
    }
  }
  const [long, short] = ['long', 'short'].map((name) => middle(measured[name].map((m) => m.took)))
  print('opens: ' + what, `painted ${middle(measured.long.map((m) => m.painted)).toFixed(0)} ms, there ${long.toFixed(0)} ms, ${(long / short).toFixed(2)} times the short run`)
  print('', cost)
}
const { page } = await opened(browser, server.url, '#/runs/long/episodes', '.virtual tbody tr')
const result = await scrolled(browser, page, 10)
print('scrolling 10 s: frames a second', result.perSecond.toFixed(1))
print('scrolling 10 s: 95th percentile of a frame', result.p95.toFixed(1) + ' ms')
print('scrolling 10 s: frames drawn, dropped (trace)', `${result.drawn}, ${result.dropped}`)
print('rows read meanwhile', result.rows)
print('most memory of the server', server.memory().toFixed(0) + ' MiB')
await browser.close()
server.stop()
