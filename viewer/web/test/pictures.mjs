// The pictures of docs: main views in two sizes and both themes, of runs that exist:
//
//	PARLEY=./parley node test/pictures.mjs RUNS ../docs/pictures
//
// Afterwards `python3 test/palette.py ../docs/pictures` makes them small.
import { join } from 'node:path'
import { launch, open } from './browser.mjs'
import { serve } from './world.mjs'

const [runs, out] = process.argv.slice(2)
const server = await serve(runs, { flags: ['--read-only'] })
const browser = await launch()

const views = {
  runs: ['#/', '.virtual tbody tr'],
  run: ['#/runs/magrpo-tiny-s1', '.plot canvas'],
  episode: ['#/runs/leader-tiny-s1/episodes/1/3?pick=lowest', '.cell.at'],
  compare: ['#/compare?run=magrpo-tiny-s1&run=magrpo-tiny-s2&run=magrpo-tiny-cross-s1', '.plot canvas'],
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
