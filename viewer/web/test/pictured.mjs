// What the pictures of docs show. Pictures are of runs that are trained for them; what their text says is of runs that are kept in the repository, so that
// a test can tell at any time whether the page still looks as it did when the pictures were made: texts in their order, with a mark of their style.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from './browser.mjs'
import { fixtures } from './world.mjs'

const both = ['light', 'dark']
const all = [[1280, 800], [390, 800]]
const wide = [[1280, 800]]

// Each view with its addresses, of a trained run and of one that is kept, with what has to be there, in which sizes and themes, and what is done then.
export const views = {
  runs: { hash: () => '#/', selector: '.virtual tbody tr', sizes: all, schemes: both },
  run: { hash: (run) => `#/runs/${run('review-tiny')}`, selector: '.plot canvas', sizes: all, schemes: both },
  episode: { hash: (run) => `#/runs/${run('leader-tiny')}/episodes/1/${run === kept ? 0 : 3}?pick=lowest`, selector: '.cell.at', sizes: all, schemes: both },
  compare: { hash: (run) => `#/compare?run=${run('magrpo-tiny')}&run=${run('magrpo-tiny', 2)}&run=${run('magrpo-tiny-cross')}&run=${run('magrpo-tiny-cross', 2)}`, selector: '.plot canvas', sizes: all, schemes: both },
  episodes: { hash: (run) => `#/runs/${run('magrpo-tiny')}/episodes`, selector: '.dist svg', sizes: wide, schemes: ['light'] },
  why: { hash: (run) => `#/runs/${run('magrpo-tiny')}`, selector: 'h3:text-is("Answers that were punished most")', sizes: wide, schemes: ['light'], then: why },
}

async function why(page) {
  await page.locator('h3:text-is("Answers that were punished most") + table a').first().click()
  await page.waitForSelector('.why')
  await page.keyboard.press('t')
  await page.waitForSelector('.token')
  await page.waitForTimeout(300)
}

export const trained = (recipe, seed = 1) => `${recipe}-s${seed}`

// Of each recipe one run is kept: the second seed is another algorithm's.
export const kept = (recipe, seed = 1) => (seed === 1 ? recipe : { 'magrpo-tiny': 'c3-tiny', 'magrpo-tiny-cross': 'chain-tiny' }[recipe])

// eachView opens every view in every size and theme. Of runs that are kept the dark one of a small screen is left out: it has nothing of its own.
export async function eachView(browser, url, runOf, see) {
  for (const [name, { hash, selector, sizes, schemes, then }] of Object.entries(views)) {
    for (const scheme of schemes) {
      for (const [width, height] of sizes) {
        if (runOf === kept && scheme === 'dark' && width < 1000) continue
        const { page, goto, close } = await open(browser, url, { width, height, scheme })
        await goto(hash(runOf))
        await page.waitForSelector(selector)
        if (runOf !== kept) await page.waitForTimeout(1500)
        await then?.(page)
        await see(page, `viewer-${name}-${width}-${scheme}`)
        await close()
      }
    }
  }
}

// saidBy is what stands on a page: a line for each element with a text of its own, or that is drawn, with a mark of the style that it has by itself. Where
// fonts would decide it is left out.
export function saidBy() {
  const styles = ['display', 'color', 'background-color', 'font-size', 'font-weight', 'font-style', 'text-align', 'text-decoration-line', 'padding', 'margin-top', 'margin-bottom', 'border', 'gap', 'flex-direction', 'opacity']
  const mark = (text) => {
    let sum = 5381
    for (const c of text) sum = (sum * 33 + c.codePointAt(0)) >>> 0
    return sum.toString(36).padStart(7, '0').slice(-4)
  }
  const out = []
  const visit = (element, around) => {
    const style = getComputedStyle(element)
    if (style.display === 'none' || style.visibility === 'hidden' || element.closest('.skip, details:not([open]) > :not(summary)')) return
    const own = around + styles.map((name) => style.getPropertyValue(name)).join(';')
    const text = [...element.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.textContent).join(' ').replace(/\s+/g, ' ').trim()
    const drawn = ['svg', 'canvas', 'input', 'select', 'textarea', 'img'].includes(element.localName)
    const height = element.localName === 'canvas' ? ` ${Math.round(element.getBoundingClientRect().height)} high` : ''
    if (text || drawn) out.push(`${element.localName} ${mark(own)}${height} ${text}`.trimEnd())
    if (element.localName !== 'svg' && element.localName !== 'select') for (const inner of element.children) visit(inner, mark(own))
  }
  visit(document.body, '')
  return out.join('\n')
}

// sums are the pictures in a folder.
export const sums = (dir) =>
  '# pictures\n' + readdirSync(dir).filter((name) => /^viewer-.*\.png$/.test(name)).sort().map((name) => `${createHash('sha256').update(readFileSync(join(dir, name))).digest('hex').slice(0, 16)} ${name}\n`).join('') + '\n'

// settled is what stands on a page when all of it is made and nothing changes any more: parts far down are made when somebody comes near.
async function settled(page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += 200) {
      scrollTo(0, y)
      await new Promise(requestAnimationFrame)
    }
    scrollTo(0, 0)
  })
  for (let [before, since] = ['', Date.now()]; ; ) {
    const now = await page.evaluate(saidBy)
    if (now !== before) [before, since] = [now, Date.now()]
    else if (Date.now() - since > 500 && !/loading …/.test(now)) return now
    await page.waitForTimeout(100)
  }
}

// said is the text of all pictures.
export async function said(browser, url) {
  let text = ''
  await eachView(browser, url, kept, async (page, name) => (text += `# ${name}\n${await settled(page)}\n\n`))
  return text.replaceAll(fixtures, 'RUNS')
}
