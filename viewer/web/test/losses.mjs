// Nothing is lost: damaged episodes, a full disk, two servers, runs of earlier releases, runs that go on.
import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from './browser.mjs'
import { fullDisk, metrics, rewrite, runs, serve, token } from './world.mjs'
import { settled, text } from './tests.mjs'

const noRoom = /no space left on device|file too large/

// api asks a server as a script would.
const api = async (server, path) => (await fetch(server.url + '/api' + path, { headers: { Authorization: 'Bearer ' + token } })).json()

async function annotate(page, run, words) {
  await page.click(`[aria-label="tags and note of ${run}"]`)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(words)
  await page.keyboard.press('Enter')
}

async function playAgain(page, goto, run) {
  await goto(`#/runs/${run}/episodes/1/0`)
  await page.click('.swap > summary')
  await page.click('button:text-is("play again")')
}

async function start(page, goto, yaml) {
  await goto('#/start')
  await page.fill('textarea', yaml)
  await page.click('button:text-is("start"):enabled', { timeout: 150_000 })
}

export const losses = {
  async 'an episode that is damaged is named at its place and costs no other'({ browser, server }) {
    const dir = join(runs, 'hurt')
    cpSync(join(runs, 'magrpo-tiny'), dir, { recursive: true })
    let problem
    rewrite(dir, 2, (lines) => {
      problem = lines[0].problem.id
      lines[1] = { ...lines[0], index: 1 }
      lines[2] = { ...lines[0], index: 2, nodes: lines[0].nodes.map((n) => ({ ...n, parent: 7 })) }
    })
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/hurt/problems/' + encodeURIComponent(problem))
    await page.waitForSelector('.through .trouble')
    await settled(page)
    assert.equal(await page.locator('.trouble').count(), 1)
    assert.match(await text(page, '.through article:has(.trouble)'), /update 2.*damaged[\s\S]*line 3: node 0/)
    assert.ok((await page.locator('.through article:not(:has(.trouble)) .message').count()) >= 2, 'the others are shown')
    rewrite(dir, 2, (lines) => (lines[1] = { ...lines[1], nodes: 'none' }))
    await goto('#/runs/hurt/episodes')
    await page.waitForSelector('.virtual tbody tr:has-text("damaged")')
    assert.match(await text(page, '.trouble'), /update 2, episode 1 cannot be read/)
    assert.equal(await page.locator('.virtual tbody tr:not([aria-hidden])').count(), metrics('hurt').reduce((sum, line) => sum + line.problems, 0))
    await page.locator('.virtual tbody tr:has-text("damaged")').click()
    await page.waitForSelector('.trouble:has-text("line 2")')
    await close()
    rmSync(dir, { recursive: true })
  },

  async 'a full disk: the page says so, and nothing is lost'({ browser }) {
    const disk = fullDisk()
    try {
      cpSync(join(runs, 'magrpo-tiny'), join(disk.dir, 'tiny'), { recursive: true })
      const notes = JSON.stringify({ tiny: { tags: ['kept'], note: 'before' }, other: { tags: [], note: 'x'.repeat(9000) } })
      writeFileSync(join(disk.dir, '.parley-ui.json'), notes)
      const before = JSON.stringify({ created: '2026-01-01T00:00:00Z', update: 1, index: 0, title: 'an earlier one', lines: [], swapped: [] }) + '\n'
      const results = before.padEnd(3 * 4096 - 1) + '\n' // no room is left in the last block of the file
      writeFileSync(join(disk.dir, 'tiny', 'swaps.jsonl'), results)
      disk.fill()
      const server = await serve(disk.dir, { under: disk.under })
      const { page, goto, close } = await open(browser, server.url)
      await goto('#/')
      await annotate(page, 'tiny', '#lost')
      await page.waitForSelector('form .wrong')
      assert.match(await text(page, 'form .wrong'), noRoom)
      assert.equal(readFileSync(join(disk.dir, '.parley-ui.json'), 'utf8'), notes)
      assert.deepEqual(readdirSync(disk.dir).filter((name) => name.startsWith('.unfinished')), [])
      await playAgain(page, goto, 'tiny')
      await page.waitForSelector('.swap [role=status]:has-text("not kept")', { timeout: 150_000 })
      assert.match(await text(page, '.swap [role=status]'), noRoom)
      assert.match(await text(page, '.swap'), /an earlier one/)
      assert.ok(readFileSync(join(disk.dir, 'tiny', 'swaps.jsonl'), 'utf8').startsWith(results))
      await start(page, goto, 'name: no-room\npreset: magrpo-tiny\ntraining:\n  updates: 1\n  problems: 2\neval:\n  problems: 4\n')
      await page.waitForFunction(() => /failed/.test(document.querySelector('#content table')?.textContent), undefined, { timeout: 150_000 })
      assert.match(await text(page, '#content table'), noRoom)
      await close()
      await server.stop()
      disk.free()
      const roomy = await serve(disk.dir)
      const again = await open(browser, roomy.url)
      await again.goto('#/')
      await again.page.waitForSelector('.tag:has-text("#kept")')
      await annotate(again.page, 'tiny', '#kept #new')
      await again.page.waitForSelector('.tag:has-text("#new")')
      assert.equal(JSON.parse(readFileSync(join(disk.dir, '.parley-ui.json'), 'utf8')).other.note.length, 9000)
      await playAgain(again.page, again.goto, 'tiny')
      await again.page.waitForSelector('h3:has-text("swapped") + .message', { timeout: 150_000 })
      const { swaps } = await api(roomy, '/runs/tiny/swaps')
      assert.deepEqual(swaps.map((s) => [s.id, s.title === 'an earlier one']), [[1, true], [2, false]])
      await again.close()
      await roomy.stop()
    } finally {
      disk.remove()
    }
  },

  async 'two servers over one folder: each shows what is done on the other, and both keep it'({ browser, server }) {
    const other = await serve(runs)
    const [a, b] = [await open(browser, server.url), await open(browser, other.url)]
    await a.goto('#/')
    await b.goto('#/')
    await annotate(a.page, 'magrpo-tiny', '#from-a')
    await annotate(b.page, 'magrpo-tiny-s2', '#from-b')
    for (const { page } of [a, b]) for (const tag of ['#from-a', '#from-b']) await page.waitForSelector(`.tag:has-text("${tag}")`)
    const before = (await api(server, '/runs/magrpo-tiny-s2/swaps')).swaps.length
    await Promise.all([a, b].map(({ page, goto }) => playAgain(page, goto, 'magrpo-tiny-s2')))
    for (const { page } of [a, b]) await page.waitForSelector('h3:has-text("swapped")', { timeout: 150_000 })
    const done = async () => (await api(other, '/runs/magrpo-tiny-s2/swaps')).swaps
    for (let i = 0; i < 300 && (await done()).length < before + 2; i++) await a.page.waitForTimeout(500)
    assert.deepEqual((await done()).map((s) => s.id), Array.from({ length: before + 2 }, (_, i) => i + 1))
    await a.close()
    await b.close()
    await other.stop()
  },

  async 'a run folder of an earlier release: every view shows what is there'({ browser, server }) {
    const dir = join(runs, 'old')
    cpSync(join(runs, 'magrpo-tiny'), dir, { recursive: true })
    for (const name of readdirSync(dir)) if (!['run.json', 'metrics.jsonl', 'report.json', 'episodes', 'adapters'].includes(name)) rmSync(join(dir, name), { recursive: true })
    const about = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'))
    for (const key of ['cores', 'threads', 'kernels', 'cpu', 'task', 'base', 'mark', 'checksum']) delete about[key]
    about.recipe += '\nlong_gone:\n  key: 1\n'
    writeFileSync(join(dir, 'run.json'), JSON.stringify(about))
    const { page, goto, close } = await open(browser, server.url)
    for (const tab of ['', '/curves', '/episodes', '/episodes/1/0', '/problems', '/timeline', '/diagnostics', '/recipe', '/swaps']) {
      await goto('#/runs/old' + tab)
      await settled(page)
      assert.equal(await page.locator('.trouble').count(), 0, `${tab}: ${await page.locator('.trouble').allInnerTexts()}`)
    }
    await goto('#/compare?run=old&run=magrpo-tiny')
    await page.waitForSelector('.plot canvas')
    await close()
    rmSync(dir, { recursive: true })
  },

  async 'resume: a run that was stopped goes on from the page'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await start(page, goto, 'name: to-be-resumed\npreset: magrpo-tiny\ntraining:\n  updates: 2000\n  problems: 2\n  checkpoint: 1\neval:\n  problems: 4\n')
    await page.locator('td a:has-text("to-be-resumed")').first().click({ timeout: 150_000 })
    const update = () => page.evaluate(() => Number(document.querySelector('.head')?.textContent.match(/(\d+)of [\d,]+ updates/)?.[1] ?? 0))
    const reach = (n) => page.waitForFunction((least) => Number(document.querySelector('.head')?.textContent.match(/(\d+)of [\d,]+ updates/)?.[1] ?? 0) >= least, n, { timeout: 150_000 })
    await reach(2)
    await page.click('button:text-is("stop")')
    await page.click('button:text-is("resume")', { timeout: 150_000 })
    const stopped = await update()
    await page.waitForSelector('.head:has-text("running")', { timeout: 150_000 })
    await reach(stopped + 2)
    await page.click('button:text-is("stop")')
    await page.waitForSelector('button:text-is("resume")', { timeout: 150_000 })
    const id = decodeURIComponent(page.url().split('/runs/')[1])
    const lines = metrics(id).map((line) => line.update)
    assert.deepEqual(lines, lines.map((_, i) => i + 1), 'every update is there once')
    assert.ok(lines.length >= stopped + 2 && existsSync(join(runs, id, 'checkpoints')))
    await close()
  },
}
