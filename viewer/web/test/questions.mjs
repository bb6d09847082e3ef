// What somebody asks of runs whom nobody has shown the page: six questions, each answered from the start page in at most four acts. An act is a click, a text
// that is typed or a choice; scrolling is none. What the page says is compared with what parley run query says.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { open, reach } from './browser.mjs'
import { settled, text } from './tests.mjs'
import { parley, runs, train } from './world.mjs'

const most = 4

// sql asks a run; numbers and texts come as they are.
function sql(run, question) {
  const done = spawnSync(parley, ['run', 'query', join(runs, run), question, '--json'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  assert.equal(done.status, 0, done.stderr)
  return JSON.parse(done.stdout)
}

// asked opens the start page for a reader, whose acts are counted.
async function asked(browser, server, find) {
  const { page, goto, close } = await open(browser, server.url)
  await goto('#/')
  await page.waitForSelector('.virtual tbody tr')
  let acts = 0
  const click = async (what) => {
    const at = typeof what === 'string' ? page.locator(what) : what
    for (let i = 0; (await at.count()) === 0 && i < 60; i++) {
      await page.locator('.virtual').evaluate((list, y) => list.scrollTo(0, y), 150 * i).catch(() => undefined)
      await page.waitForTimeout(50)
    }
    await at.first().click()
    acts++
    await settled(page)
  }
  const type = async (words) => {
    await page.locator('input[type=search]').first().fill(words)
    acts++
  }
  await find({ page, click, type, run: (name) => page.getByRole('link', { name, exact: true }), tab: (name) => page.locator(`nav.tabs a:text-is("${name}")`) })
  assert.ok(acts <= most, `${acts} acts`)
  await close()
}

const number = (x) => Number(String(x).replace('−', '-'))

export const questions = {
  async 'question: which run is best, and is that significant?'({ browser, server }) {
    const score = (run) => sql(run, "select avg(s) mean from (select number, max(score) s from answers where system = 'trained' group by number)")[0].mean
    train('magrpo-tiny-cross', 'crossed')
    const [best, other] = ['magrpo-tiny', 'crossed'].sort((a, b) => score(b) - score(a))
    await asked(browser, server, async ({ page, click }) => {
      await click('th button:text-is("score"), th:has-text("score") >> button')
      await click(page.getByLabel('choose ' + best, { exact: true }))
      await click(page.getByLabel('choose ' + other, { exact: true }))
      await click('button:has-text("compare")')
      await page.waitForSelector('h3:text-is("Paired differences")')
      const sentence = await text(page, 'h3:text-is("Paired differences") + .sentence')
      const cells = await page.locator('[aria-label="paired differences"] tbody tr').first().locator('td').allInnerTexts()
      assert.ok(Math.abs(Math.abs(number(cells[0])) - (score(best) - score(other))) < 0.002, `${cells} and ${score(best)}, ${score(other)}`)
      const [low, high] = cells[1].match(/[−+-]?\d\.\d+/g).map(number)
      assert.equal(/is better than/.test(sentence), (low > 0 || high < 0) && Number(cells[2]) < 0.05, sentence)
      if (/is better than/.test(sentence)) assert.ok(sentence.startsWith(best), sentence)
    })
    rmSync(join(runs, 'crossed'), { recursive: true })
  },

  async 'question: why was this answer punished?'({ browser, server }) {
    const [worst] = sql('magrpo-tiny', 'select name, text, advantage, reward from completions order by advantage limit 1')
    await asked(browser, server, async ({ page, click, run }) => {
      await click(run('magrpo-tiny'))
      await page.waitForSelector('h3:text-is("Answers that were punished most")')
      await click('h3:text-is("Answers that were punished most") + table a')
      await page.waitForSelector('.why')
      const why = await text(page, '.why')
      assert.match(why, /This answer was punished: its advantage is −[0-9.]+/)
      assert.ok(Math.abs(number(why.match(/its advantage is (−[0-9.]+)/)[1].replace(/\.$/, '')) - worst.advantage) < 0.01, `${why}, and ${worst.advantage}`)
      assert.match(why, /=/, 'the formula')
    })
  },

  async 'question: which agent does not contribute?'({ browser, server }) {
    await asked(browser, server, async ({ page, click, type, run, tab }) => {
      await type('review-tiny')
      await click(run('review-tiny'))
      await click(tab('who contributes'))
      await reach(page, '.contribution .sentence', 2)
      assert.match(await text(page, '.contribution'), /without reviewer: [^]*(no difference is shown|the team is (worse|better) without it)/)
      const rows = await page.locator('.contribution table').last().locator('tbody tr').allInnerTexts()
      for (const { name, share } of sql('review-tiny', 'select name, avg(correct) share from completions where "update" = (select max("update") from completions) group by agent, name')) {
        const row = rows.find((r) => r.startsWith(name))
        assert.ok(row && Math.abs(number(row.match(/\d+(\.\d+)?/)[0]) - (/%/.test(row) ? 100 : 1) * share) < (/%/.test(row) ? 1 : 0.01), `${row}, and ${share}`)
      }
    })
  },

  async "question: how did this problem's answers change?"({ browser, server }) {
    await asked(browser, server, async ({ page, click, run, tab }) => {
      await click(run('magrpo-tiny'))
      await click(tab('held-out'))
      await page.waitForSelector('.virtual tbody tr')
      await click('.virtual tbody tr a')
      await reach(page, '.through article')
      const n = Number((await text(page, 'h2:has-text("Held-out problem")')).match(/\d+/)[0])
      const times = await page.locator('.through article').allInnerTexts()
      const said = sql('magrpo-tiny', `select update, text from answers where number = ${n} and system = 'panel' order by update, turn, agent`)
      const flat = (words) => words.replace(/\s+/g, ' ').trim()
      for (const { update, text: words } of said) {
        const time = times.find((t) => t.startsWith(`update ${update}`))
        assert.ok(time, `no time after update ${update}: ${times.map((t) => t.slice(0, 20))}`)
        for (const word of flat(words).split(' ').slice(0, 4)) assert.ok(flat(time).includes(word), `${time} has not ${word}`)
      }
      assert.ok(said.length > 0, 'nothing was said')
    })
  },

  async 'question: who saw what?'({ browser, server }) {
    const pairs = sql('chain-tiny', 'select distinct reader.name reader, said.name said from completions reader join completions said on reader.update = said.update and reader.episode = said.episode where reader.update = 2 and reader.episode = 0 and reader.agent <> said.agent and instr(said.text, char(10)) > 8 and instr(reader.prompt, substr(said.text, 1, instr(said.text, char(10)) - 1)) > 0')
    assert.ok(pairs.length > 0, 'nobody saw anything')
    await asked(browser, server, async ({ page, click, type, run, tab }) => {
      await type('chain-tiny')
      await click(run('chain-tiny'))
      await click(tab('episodes'))
      await page.waitForSelector('.virtual tbody tr')
      await click('.virtual tbody tr td')
      await page.waitForSelector('.cell')
      assert.match(page.url(), /episodes\/2\/0/)
      const cells = await page.locator('.cell').allInnerTexts()
      for (const { reader, said } of pairs) assert.ok(cells.some((c) => c.includes(reader) && new RegExp(`saw [^]*${said}`).test(c)), `${reader} saw ${said}, and the page says ${cells.map((c) => c.slice(0, 80)).join(' | ')}`)
    })
  },

  async 'question: what differs between these two runs?'({ browser, server }) {
    await asked(browser, server, async ({ page, click }) => {
      const pair = ['magrpo-tiny', 'magrpo-tiny-s2']
      for (const name of pair) await click(page.getByLabel('choose ' + name, { exact: true }))
      await click('button:has-text("compare")')
      await reach(page, '[aria-label="differences of recipes"]')
      const rows = await page.locator('[aria-label="differences of recipes"] tbody tr').allInnerTexts()
      assert.deepEqual(rows.map((r) => r.split(/\s+/)), [['seed', '1', '2']])
      const reward = pair.map((name) => sql(name, 'select avg(reward) reward from updates where "update" = (select max("update") from updates)')[0].reward)
      const mean = (reward[0] + reward[1]) / 2
      const said = await text(page, '.plot figcaption')
      assert.ok(said.match(/\d+\.\d+/g).some((x) => Math.abs(Number(x) - mean) < 0.01), `${said}, and ${mean}`)
    })
  },
}
