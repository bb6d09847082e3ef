// The pictures of docs: main views in two sizes and both themes, of runs that are trained for them, or that lie in RUNS:
//
//	PARLEY=./parley node test/pictures.mjs ../../docs/pictures [RUNS]
//
// Afterwards `python3 test/palette.py ../../docs/pictures` makes them small.
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, open } from './browser.mjs'
import { parley, serve } from './world.mjs'

const [out, kept] = process.argv.slice(2)
const runs = kept ?? mkdtempSync(join(tmpdir(), 'parley-pictures-'))
const command = (...args) => {
  const done = spawnSync(parley, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, PARLEY_RUNS: runs } })
  if (done.status !== 0) throw new Error(`parley ${args.join(' ')}: ${done.stderr.slice(-600)}`)
}
if (!kept) {
  for (const [recipe, seed] of [['magrpo-tiny', 1], ['magrpo-tiny', 2], ['magrpo-tiny-cross', 1], ['magrpo-tiny-cross', 2], ['leader-tiny', 1], ['review-tiny', 1], ['debate-sums', 1]]) {
    command('train', recipe, '--set', `seed=${seed}`, '--set', 'eval.every=5', '--set', 'eval.baselines=[]', '--out', join(runs, `${recipe}-s${seed}`))
  }
  command('run', 'contribution', 'review-tiny-s1')
}
const server = await serve(runs, { flags: ['--read-only'] })
const browser = await launch()

const views = {
  runs: ['#/', '.virtual tbody tr'],
  run: ['#/runs/review-tiny-s1', '.plot canvas'],
  episode: ['#/runs/leader-tiny-s1/episodes/1/3?pick=lowest', '.cell.at'],
  compare: ['#/compare?run=magrpo-tiny-s1&run=magrpo-tiny-s2&run=magrpo-tiny-cross-s1&run=magrpo-tiny-cross-s2', '.plot canvas'],
}

async function take(name, [hash, selector], width, height, scheme, then) {
  const { page, goto, close } = await open(browser, server.url, { width, height, scheme })
  await goto(hash)
  await page.waitForSelector(selector)
  await page.waitForTimeout(700)
  await then?.(page)
  await page.screenshot({ path: join(out, `viewer-${name}-${width}-${scheme}.png`) })
  await close()
}

for (const [name, view] of Object.entries(views)) {
  for (const scheme of ['light', 'dark']) {
    await take(name, view, 1280, 800, scheme)
    await take(name, view, 390, 800, scheme)
  }
}
await take('episodes', ['#/runs/magrpo-tiny-s1/episodes', '.dist svg'], 1280, 800, 'light')
await take('why', ['#/runs/magrpo-tiny-s1', 'h3:text-is("Answers that were punished most")'], 1280, 800, 'light', async (page) => {
  await page.locator('h3:text-is("Answers that were punished most") + table a').first().click()
  await page.waitForSelector('.why')
  await page.keyboard.press('t')
  await page.waitForSelector('.token')
  await page.waitForTimeout(300)
})
await browser.close()
await server.stop()
