// Who contributes: what is kept with a run, what training recorded, and playing it from the page.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessible, narrowEnough, open, reach } from './browser.mjs'
import { text } from './tests.mjs'
import { parley, root, runs, serve } from './world.mjs'

export const contribution = {
  async 'who contributes: the sentences, the table and the curves of a result that is kept, in every size and theme'({ browser, server }) {
    const { results } = JSON.parse(readFileSync(join(runs, 'review-tiny', 'contribution.json'), 'utf8'))
    const { agents, table } = results.at(-1)
    for (const [width, scheme] of [[1400, 'light'], [1400, 'dark'], [390, 'light'], [390, 'dark']]) {
      const { page, goto, close } = await open(browser, server.url, { width, scheme })
      await goto('#/runs/review-tiny/contribution')
      await reach(page, '.contribution .sentence', agents.length)
      await reach(page, '.contribution .plot canvas', 2)
      const shown = await text(page, '.contribution')
      assert.match(shown, /with writer untrained in its place, as its text is the team's answer: accuracy 0\.\d+ -> 0\.\d+ \(difference [+-]?0\.\d+ \[/)
      assert.match(shown, /without reviewer: accuracy [^]*over \d+ problems\): (no difference is shown|the team is (worse|better) without it)/)
      const rows = await page.locator('.contribution table').first().locator('tbody tr').allInnerTexts()
      for (const [i, { agent }] of agents.entries()) {
        assert.ok(rows[i].startsWith(agent), rows[i])
        assert.ok(rows[i].replaceAll('−', '-').includes(table.agents[i].shapley.toFixed(3)), `${rows[i]} has not ${table.agents[i].shapley}`)
      }
      assert.match(shown, /has no checkpoint, so that nothing can be played/) // it came without
      assert.match(shown, /writer\s+as untrained/)
      await narrowEnough(page, 'who contributes at ' + width)
      await accessible(page, `who contributes at ${width}, ${scheme}`)
      await close()
    }
  },

  async 'who contributes: of how many updates the table is, and the rest at a press'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await page.route('**/contribution', async (route) => {
      const body = await (await route.fetch()).json()
      const { training } = body.contribution
      training.updates = training.updates.slice(0, 1)
      for (const a of training.agents) for (const of of ['right', 'read', 'help', 'harm']) a[of] = a[of].slice(0, 1)
      await route.fulfill({ json: body })
    })
    await goto('#/runs/review-tiny/contribution')
    await reach(page, '.contribution table')
    await page.waitForSelector('.contribution [role=status]:has-text("1 of 2 updates were read")')
    await accessible(page, 'a part of the updates')
    await page.click('.contribution button:text-is("read the other 1")')
    await page.waitForSelector('.contribution p:text-is("All 2 updates were read.")')
    await close()
  },

  async 'who contributes: the command to copy, and playing from the page'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/magrpo-tiny/contribution')
    await reach(page, '.contribution form')
    assert.match(await text(page, '.contribution'), /has not been played yet/)
    assert.equal(await page.locator('.contribution .sentence').count(), 0)
    await page.locator('.contribution input[type=number]').fill('2')
    assert.match(await page.locator('.contribution code').first().innerText(), /^parley run contribution .*magrpo-tiny --problems 2$/)
    await page.click('.contribution button:text-is("play")')
    await page.waitForSelector('.contribution .sentence', { timeout: 150_000 })
    assert.match(await text(page, '.contribution .sentence'), /^without agent 1: .*over 2 problems\)/)
    await close()
    const only = await serve(runs, { flags: ['--read-only'] })
    const reader = await open(browser, only.url)
    await reader.goto('#/runs/magrpo-tiny/contribution')
    await reach(reader.page, '.contribution .sentence', 2)
    assert.equal(await reader.page.locator('.contribution button:has-text("play")').count(), 0)
    await reader.close()
    await only.stop()
  },

  async 'who contributes: a team that has no contributions says why, and an exported file has what is kept'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/kuhn-selfplay-tiny/contribution')
    await reach(page, '.contribution table')
    assert.match(await text(page, '.contribution'), /paid for itself alone/)
    assert.equal(await page.locator('.contribution button:has-text("play")').count(), 0)
    await close()
    const out = join(root, 'who.html')
    assert.equal(spawnSync(parley, ['ui', 'export', join(runs, 'review-tiny'), '--out', out]).status, 0)
    const file = await open(browser, 'file://', { withToken: false })
    await file.page.goto('file://' + out + '#/runs/review-tiny/contribution')
    await reach(file.page, '.contribution .sentence', 2)
    assert.equal(await file.page.locator('.contribution form').count(), 0)
    await file.close()
  },
}
