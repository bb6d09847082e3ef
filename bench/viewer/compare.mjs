// How smoothly the page compares 64 runs: 8 recipes of 8 seeds, 1,000 updates each. It needs Chromium and the packages of web (npm ci there).
//
//	parley train magrpo-tiny --max-updates 1 --set eval.problems=4 --out small
//	PARLEY=./parley node bench/viewer/compare.mjs small DIR
//
// DIR takes the runs, which have curves and no episodes, and keeps them for the next time. The pointer goes to and fro over the curves for some seconds;
// then parts of them are looked at closely, and all again. Times are those between the frames that the browser asks for (requestAnimationFrame), and what the
// page's own thread worked for each. Where other programs run, the work says more than the times.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { serve } from './server.mjs'

const [small, out, updatesText = '1000', secondsText = '5'] = process.argv.slice(2)
const [recipes, seeds, updates, seconds, token] = [8, 8, Number(updatesText), Number(secondsText), 'a-token-of-the-bench']
const { chromium } = createRequire(new URL('../../viewer/web/package.json', import.meta.url))('playwright-core')
const names = Array.from({ length: recipes * seeds }, (_, i) => `recipe-${Math.floor(i / seeds) + 1}-s${(i % seeds) + 1}`)

// Numbers as random as curves are, and the same each time.
let state = 1
const random = () => (state = (state * 16807) % 2147483647) / 2147483647

function make() {
  if (existsSync(join(out, 'complete'))) return
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const run = readFileSync(join(small, 'run.json'), 'utf8')
  const copied = ['report.json', 'diagnostics.json']
  const [metrics, timing] = ['metrics.jsonl', 'timing.jsonl'].map((name) => readFileSync(join(small, name), 'utf8').split('\n')[0])
  const numbered = (line, update) => line.replace(/^\{"update":1,/, `{"update":${update},`)
  names.forEach((name, i) => {
    const [recipe, seed] = [Math.floor(i / seeds), (i % seeds) + 1]
    const dir = join(out, name)
    mkdirSync(dir)
    for (const file of copied) if (existsSync(join(small, file))) cpSync(join(small, file), join(dir, file))
    const own = JSON.parse(run)
    own.recipe = own.recipe.replace(/^name: .*$/m, `name: recipe-${recipe + 1}`).replace(/^seed: .*$/m, `seed: ${seed}`).replace(/^( *learning_rate:) .*$/m, `$1 0.000${recipe + 1}`)
    own.recipe += `\n# recipe ${recipe + 1}\n`
    delete own.checksum
    writeFileSync(join(dir, 'run.json'), JSON.stringify(own))
    const [all, times] = [[], []]
    for (let update = 1, level = 0.1 + recipe / 20; update <= updates; update++) {
      level += (random() - 0.45) / 60
      const two = [level + random() / 10, level + random() / 10].map((x) => x.toFixed(4))
      all.push(numbered(metrics, update).replace(/"(reward|return)":\[[^\]]*\]/g, `"$1":[${two}]`))
      times.push(numbered(timing, update))
    }
    writeFileSync(join(dir, 'metrics.jsonl'), all.join('\n') + '\n')
    writeFileSync(join(dir, 'timing.jsonl'), times.join('\n') + '\n')
  })
  writeFileSync(join(out, 'complete'), '')
}

// during are the frames while something is done, and the work of the page's thread.
async function during(page, client, what, act) {
  const worked = async () => (await client.send('Performance.getMetrics')).metrics
  await page.evaluate(() => {
    const own = { on: true, frames: [], before: performance.now() }
    globalThis.frames_ = own
    const step = (now) => (own.frames.push(now - own.before), (own.before = now), own.on && requestAnimationFrame(step))
    requestAnimationFrame(step)
  })
  const before = await worked()
  const acts = await act()
  const after = await worked()
  const frames = (await page.evaluate(() => ((globalThis.frames_.on = false), globalThis.frames_.frames.slice(2)))).toSorted((a, b) => a - b)
  const at = (share) => frames[Math.min(frames.length - 1, Math.floor(frames.length * share))].toFixed(1)
  const spent = (name) => 1000 * (after.find((m) => m.name === name).value - before.find((m) => m.name === name).value)
  const layouts = after.find((m) => m.name === 'LayoutCount').value - before.find((m) => m.name === 'LayoutCount').value
  console.log(what.padEnd(28) + `${frames.length} frames: median ${at(0.5)}, 95th percentile ${at(0.95)}, longest ${at(1)} ms; for each of ${acts} acts ${(spent('TaskDuration') / acts).toFixed(1)} ms of work, ${(spent('ScriptDuration') / acts).toFixed(1)} of scripts, ${(spent('LayoutDuration') / acts).toFixed(2)} of ${layouts} layouts`)
}

make()
const server = await serve(out, token)
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage()
const client = await page.context().newCDPSession(page)
await client.send('Performance.enable')
await page.goto(`${server.url}/?token=${token}`)
const start = performance.now()
await page.goto(server.url + '/#/compare?' + names.map((name) => 'run=' + name).join('&'))
await page.waitForSelector('.plot canvas', { timeout: 120_000 })
console.log('64 runs'.padEnd(28) + `${updates} updates each, drawn after ${(performance.now() - start).toFixed(0)} ms`)
await page.locator('.plot canvas').first().scrollIntoViewIfNeeded()
await page.waitForTimeout(1000)
const box = await page.locator('.plot .u-over').first().boundingBox()
const y = box.y + box.height / 2
await during(page, client, 'nothing is done', async () => (await page.waitForTimeout(1000 * seconds), 1))
await during(page, client, 'the pointer moves', async () => {
  const end = performance.now() + 1000 * seconds
  let n = 0
  for (; performance.now() < end; n++) await page.mouse.move(box.x + ((n * 7) % box.width), y + (n % 40))
  return n
})
await during(page, client, 'closer, and all again', async () => {
  const end = performance.now() + 1000 * seconds
  let n = 0
  for (; performance.now() < end; n++) {
    await page.mouse.move(box.x + box.width * 0.3, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, y, { steps: 5 })
    await page.mouse.up()
    await page.mouse.dblclick(box.x + box.width * 0.5, y)
  }
  return 2 * n
})
await browser.close()
server.stop()
