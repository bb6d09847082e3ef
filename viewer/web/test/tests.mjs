import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { accessible, narrowEnough, open, reach } from './browser.mjs'
import { algorithmOf, episodesOf, kept, long, mark, metrics, parley, rewrite, root, runs, script, serve, train } from './world.mjs'

const one = '#/runs/magrpo-tiny'
const views = { runs: '#/', run: one, curves: one + '/curves', episodes: one + '/episodes', episode: one + '/episodes/1/0?pick=lowest', workflow: '#/runs/leader-tiny/episodes/1/0', problems: one + '/problems', 'held-out': one + '/held-out', 'held-out problem': one + '/held-out/0', timeline: one + '/timeline', diagnostics: one + '/diagnostics', recipe: one + '/recipe', contribution: one + '/contribution', talk: one + '/talk', swaps: one + '/swaps', compare: '#/compare?run=magrpo-tiny&run=magrpo-tiny-s2', start: '#/start' }

// Kept runs of what trains nothing, or from no dialogues.
const withoutEpisodes = ['collab-tiny', 'mutual-tiny', 'read-s-tiny']

// algorithms are those that the program has, but for the one that trains nothing and leaves no run.
const algorithms = () => {
  const asked = spawnSync(parley, ['recipe', 'show', 'magrpo-tiny', '--set', 'algorithm=nothing-of-this-name'], { encoding: 'utf8' })
  return asked.stderr.match(/expected one of ([^)\n]*)/)[1].split(/, | or /).filter((name) => name !== 'none')
}

export const text = (page, selector = '#content') => page.locator(selector).first().innerText()

// called finds a first answer of update 1 in which the first agent called a tool: the episode, the node and the call.
const called = (name) => {
  for (const [i, episode] of episodesOf(name, 1).entries())
    for (const [node, { agents }] of episode.nodes.entries()) {
      const [call] = agents[0].completions[0].calls ?? []
      if (call) return [i, node, call]
    }
  throw new Error(`nobody in ${name} called anything`)
}

const run = (page, name) => page.getByRole('link', { name, exact: true })

// settled waits until nothing is loading.
export const settled = async (page) => {
  await page.waitForSelector('#content h1, #content .tools, #content p')
  await page.waitForFunction(() => ![...document.querySelectorAll('[role=status]')].some((e) => /^(loading|looking)/.test(e.textContent)))
}

export const tests = {
  async 'every view in every size and theme: no error, nothing asked elsewhere, axe finds nothing serious'({ browser, server }) {
    for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [390, 'dark']]) {
      const { page, goto, close } = await open(browser, server.url, { width, scheme })
      for (const [name, hash] of Object.entries(views)) {
        await goto(hash)
        await settled(page)
        assert.equal(await page.locator('.trouble').count(), 0, `${name}: ${await page.locator('.trouble').allInnerTexts()}`)
        await narrowEnough(page, name + ' at ' + width)
        await accessible(page, `${name} at ${width}, ${scheme}`)
      }
      await close()
    }
  },

  async 'runs of every algorithm and kind of workflow: their views have no error'({ browser, server }) {
    const has = kept.map(algorithmOf)
    assert.deepEqual(algorithms().filter((name) => !has.includes(name)), [], 'algorithms without a run')
    const { page, goto, close } = await open(browser, server.url)
    for (const recipe of kept) {
      for (const tab of ['', '/curves', '/episodes', '/held-out', '/timeline', '/diagnostics', '/recipe']) {
        await goto(`#/runs/${recipe}${tab}`)
        await settled(page)
        assert.equal(await page.locator('.trouble').count(), 0, `${recipe}${tab}: ${await page.locator('.trouble').allInnerTexts()}`)
      }
      await goto(`#/runs/${recipe}/episodes`)
      await settled(page)
      await page.waitForTimeout(300)
      assert.equal(await page.locator('.virtual tbody tr').count() === 0, withoutEpisodes.includes(recipe), recipe)
      if (withoutEpisodes.includes(recipe)) continue
      await page.locator('.virtual tbody tr').first().click()
      await page.waitForSelector('.cell', { timeout: 10_000 })
      assert.ok((await page.locator('.why').count()) > 0, recipe + ' has no cell that says why')
    }
    await close()
  },

  async 'calls of tools stand with their results in the cell of who called'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    const [episode, node, call] = called('tool-sums-tiny')
    await goto(`#/runs/tool-sums-tiny/episodes/1/${episode}?node=${node}&agent=0&completion=0`)
    const cell = page.locator(`.cell[data-cell="${node}:0"]`)
    await cell.waitFor()
    const message = cell.locator('.message', { hasText: 'called' }).first()
    assert.match(await message.innerText(), /^called calculate\("[-+*\d.]+"\)\s+-?[\d.]+$/)
    assert.equal(await message.locator('code').innerText(), `${call.name}(${call.arguments})`)
    assert.equal(await message.locator('.said').innerText(), call.result)
    assert.equal(await page.locator('.cell', { hasText: 'editor' }).locator('.message', { hasText: 'called' }).count(), 0)
    await accessible(page, 'an episode with calls of tools')
    await close()
  },

  async 'an environment: each cell has the state that its agent was shown, and the turn what came of it'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    for (const recipe of ['path-tiny', 'tictactoe-selfplay-tiny']) {
      await goto(`#/runs/${recipe}/episodes/1/0`)
      await page.waitForSelector('.cell')
      const nodes = await page.locator('.turn').evaluateAll((turns) => turns.map((turn) => Number(turn.querySelector('.cell').dataset.cell.split(':')[0])))
      const [recorded] = episodesOf(recipe, 1)
      for (const node of nodes) {
        const outcome = recorded.nodes[node].outcomes[0][0]
        const turn = page.locator('.turn', { has: page.locator(`.cell[data-cell^="${node}:"]`) })
        for (const asked of recorded.nodes[node].agents) {
          const cell = page.locator(`.cell[data-cell="${node}:${asked.agent ?? 0}"]`)
          assert.equal(await cell.locator('.shown .said').innerText(), asked.messages.at(-1).content.trim(), `${recipe}, node ${node}`)
        }
        const answered = await turn.locator('.joint').innerText()
        for (const said of [outcome.all, ...Object.values(outcome.observations ?? {})]) if (said) assert.ok(answered.includes(said), `${recipe}, node ${node}: ${answered} has not ${said}`)
      }
      await accessible(page, 'an episode of ' + recipe)
    }
    await close()
  },

  async 'boards: a field is drawn as the game says, and as an info of an own environment says, with what is new marked'({ browser, server }) {
    const drawn = (within) => within.locator('.board').evaluateAll((boards) => boards.map((board) => ({ cells: [...board.children].map((c) => c.innerText).join('|'), moved: [...board.children].flatMap((c, i) => (c.className === 'moved' ? [i] : [])) })))
    const own = join(runs, 'own-board')
    cpSync(join(runs, 'kuhn-selfplay-tiny'), own, { recursive: true })
    const rows = ['ab' + mark, '.x' + script[0]]
    rewrite(own, 1, ([{ nodes }]) => nodes.forEach((n, i) => (n.outcomes[0][0].info = { board: i === 0 ? rows : ['uneven', 'rows'], illegal: [] })))
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/tictactoe-selfplay-tiny/episodes/1/0')
    await page.waitForSelector('.cell')
    const [{ nodes }] = episodesOf('tictactoe-selfplay-tiny', 1)
    const [shown, then] = [nodes[0].agents[0].messages.at(-1).content, nodes[0].outcomes[0][0].all]
    const cell = [...then.slice(0, 9)].findIndex((c, i) => c !== shown[i])
    assert.deepEqual(await drawn(page.locator('.turn').first()), [{ cells: [...shown].join('|'), moved: [] }, { cells: [...then.slice(0, 9)].join('|'), moved: [cell] }])
    assert.match(await page.locator('.joint .board').first().getAttribute('aria-label'), new RegExp(`new: x at row ${Math.floor(cell / 3) + 1}, column ${(cell % 3) + 1}$`))
    await goto('#/runs/path-tiny/episodes/1/0')
    await page.waitForSelector('.cell')
    const [walk] = episodesOf('path-tiny', 1)
    const [, row, column, goal] = walk.nodes[0].agents[0].messages.at(-1).content.match(/at (\d)(\d) goal (\d\d)/)
    const [field] = await drawn(page.locator('.cell').first())
    assert.equal(field.cells.split('|')[3 * (row - 1) + (column - 1)], 'at', field.cells)
    assert.equal(field.cells.split('|')[3 * (goal[0] - 1) + (goal[1] - 1)], 'goal', field.cells)
    await accessible(page, 'pieces on a field')
    await goto('#/runs/own-board/episodes/1/0')
    await page.waitForSelector('.joint')
    assert.deepEqual(await drawn(page.locator('.turn').first()), [{ cells: 'a|b|RLO|.|x|<', moved: [] }])
    assert.equal(await page.locator('.board').count(), 1, 'uneven rows are no board')
    await goto('#/runs/magrpo-tiny/episodes/1/0')
    await page.waitForSelector('.cell')
    assert.equal(await page.locator('.board').count(), 0)
    await close()
  },

  async 'runs without updates or without episodes say so, and where their numbers are'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    for (const [recipe, says] of [['collab-tiny', /has no updates: nothing is trained/], ['read-s-tiny', /No episodes were recorded: what algorithm read learns from/]]) {
      for (const tab of ['episodes', 'problems']) {
        await goto(`#/runs/${recipe}/${tab}`)
        await page.waitForSelector('#content p a:text-is("The overview")')
        assert.match(await text(page), says)
        assert.equal(await page.locator('[type=search]').count(), 0, `${recipe}/${tab} searches nothing`)
      }
    }
    await goto('#/runs/read-s-tiny')
    await page.waitForSelector('.plot canvas')
    assert.match(await text(page, 'figcaption'), /mean return/)
    assert.doesNotMatch(await text(page), /surprisal/)
    await page.waitForSelector('h2:text-is("Costs of each agent") ~ p:has-text("No update has answers")')
    await goto('#/runs/collab-tiny/curves')
    await page.waitForSelector('p:has-text("has no updates")')
    assert.match(await text(page, '.head'), /nothing is trained/)
    await close()
  },

  async 'the table of runs: search, state, order, choosing two and comparing them, all by keys'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/')
    await page.waitForSelector('.virtual tbody tr')
    await page.keyboard.press('/')
    await page.keyboard.type('magrpo-tiny')
    await page.waitForFunction(() => document.querySelectorAll('.virtual tbody tr').length < 8)
    await page.keyboard.press('Escape')
    await page.click('th button:text-is("run")')
    await page.waitForSelector('th[aria-sort=ascending]:has-text("run")')
    await page.locator('h1').click()
    await page.keyboard.press('Home')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('c')
    await page.waitForFunction(() => location.hash.startsWith('#/compare') && new URLSearchParams(location.hash.split('?')[1]).getAll('run').length === 2)
    await page.keyboard.press('?')
    await page.waitForSelector('dialog[open]')
    assert.match(await text(page, 'dialog'), /this help/)
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    await close()
  },

  async 'the table of runs: sorted by any column, by keys of recipes too, together by recipe, ranked within one task and measure'({ browser, server }) {
    const second = join(runs, 'chain-tiny-s2')
    cpSync(join(runs, 'chain-tiny'), second, { recursive: true })
    writeFileSync(join(second, 'run.json'), readFileSync(join(second, 'run.json'), 'utf8').replace('\\nseed: 1', '\\nseed: 2').replace('"seed": 1', '"seed": 2'))
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/')
    await page.waitForSelector('.virtual tbody tr')
    assert.equal(await page.title(), 'parley')
    const column = async (n) => (await page.locator(`.virtual tbody tr:not([aria-hidden]) td:nth-child(${n})`).allInnerTexts()).map((t) => t.trim())
    await page.fill('input[type=search]', 'tiny')
    await page.click('th button:text-is("score")')
    await page.waitForSelector('th[aria-sort=descending]')
    const scores = await column(3)
    const ranked = scores.filter((s) => / of \d+$/.test(s)).map((s) => [Number(s.match(/[\d.]+/)[0]), Number(s.match(/(\d+) of (\d+)$/)[1]), s.match(/of (\d+)$/)[1]])
    assert.ok(ranked.length > 3, scores.join('; '))
    for (let i = 1; i < ranked.length; i++) if (ranked[i][1] > ranked[i - 1][1]) assert.ok(ranked[i][0] <= ranked[i - 1][0], 'a better place has a better score')
    assert.ok(ranked.filter(([, place]) => place === 1).length > 1, 'each task and measure has a first place')
    await page.selectOption('label:has-text("column") select', 'group.joint')
    await page.click('th button:has-text("group.joint")')
    await page.waitForFunction(() => document.querySelector('.virtual tbody tr td:nth-child(6)')?.textContent === 'aligned')
    assert.ok((await column(6)).includes('cross'))
    await page.click('button[aria-label="without the column group.joint"]')
    await page.fill('input[type=search]', 'magrpo-tiny')
    await page.check('label:has-text("by recipe") input')
    await page.locator('th.group', { hasText: /^magrpo-tiny 3 runs of 2 seeds choose all/ }).waitFor() // one of them is another run of the same seed
    await page.fill('input[type=search]', 'chain-tiny')
    const heading = page.locator('th.group')
    await page.waitForFunction(() => document.querySelectorAll('th.group').length === 1)
    assert.match(await heading.innerText(), /^chain-tiny 2 seeds 0\.\d{3} 2 equal \S+ choose all seeds$/)
    await heading.locator('button').click()
    await page.waitForSelector('button:text-is("compare 2")')
    await accessible(page, 'runs by recipe')
    await page.locator('h1').click()
    await page.keyboard.press('c')
    await page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).getAll('run').toSorted().join() === 'chain-tiny,chain-tiny-s2')
    rmSync(second, { recursive: true })
    await goto('#/compare')
    await page.waitForSelector('h1:text-is("Compare")')
    assert.equal(await page.title(), 'compare · parley')
    assert.equal(await page.evaluate(() => document.activeElement.id), 'content', 'who has gone somewhere is at what is new')
    await close()
  },

  async 'three clicks from the list to the cell that says why an answer was punished'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/')
    await run(page, 'magrpo-tiny').click()
    await page.locator('h3:text-is("Answers that were punished most") + table a').first().click()
    await page.waitForSelector('.why')
    assert.match(await text(page, '.why'), /This answer was punished: its advantage is −[0-9.]+/)
    const cell = await text(page, '.cell.at')
    const advantage = cell.match(/advantage\s*(−[0-9.]+)/)[1]
    const formula = await page.locator('.formula', { hasText: 'advantage' }).last().innerText()
    assert.ok(formula.replaceAll('\u2212', '−').includes(String(Number(advantage.replace('−', '-'))).replace('-', '−').slice(0, 5)), `${formula} has not ${advantage}`)
    await goto('#/runs/debate-sums')
    await page.locator('h3:text-is("Answers that were punished most") + table a').first().click()
    await page.waitForSelector('.why')
    assert.match(await text(page, '.why'), /This answer was punished: its advantage is −[0-9.]+[^]*A = mean\(Aₓ\)/, 'with a critic too')
    await page.click('.why summary:text-is("tokens")')
    await page.waitForSelector('.token')
    assert.ok((await page.locator('.token.special').count()) > 0, 'the end token is visible')
    await close()
  },

  async 'an episode: agents, turns and siblings by keys; tree and lines of who saw whom'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto(one + '/episodes/1/0')
    await page.waitForSelector('.cell.at')
    const name = () => text(page, '.cell.at .head b')
    const first = await name()
    await page.keyboard.press('l')
    assert.notEqual(await name(), first)
    await page.keyboard.press('h')
    assert.equal(await name(), first)
    const sibling = () => text(page, '.cell.at .siblings [aria-current=true]')
    const before = await sibling()
    await page.keyboard.press(']')
    assert.notEqual(await sibling(), before)
    await page.keyboard.press('t')
    await page.waitForSelector('.tokens')
    await page.keyboard.press('n')
    await page.waitForFunction(() => location.hash.endsWith('/1/1'))
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => location.hash.endsWith('/episodes'))
    await goto('#/runs/leader-tiny/episodes/1/0')
    await page.waitForSelector('svg.lines path')
    assert.match(await text(page), /saw left \(turn 1\)/)
    await close()
  },

  async 'a program: its calls as they came, a lane for each agent, and what it answered'({ browser, server }) {
    const episode = episodesOf('own-harness', 1)[0]
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/own-harness/episodes/1/0')
    await page.waitForSelector('.lanes .cell')
    assert.deepEqual(await page.locator('.lanes .names b').allInnerTexts(), ['writer', 'editor'])
    const calls = episode.nodes.filter((n) => !n.sample)
    assert.deepEqual((await page.locator('.turn h3').allInnerTexts()).map((h) => h.trim()), calls.map((_, i) => `Call ${i + 1}`))
    const lefts = await page.locator('.lanes .cell').evaluateAll((cells) => cells.map((c) => c.getBoundingClientRect().left))
    assert.ok(lefts[1] > lefts[0] + 100, `one lane beside the other: ${lefts}`)
    assert.match(await text(page), /saw writer \(call 1\)/)
    const answered = page.locator('.turn .message', { hasText: 'the program answered' })
    assert.equal(await answered.count(), 1)
    const said = calls.at(-1).answers[0]
    assert.ok((await answered.innerText()).includes(said.split('\n')[0]), said)
    await accessible(page, 'an episode of a program')
    await close()
  },

  async 'episodes: filters and a brush change what is listed'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto(one + '/episodes')
    await page.waitForSelector('.virtual tbody tr')
    const count = async () => Number((await text(page, '.tools[role=status]')).match(/[\d,]+/)[0])
    const all = await count()
    assert.equal(all, metrics('magrpo-tiny').reduce((sum, line) => sum + line.problems, 0))
    await page.fill('[aria-label="advantage, at most"]', '-0.9')
    await page.keyboard.press('Enter')
    await page.waitForFunction((n) => Number(document.querySelector('.tools[role=status]').textContent.match(/\d+/)[0]) < n, all)
    for (const low of await page.locator('.virtual tbody tr td:nth-child(5) .n:first-child').allInnerTexts()) assert.ok(Number(low.replace('−', '-')) <= -0.9, low)
    await page.click('button:text-is("clear filters")')
    await page.waitForFunction((n) => Number(document.querySelector('.tools[role=status]').textContent.match(/\d+/)[0]) === n, all)
    const box = await page.locator('.dist svg').first().boundingBox()
    await page.mouse.move(box.x + box.width * 0.7, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.99, box.y + 20, { steps: 4 })
    await page.mouse.up()
    await page.waitForFunction((n) => Number(document.querySelector('.tools[role=status]').textContent.match(/\d+/)[0]) < n, all)
    await close()
  },

  async 'every tab of a run has an address, and a reload opens it'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto(one)
    await page.waitForSelector('.tabs')
    const names = await page.locator('.tabs a').allInnerTexts()
    assert.ok(names.includes('who contributes') && names.includes('talk'), names.join())
    for (const name of names) {
      await page.click(`.tabs a:text-is("${name}")`)
      await page.waitForSelector(`.tabs [aria-current=page]:text-is("${name}")`)
      await page.reload()
      await page.waitForSelector(`.tabs [aria-current=page]:text-is("${name}")`)
      await settled(page)
    }
    await goto(one + '/contribution')
    await page.waitForSelector('.contribution h2')
    await goto(one + '/talk')
    await page.waitForSelector('.talk textarea')
    await goto(one + '/nothing')
    await page.waitForSelector('.trouble:has-text("A run has no view")')
    await close()
  },

  async 'problems and episodes have the numbers that the command line gives them'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    const printed = (...args) => spawnSync(parley, ['run', ...args], { encoding: 'utf8', env: { ...process.env, PARLEY_RUNS: runs } }).stdout.split('\n')
    const [first, question] = printed('episode', 'magrpo-tiny', '2', '3')
    const [, where, id] = first.match(/^(update 2, episode 3): problem (.*)$/)
    await goto(one + '/episodes/2/3')
    await page.waitForSelector('.cell')
    assert.equal((await text(page, 'h1')).toLowerCase(), where)
    assert.ok((await text(page)).includes('problem ' + id) && (await text(page)).includes(question))
    assert.match(await text(page, '.bar'), new RegExp(where))
    await goto(one + '/episodes?from=2&to=2')
    await page.locator('.virtual tbody tr', { hasText: question.slice(0, 20) }).first().waitFor()
    assert.match(await page.locator('.virtual tbody tr', { hasText: question.slice(0, 20) }).first().innerText(), /^2\s+3\s/)
    const [heldOut, asked] = printed('answers', 'magrpo-tiny', '--problem', '2')
    await goto(one + '/held-out/2')
    await page.waitForSelector('h2:text-is("Held-out problem 2")')
    assert.match(heldOut, /^held-out problem 2: /)
    assert.ok((await text(page)).includes(asked))
    await goto(one + '/held-out')
    await page.waitForSelector('.virtual tbody tr')
    assert.match(await page.locator('.virtual tbody tr:not([aria-hidden])').nth(2).innerText(), /^2\s/)
    await close()
  },

  async 'an episode: Tab reaches every answer, Enter opens it, arrows go on from it'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/leader-tiny/episodes/1/0')
    await page.waitForSelector('.cell.at')
    const focused = () => page.evaluate(() => document.activeElement.closest('.cell')?.dataset.cell ?? null)
    const seen = new Set()
    for (let i = 0; i < 200 && seen.size < (await page.locator('.cell').count()); i++) {
      await page.keyboard.press('Tab')
      const cell = await page.evaluate(() => document.activeElement.matches('.cell') && document.activeElement.dataset.cell)
      if (!cell) continue
      seen.add(cell)
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none', 'the focus is visible')
      await page.keyboard.press('Enter')
      assert.equal(await page.locator('.cell.at').getAttribute('data-cell'), cell)
    }
    assert.equal(seen.size, await page.locator('.cell').count())
    const last = await focused()
    await page.locator('.cell').first().focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction(() => document.activeElement.matches('.cell.at')) // the focus follows when the next answer is drawn
    assert.notEqual(await focused(), last)
    await accessible(page, 'an episode by Tab')
    await close()
  },

  async 'compare: curves, interval over seeds, paired differences, what differs in the recipes'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/compare?run=magrpo-tiny&run=magrpo-tiny-s2')
    await page.waitForSelector('.plot canvas')
    const shown = await text(page)
    assert.match(shown, /2 seeds/)
    assert.match(shown, /mean of the agents/)
    assert.equal(await page.locator('figcaption .key').count(), 1, 'one recipe is one line, with its seeds behind it')
    await page.selectOption('label:has-text("of") select >> nth=0', 'agent 2')
    await page.waitForSelector('h2:has-text("agent 2")')
    await page.selectOption('label:has-text("curve") select', 'accuracy')
    await page.waitForSelector('h2:has-text("accuracy")')
    await page.selectOption('label:has-text("curve") select', 'reward')
    await page.waitForSelector('h2:has-text("reward")')
    assert.match(shown, /seed\s+1\s+2/)
    await page.selectOption('label:has-text("by") select', 'tokens')
    await page.waitForSelector('figcaption .at:has-text("tokens")')
    for (const value of await page.locator('figcaption >> nth=0 >> .key b').allInnerTexts()) assert.notEqual(value, '–', 'a run has no value where another one has its last')
    train('magrpo-tiny-cross', 'crossed')
    await goto('#/compare?run=magrpo-tiny&run=crossed')
    await page.waitForSelector('h3:text-is("Paired differences") + .sentence')
    const sentence = await text(page, '.sentence')
    assert.match(sentence, /^(No difference shown between magrpo-tiny and crossed: |(magrpo-tiny is better than crossed|crossed is better than magrpo-tiny) by ).*in share of the range \(95 % interval .*\) over 8 problems\.$/)
    await accessible(page, 'a verdict')
    rmSync(join(runs, 'crossed'), { recursive: true })
    await goto('#/compare?run=magrpo-tiny&run=leader-tiny')
    await page.waitForSelector('h2:text-is("On held-out problems") + p')
    await close()
  },

  async 'an experiment: a column for each key that its variants change, and what lacks'({ browser, server }) {
    const dir = join(runs, 'tried')
    const own = JSON.parse(readFileSync(join(runs, 'magrpo-tiny', 'run.json'), 'utf8'))
    delete own.checksum
    own.recipe = own.recipe.replace(/^experiment:.*\n( .*\n)*/m, '') + '\nexperiment: {seeds: [1, 2], variants: {plain: [], fast: [optimizer.lr=0.5]}}\n'
    mkdirSync(dir)
    writeFileSync(join(dir, 'run.json'), JSON.stringify(own))
    for (const name of ['plain-s1', 'plain-s2', 'fast-s2']) cpSync(join(runs, 'magrpo-tiny'), join(dir, name), { recursive: true })
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/tried')
    await page.waitForSelector('h2:has-text("of every variant")')
    assert.deepEqual(await page.locator('.grid th[scope=col]').allInnerTexts(), ['variant', 'optimizer.lr', 'score'])
    const rows = (await page.locator('.grid tbody tr').allInnerTexts()).map((row) => row.replace(/\s+/g, ' '))
    assert.match(rows[0], /^plain 0\.\d+ \d\.\d+.* 2 of 2 seeds/)
    assert.match(rows[1], /^fast 0\.5 \d\.\d+ 1 of 2 seeds; missing: 1 \(not begun\)/)
    await narrowEnough(page, 'an experiment')
    await accessible(page, 'an experiment')
    await page.click('button[title="compare plain with another variant"]')
    await page.click('button:text-is("with this")')
    await page.waitForSelector('h2:text-is("What differs in the recipes")')
    await close()
    rmSync(dir, { recursive: true })
  },

  async 'a run that another release has begun cannot go on here, and says so before anybody tries'({ browser, server }) {
    const dir = join(runs, 'stopped')
    cpSync(join(runs, 'magrpo-tiny'), dir, { recursive: true })
    rmSync(join(dir, 'report.json'))
    const own = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'))
    delete own.checksum
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/stopped')
    await page.waitForSelector('button:text-is("resume")')
    writeFileSync(join(dir, 'run.json'), JSON.stringify({ ...own, parley: '0.0.1-other' }))
    await page.reload()
    await page.waitForSelector('p:has-text("It cannot go on here: ")')
    assert.match(await text(page), /parley was 0\.0\.1-other, now /)
    assert.equal(await page.locator('button:text-is("resume")').count(), 0)
    await close()
    rmSync(dir, { recursive: true })
  },

  async 'task.view shows a problem of training and one that is held out'({ browser, server }) {
    const dir = join(runs, 'viewed')
    cpSync(join(runs, 'magrpo-tiny'), dir, { recursive: true })
    const own = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'))
    delete own.checksum
    own.recipe = own.recipe.replace(/^task:\n/m, "task:\n  view: 'To be done: {{.Question}}'\n")
    writeFileSync(join(dir, 'run.json'), JSON.stringify(own))
    const { page, goto, close } = await open(browser, server.url)
    for (const [tab, row] of [['problems', 'table tbody tr a'], ['held-out', '.virtual tbody tr a']]) {
      await goto('#/runs/viewed/' + tab)
      await page.locator(row).first().click()
      await page.waitForSelector('.panel :text("To be done: ")')
      await page.waitForSelector('summary:text-is("the question as it is")')
    }
    await close()
    rmSync(dir, { recursive: true })
  },

  async 'compare: a key that this release does not know says so, and one that the other release lacked is no difference'({ browser, server }) {
    const dir = join(runs, 'later')
    cpSync(join(runs, 'magrpo-tiny'), dir, { recursive: true })
    const file = join(dir, 'run.json')
    const meta = JSON.parse(readFileSync(file, 'utf8'))
    delete meta.checksum
    meta.recipe = meta.recipe.replace(/\nseed: \d+/, '$&\nhereafter: 5').replace(/\n *batch_tokens: .*/, '')
    writeFileSync(file, JSON.stringify(meta))
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/compare?run=later&run=magrpo-tiny-s2')
    await reach(page, '[aria-label="differences of recipes"] tbody tr')
    const rows = await page.locator('[aria-label="differences of recipes"] tbody tr').allInnerTexts()
    assert.ok(rows.some((r) => /^hereafter not in this release\s+5\s+–/.test(r)), rows.join(' | '))
    assert.ok(!rows.some((r) => r.includes('batch_tokens')), rows.join(' | '))
    await goto('#/runs/later/recipe')
    await page.waitForSelector('td:has-text("not in this release")')
    await close()
    rmSync(dir, { recursive: true })
  },

  async 'answers that are objects are trees, code is code, and every view has its command line'({ browser, server }) {
    const dir = join(runs, 'objects')
    cpSync(join(runs, 'magrpo-tiny'), dir, { recursive: true })
    rewrite(dir, 1, (lines) => {
      const [a, b] = lines[0].nodes[0].agents
      for (const c of a.completions) c.text = '{"thought": "add", "steps": [1, 2], "answer": {"value": 3}}'
      for (const c of b.completions) c.text = 'So:\n```python\ndef f(x):\n    return "x" # it\n```\nDone.'
    })
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/objects/episodes/1/0')
    await page.waitForSelector('.cell .tree')
    assert.match(await text(page, '.cell .answer'), /thought add[^]*answer\s+value 3/)
    await page.click('.cell button:text-is("as it was written")')
    await page.waitForSelector('.cell .said:has-text("{\\"thought\\"")')
    assert.deepEqual(await page.locator('.fenced .code-word').first().innerText(), 'def')
    assert.match(await page.locator('.cell:has(.fenced) .said').first().textContent(), /So:\n```python\ndef f\(x\):\n    return "x" # it\n```\nDone\./)
    await accessible(page, 'objects')
    assert.equal(await text(page, '.command code'), 'parley run episode objects 1 0')
    for (const [hash, command] of [['#/', 'run list'], ['#/runs/objects', 'run show objects'], ['#/runs/objects/diagnostics', 'run show objects --why'], ['#/compare?run=objects&run=magrpo-tiny', "ui get 'compare?run=objects&run=magrpo-tiny'"]]) {
      await goto(hash)
      await page.waitForFunction((want) => document.querySelector('.command code')?.textContent === want, 'parley ' + command)
    }
    await close()
    rmSync(dir, { recursive: true })
  },

  async 'programs: the tests that failed stand with their errors beside the code, with what each part paid, and what no run records is said'({ browser, server }) {
    const dir = join(runs, 'programs')
    cpSync(join(runs, 'magrpo-tiny'), dir, { recursive: true })
    const parts = { aux_defined: 0.4, ignored: 0, main_defined: 0.6, non_wrapper: 0, syntax: 0.5, tests: 0.5, use: 0.5 }
    const told = ['Your function aux was found.', "Your function twice was found.\nTests passed: 1 of 2.\nassert twice('') == False failed: IndexError: " + script]
    const code = ['def aux(a):\n    return a[0]', 'def twice(text):\n    return aux(text) == "a"  # the first']
    rewrite(dir, 1, (lines) =>
      lines.slice(0, 2).forEach(({ nodes: [node] }, i) => {
        node.agents.forEach((agent, k) => agent.completions.forEach((c) => (c.text = code[k])))
        node.scored = node.joint.map(() => ({ reward: 2, parts, flags: ['timeout'] }))
        if (i === 0) node.reports = node.joint.map(() => told)
      }),
    )
    for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) {
      const { page, goto, close } = await open(browser, server.url, { width, scheme })
      await goto('#/runs/programs/episodes/1/0')
      const cell = page.locator('.cell').nth(1)
      await cell.locator('.results').waitFor()
      assert.equal(await cell.locator('.said .code-word').first().innerText(), 'def')
      assert.equal(await cell.locator('.said .code-comment').innerText(), '# the first')
      assert.match(await cell.locator('.results').innerText(), /^Your function twice was found\.\nTests passed: 1 of 2\.\n✗ assert twice\(''\) == False\nIndexError: <script>/)
      assert.equal(await cell.locator('.results .wrong').count(), 1)
      assert.equal(await page.locator('.cell').first().locator('.results').innerText(), told[0])
      const paid = await page.locator('table.parts tbody tr').allInnerTexts()
      assert.equal(paid.length, Object.keys(parts).length)
      assert.ok(paid.some((row) => /^tests\s+0\.5(00)?\s+share of the tests that pass$/.test(row)), paid.join('\n'))
      await narrowEnough(page, 'programs at ' + width)
      await accessible(page, 'programs at ' + width)
      await goto('#/runs/programs/episodes/1/1')
      await page.waitForSelector('.results')
      assert.match(await page.locator('.cell .results').first().innerText(), /Which tests passed is not recorded: .*team\.feedback/)
      await close()
    }
  },

  async 'compare: of 64 runs each is drawn with few points, and only words and marks change while the pointer moves'({ browser }) {
    const many = join(root, 'many')
    const like = readFileSync(join(runs, 'marloo-tiny', 'run.json'), 'utf8')
    const ids = Array.from({ length: 64 }, (_, i) => `r${Math.floor(i / 8)}-s${(i % 8) + 1}`)
    ids.forEach((id, i) => {
      mkdirSync(join(many, id), { recursive: true })
      const run = JSON.parse(like)
      run.recipe = run.recipe.replace(/^name: .*$/m, `name: ${id.slice(0, 2)}`).replace(/^seed: .*$/m, `seed: ${(i % 8) + 1}`)
      writeFileSync(join(many, id, 'run.json'), JSON.stringify(run))
      writeFileSync(join(many, id, 'metrics.jsonl'), Array.from({ length: 900 }, (_, k) => `{"update":${k + 1},"reward":[${Math.sin(k * i).toFixed(3)}],"tokens":5}\n`).join(''))
    })
    const server = await serve(many, { flags: ['--read-only'] })
    const { page, goto, close } = await open(browser, server.url)
    await page.addInitScript(() => {
      globalThis.drawn = { paths: [], strokes: 0, inFrame: 0, mostInFrame: 0 }
      const frame = () => ((globalThis.drawn.inFrame = 0), requestAnimationFrame(frame))
      requestAnimationFrame(frame)
      const { lineTo } = Path2D.prototype
      Path2D.prototype.lineTo = function (...at) {
        if (this.points === undefined) globalThis.drawn.paths.push(this)
        this.points = (this.points ?? 0) + 1
        globalThis.drawn.mostInFrame = Math.max(globalThis.drawn.mostInFrame, ++globalThis.drawn.inFrame)
        return lineTo.apply(this, at)
      }
      const { stroke } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.stroke = function (...what) {
        globalThis.drawn.strokes++
        return stroke.apply(this, what)
      }
    })
    await goto('#/compare?' + ids.map((id) => 'run=' + id).join('&'))
    await page.reload()
    await page.waitForSelector('.plot canvas', { timeout: 60_000 })
    assert.equal(await page.locator('figcaption .key').count(), 8)
    const box = await page.locator('.plot .u-over').boundingBox()
    const drawn = () => page.evaluate(() => ({ strokes: globalThis.drawn.strokes, points: globalThis.drawn.paths.map((p) => p.points).toSorted((a, b) => a - b) }))
    const whole = (times) => page.waitForFunction((n) => globalThis.drawn.paths.length >= n && document.querySelectorAll('.layer canvas[style*="visible"]').length === 1, times * (64 + 4 * 8))
    await whole(1)
    const first = await drawn()
    assert.ok(first.points.filter((n) => n <= 201).length >= 64, 'points of curves: ' + first.points)
    assert.ok(first.points.length <= 64 + 8 * 8, `${first.points.length} paths: all is drawn once`)
    assert.ok((await page.locator('.u-cursor-pt').count()) <= 8, 'a mark for each mean, none for seeds')
    await page.evaluate(() => {
      globalThis.changed = []
      new MutationObserver((all) => all.forEach(({ target }) => globalThis.changed.push((target.nodeType === 1 ? target : target.parentElement).closest('figcaption, .u-over')?.className ?? target.nodeName))).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    })
    const said = await page.locator('figcaption').innerText()
    for (let i = 1; i <= 20; i++) await page.mouse.move(box.x + (box.width * i) / 25, box.y + 40)
    await page.waitForFunction((before) => document.querySelector('figcaption').innerText !== before, said)
    assert.equal((await drawn()).strokes, first.strokes, 'a move draws no curve again')
    assert.deepEqual([...new Set(await page.evaluate(() => globalThis.changed))].toSorted(), ['', 'u-over'], 'what changes are the words below and the marks')
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 })
    await page.mouse.up()
    await whole(2)
    const most = await page.evaluate(() => globalThis.drawn.mostInFrame)
    assert.ok(most > 1000 && most < 7000, `${most} points of curves are drawn in a frame`)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.4, box.y + 40, { steps: 3 })
    await page.mouse.up()
    await page.waitForFunction((n) => globalThis.drawn.strokes > n, first.strokes)
    await close()
    await server.stop()
  },

  async 'long questions are folded, and a problem is shown as task.view says'({ browser, server }) {
    const viewed = (name, view) => {
      const dir = join(runs, name)
      cpSync(join(runs, 'own-harness'), dir, { recursive: true })
      const run = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'))
      run.recipe = run.recipe.replace('name: data', `name: data\n  view: '${view}'`)
      writeFileSync(join(dir, 'run.json'), JSON.stringify(run))
      return dir
    }
    const asked = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n')
    rewrite(viewed('viewed', '{{.Question}} → {{.Truth}} ' + mark), 1, ([first]) => (first.problem.question = 'How many?'))
    rewrite(viewed('view-fails', '{{.Fields.shelf}}'), 1, ([first]) => (first.problem.question = asked))
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/viewed/episodes/1/0')
    await page.waitForSelector('.cell')
    const [{ problem }] = episodesOf('viewed', 1)
    const panel = page.locator('.panel').first()
    assert.equal(await panel.locator('.said').first().innerText(), `How many? → ${problem.truth} RLO`)
    await panel.locator('summary:text-is("the question as it is")').click()
    assert.equal(await panel.locator('details .said').innerText(), 'How many?')
    await accessible(page, 'a problem as task.view shows it')
    await goto('#/runs/view-fails/episodes/1/0')
    await page.waitForSelector('.cell')
    assert.equal(await panel.locator('.trouble').innerText(), 'task.view cannot be filled: prompt template, line 1, .Fields.shelf: there is no "shelf"')
    const said = panel.locator('.said')
    assert.match(await said.innerText(), /^line 1\n[^]*line 8 ?… show all, \d+ more characters\s*$/)
    await said.getByRole('button').click()
    assert.match(await said.innerText(), /line 40\s+show less\s*$/)
    await said.getByRole('button').click()
    assert.ok(!(await said.innerText()).includes('line 9'))
    await close()
  },

  async 'every command line of a view is one that runs'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    const seen = []
    for (const hash of [...Object.values(views), one + '/episodes?from=1&to=2']) {
      await goto(hash)
      await page.waitForFunction((title) => document.title !== title, seen.at(-1)?.title ?? '')
      seen.push({ title: await page.title(), command: await page.evaluate(() => document.querySelector('.command code')?.textContent) })
    }
    const commands = [...new Set(seen.map((s) => s.command).filter(Boolean))]
    assert.ok(commands.length > 8, commands.join('; '))
    for (const command of commands) {
      const done = spawnSync('sh', ['-c', command.replace(/^parley/, '"$0"'), parley], { encoding: 'utf8', env: { ...process.env, PARLEY_RUNS: runs } })
      assert.equal(done.status, 0, command + ': ' + done.stderr)
    }
    await close()
  },

  async 'a study: its cells with what is done of them, from the list of runs to the runs of a cell'({ browser, server }) {
    const dir = join(runs, 'study-pairs')
    mkdirSync(dir)
    writeFileSync(join(dir, 'study.yaml'), 'name: pairs\nquestion: Which rate is it?\nrecipes: {pair: magrpo-tiny, gone: gone.yaml}\nfactors: {rate: {low: [optimizer.lr=0.001], high: [optimizer.lr=0.01]}}\nseeds: [1, 2]\n')
    for (const cell of ['low-s1', 'low-s2', 'high-s1']) cpSync(join(runs, 'magrpo-tiny'), join(dir, 'pair-' + cell), { recursive: true })
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/')
    await page.getByRole('link', { name: 'study-pairs', exact: true }).click()
    await page.waitForSelector('table.grid')
    const shown = await text(page)
    assert.match(shown, /Which rate is it\?/)
    assert.match(shown, /3 of 8 runs are done/)
    assert.match(await text(page, 'table.grid'), /pair\s+0\.\d{3}\s+2 equal\s+2 of 2 seeds/, 'an interval of equal seeds has no width')
    assert.match(shown, /seed 1: not begun/)
    await accessible(page, 'study')
    await page.click('a:text-is("2 of 2 seeds")')
    await page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).getAll('run').length === 2)
    await goto('#/studies/study-pairs')
    await page.locator('table.grid button:text-is("compare")').first().click()
    await page.waitForSelector('[role=status]:has-text("Choose the cell that")')
    await accessible(page, 'a cell that is chosen')
    await page.locator('table.grid button:text-is("with this")').first().click()
    await page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).getAll('run').join() === ['low-s1', 'low-s2', 'high-s1'].map((cell) => 'study-pairs/pair-' + cell).join())
    await close()
    rmSync(dir, { recursive: true })
  },

  async 'curves: smoothed where one says so, and a click leads to the episodes of that update'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto(one + '/curves')
    await page.waitForSelector('.plot canvas')
    await page.selectOption('label:has-text("smooth") select', '0.9')
    await page.waitForSelector('p:has-text("Strong lines are smoothed")')
    const box = await page.locator('.plot .u-over').first().boundingBox()
    await page.mouse.move(box.x + box.width - 3, box.y + 20)
    await page.mouse.down()
    await page.mouse.up()
    await page.waitForFunction(() => /episodes\?from=2&to=2$/.test(location.hash))
    await page.waitForSelector('.virtual tbody tr')
    await close()
  },

  async 'an experiment: its runs, its variants, a table for each measure, and colors only where an interval leaves 0'({ browser, server }) {
    const write = (name, value) => (mkdirSync(dirname(join(runs, name)), { recursive: true }), writeFileSync(join(runs, name), JSON.stringify(value)))
    const meta = (name) => ({ format: 1, name, seed: 1, task: 'sums', recipe: `name: ${name}\nalgorithm: magrpo\ntraining: {updates: 3}\n` })
    const names = ['a-s1', 'a-s2', 'b-s1', 'b-s2']
    write('twins/run.json', meta('twins'))
    for (const name of names) {
      write(`twins/${name}/run.json`, meta(name))
      writeFileSync(join(runs, 'twins', name, 'metrics.jsonl'), [1, 2, 3].map((update) => JSON.stringify({ update, reward: [0.5] }) + '\n').join(''))
    }
    const row = (variant, system, score) => ({ variant, system, score, raw: 2 * score - 1, ci95: [score - 0.1, score + 0.1], per_turn: [score], tokens_per_problem: 9 })
    write('twins/report.json', {
      recipe: 'twins', metric: 'share of the range', measure: { name: 'share of the range', of: 'return', of_low: -1, of_high: 1 }, problems: 20, updates: 12, runs: names, gain: -4.6e-18,
      rows: [row('a', 'trained', 0.5), row('b', 'trained', 0.75)], also: { metric: 'accuracy', rows: [row('a', 'trained', 0.25)] },
      comparisons: [[-4.6e-18, [-1e-17, 1e-17]], [-3.9e-5, [-0.2, 0.2]], [0.25, [0.1, 0.4]], [-0.25, [-0.4, -0.1]]].map(([difference, ci95], i) => ({ system: 'trained', against: `other ${i}`, difference, ci95, p: i < 2 ? 0.9997 : 0.00001 })),
      pass_at: [{ system: 'trained', k: 3, value: 0.875, ci95: [0.8, 0.9] }],
    })
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/twins')
    await page.waitForSelector('h2:text-is("Systems on 20 held-out problems")')
    assert.match(await text(page, '.head'), /4\s+runs of an experiment, 12 updates in all/)
    assert.doesNotMatch(await text(page, '.head'), /of 3/)
    const tables = await page.locator('section:has(h2:has-text("Systems on")) table').allInnerTexts()
    assert.match(tables[0], /variant\s+system\s+share of the range\s+95 % interval\s+per turn\s+return/)
    assert.match(tables[0], /a\s+trained\s+0\.500[^]*0\.000\s+9[^]*b\s+trained\s+0\.750[^]*0\.500\s+9/)
    assert.match(tables[1], /accuracy[^]*0\.250/)
    assert.match(tables[2], /pass@k[^]*trained\s+3\s+0\.875/)
    const differences = page.locator('section:has(h2:has-text("Systems on")) p > .n')
    assert.deepEqual(await differences.allInnerTexts(), ['0.000', '0.000', '+0.250', '−0.250'])
    assert.deepEqual((await differences.evaluateAll((all) => all.map((e) => e.className.trim()))), ['n', 'n', 'n plus', 'n minus'])
    await goto('#/')
    await page.waitForSelector('tr:has-text("twins") >> text=12 in 4 runs')
    rmSync(join(runs, 'twins'), { recursive: true })
    await close()
  },

  async 'the same problem through training'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto(one + '/problems')
    await page.waitForSelector('td a')
    await page.locator('td a').first().click()
    await page.waitForSelector('.through article')
    assert.match(await text(page, '.through'), /update \d/)
    await close()
  },

  async 'held-out: the curve beside the training, problems by change, two dialogues side by side, one problem through training, by keys'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    const panels = metrics('magrpo-tiny').map((line) => line.panel)
    await goto(one)
    await page.waitForSelector('[aria-label="held-out score"] canvas')
    const caption = await text(page, '[aria-label="held-out score"] figcaption')
    assert.ok(caption.replace(/\s+/g, ' ').includes(`untrained ${Number(panels[0].untrained.toFixed(3))}`), caption)
    assert.match(await page.locator('[aria-label="held-out score"] [role=img]').getAttribute('aria-label'), /by update, 3 points/)
    await goto(one + '/held-out')
    await page.waitForSelector('.virtual tbody tr')
    assert.equal(await page.locator('.virtual tbody tr').count(), 8)
    await page.selectOption('label:has-text("order") select', 'lost')
    await page.waitForFunction(() => location.hash.endsWith('?order=lost'))
    const changes = (await page.locator('.virtual tbody td:nth-child(1)').allInnerTexts()).map((x) => Number(x.replace('−', '-')))
    assert.deepEqual(changes, changes.toSorted((a, b) => a - b))
    await page.locator('h1').click()
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.waitForSelector('section[aria-label="trained"] .message')
    assert.equal(await page.locator('section[aria-label="off-the-shelf"] .message').count(), 2, 'two agents have spoken')
    const first = page.url()
    await page.keyboard.press('n')
    await page.waitForFunction((was) => location.href !== was, first)
    await page.keyboard.press('p')
    await page.waitForFunction((was) => location.href === was, first)
    await goto(one + '/held-out/0')
    await page.waitForSelector('.through article')
    assert.deepEqual((await page.locator('.through h3').allInnerTexts()).map((h) => h.replace(/ [-\d.]+$/, '')), ['untrained', 'update 1', 'update 2'])
    await page.selectOption('label:has-text("right") select', 'off-the-shelf')
    await page.waitForFunction(() => document.querySelectorAll('section[aria-label="off-the-shelf"]').length === 2)
    await accessible(page, 'a held-out problem')
    await goto('#/runs/chain-tiny/held-out')
    await page.waitForSelector('p:has-text("no answers to held-out problems")')
    await goto('#/runs/vote-panel/held-out/1')
    await page.waitForSelector('.through article')
    await close()
  },

  async 'compare: problems at which one run is better, with what all agents answered and both dialogues'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/compare?run=magrpo-tiny&run=magrpo-tiny-s2')
    await reach(page, '[aria-label="run A"]')
    await page.waitForSelector('[role=status]:has-text("that both have")')
    const shown = async () => Number((await text(page, '[role=status]:has-text("that both have")')).match(/\d+/)[0])
    const one = await shown()
    assert.deepEqual(await page.locator('label:has-text("show") option').allInnerTexts(), ['A better', 'B better'], 'a share of the range is neither right nor wrong')
    await page.selectOption('label:has-text("show") select', '-1')
    const other = await shown()
    assert.ok(one + other > 0, 'two runs score the same')
    if (other === 0) await page.selectOption('label:has-text("show") select', '1')
    await page.locator('.pairs button').first().focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('section[aria-label^="A: magrpo-tiny, trained"] .message')
    await page.waitForSelector('section[aria-label^="B: magrpo-tiny-s2, trained"] .message')
    assert.equal(await page.locator('.pairs [aria-expanded=true]').count(), 1)
    for (const side of ['A', 'B']) assert.equal(await page.locator(`section[aria-label^="${side}: "] .message`).count(), 2, 'both agents of the team')
    assert.match(await page.locator('.pairs tbody td').nth(3).innerText(), /\d · /, 'what both answered')
    await accessible(page, 'two runs problem by problem')
    await narrowEnough(page, 'two runs problem by problem')
    await close()
  },

  async 'compare: answers that are right or wrong are called so'({ browser, server }) {
    const two = join(runs, 'vote-panel-2')
    cpSync(join(runs, 'vote-panel'), two, { recursive: true })
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/compare?run=vote-panel&run=vote-panel-2')
    await reach(page, '[aria-label="run A"]')
    await page.waitForSelector('[role=status]:has-text("that both have")')
    assert.deepEqual(await page.locator('label:has-text("show") option').allInnerTexts(), ['A right, B wrong', 'B right, A wrong'])
    await close()
    rmSync(two, { recursive: true })
  },

  async 'hostile texts are shown as text: scripts, marks of direction, megabytes'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/hostile/episodes/1/0')
    await page.waitForSelector('.cell')
    const cell = page.locator('.cell').first()
    if (!(await cell.innerText()).includes('<script>')) await cell.locator('.siblings button').first().click()
    assert.ok((await cell.innerText()).includes(script), 'the script is text')
    assert.equal(await cell.locator('.mark', { hasText: 'RLO' }).count(), 1)
    assert.equal(await cell.locator('.mark', { hasText: 'ZWSP' }).count(), 1)
    assert.ok((await page.locator('.cell').nth(1).innerText()).length < 10_000, 'a long text is cut')
    await page.locator('.cell').nth(1).locator('button:has-text("show all")').click()
    await page.waitForFunction((n) => document.querySelectorAll('.cell')[1].querySelector('.said').textContent.length >= n, long.length)
    await goto('#/runs/hostile/episodes')
    await page.waitForSelector('.virtual tbody tr')
    await page.setViewportSize({ width: 390, height: 800 })
    await goto('#/runs/hostile/episodes/1/1')
    await page.waitForSelector('.cell')
    await narrowEnough(page, 'a truth of one long word')
    await goto('#/runs/hostile')
    await settled(page)
    await narrowEnough(page, 'a run with many checkpoints')
    await goto('#/runs/hostile/held-out/0')
    const answer = page.locator('section[aria-label="trained"]')
    await answer.locator('.message').first().waitFor()
    assert.ok((await answer.innerText()).includes(script), 'the script is text')
    assert.equal(await answer.locator('.mark', { hasText: 'RLO' }).count(), 1)
    assert.ok((await answer.innerText()).length < 20_000, 'a long text is cut')
    await narrowEnough(page, 'a hostile answer to a held-out problem')
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined)
    await close()
  },

  async 'live: the curves of a run that trains grow without a reload'({ browser, server }) {
    const out = join(runs, 'live')
    rmSync(out, { recursive: true, force: true })
    const child = spawn(parley, ['train', 'magrpo-tiny', '--out', out, '--set', 'eval.problems=8', '--set', 'training.updates=400'], { stdio: 'ignore' })
    const ended = new Promise((done) => child.on('exit', done))
    try {
      const { page, goto, close } = await open(browser, server.url)
      await goto('#/')
      await run(page, 'live').waitFor()
      await goto('#/runs/live/curves')
      await page.waitForSelector('.plot canvas', { timeout: 150_000 })
      const update = async () => Number((await text(page, 'figcaption .at')).match(/\d+/)[0])
      const first = await update()
      await page.waitForFunction((n) => Number(document.querySelector('figcaption .at').textContent.match(/\d+/)[0]) >= n + 3, first, { timeout: 150_000 })
      assert.match(await text(page, '.head'), /running/)
      assert.match(await text(page, '.head'), /s an update, about .* left/)
      await goto('#/compare?run=live&run=magrpo-tiny')
      await page.waitForSelector('.plot canvas')
      const before = await update()
      await page.waitForFunction((n) => Number(document.querySelector('figcaption .at').textContent.match(/\d+/)[0]) >= n + 3, before, { timeout: 150_000 })
      await goto('#/runs/live/curves')
      await page.waitForSelector('.head')
      child.kill('SIGINT')
      await ended
      await page.waitForFunction(() => /interrupted/.test(document.querySelector('.head').textContent), undefined, { timeout: 60_000 })
      await close()
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  },

  async 'start: errors stand at their places while one types, and a right recipe trains'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/start')
    await page.waitForSelector('textarea')
    const small = 'name: from-the-page\npreset: magrpo-tiny\ntraining:\n  updates: 1\n  problems: 2\neval:\n  problems: 4\n'
    await page.fill('textarea', small.replace('problems: 2', 'problem: 2'))
    await page.waitForSelector('.editor .line.bad')
    assert.match(await text(page, '.editor .line.bad .no'), /5/)
    assert.match(await text(page, '.errors'), /line 5/)
    assert.ok(await page.locator('button:text-is("start")').isDisabled())
    await page.fill('textarea', small)
    await page.waitForSelector('button:text-is("start"):enabled')
    await page.click('button:text-is("start")')
    await page.waitForSelector('td a:has-text("from-the-page")', { timeout: 150_000 })
    await page.waitForFunction(() => /done/.test(document.querySelector('#content table').textContent), undefined, { timeout: 150_000 })
    await page.locator('td a:has-text("from-the-page")').first().click()
    await page.waitForSelector('h2:has-text("Systems on 4 held-out problems")')
    await page.click('a:text-is("clone")')
    await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('from-the-page'))
    await page.fill('textarea', small.replace('from-the-page', 'to-be-stopped').replace('updates: 1', 'updates: 2000'))
    await page.waitForSelector('button:text-is("start"):enabled')
    await page.click('button:text-is("start")')
    await page.locator('td a:has-text("to-be-stopped")').first().click({ timeout: 150_000 })
    await page.click('button:text-is("stop")', { timeout: 150_000 })
    await page.waitForSelector('button:text-is("resume")', { timeout: 150_000 })
    await close()
  },

  async 'swap: a problem again with an untrained agent, beside the original'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto(one + '/episodes/1/0')
    await page.click('.swap > summary')
    await page.click('button:text-is("play again")')
    await page.waitForSelector('h3:has-text("swapped")', { timeout: 150_000 })
    assert.ok((await page.locator('.swap article .message').count()) >= 4, 'both dialogues are there')
    await page.selectOption('.swap label:has-text("is") select', 'run')
    await page.selectOption('.swap label:has-text("run") select >> nth=-1', 'magrpo-tiny-s2')
    await page.click('button:text-is("play again")')
    await page.waitForSelector('.swap h3:has-text("magrpo-tiny-s2")', { timeout: 150_000 })
    await goto(one + '/swaps')
    await page.waitForSelector('h3:has-text("swapped")')
    await close()
  },

  async 'talk: a question to the team and to one agent, typed on the page, answered, kept and in the exported file'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto(one + '/talk')
    await reach(page, '.talk textarea')
    await page.locator('.talk textarea').fill(' ')
    assert.ok(await page.locator('.talk button:text-is("ask")').isDisabled(), 'nothing is no question')
    const asked = (n) => reach(page, '.talk article', n)
    await page.locator('.talk textarea').fill(`--json ${script}\nWhat is 2 + 3?`)
    await page.keyboard.press('Control+Enter')
    await asked(1)
    const first = await text(page, '.talk article')
    assert.match(first, /^the team\s+after update 2 /)
    assert.ok(first.includes(script), 'the script is text')
    assert.equal(await page.locator('.talk article .message').count(), 2, 'two agents speak, beside each other')
    assert.equal(await page.locator('.talk article .cells').count(), 1)
    await page.selectOption('.talk label:has-text("to") select', { label: 'agent 2 alone' })
    await page.selectOption('.talk label:has-text("as it is") select', { label: 'after update 1' })
    await page.locator('.talk label:has-text("seed") input').fill('7')
    await page.click('.talk button:text-is("ask")')
    await asked(2)
    assert.match(await text(page, '.talk article'), /^agent 2\s+after update 1 .*seed 7/)
    await accessible(page, 'questions')
    appendFileSync(join(runs, 'magrpo-tiny', 'questions.jsonl'), '{"question":\n')
    await goto('#/')
    await goto(one + '/talk')
    await asked(2)
    await page.waitForSelector('text=1 line of questions.jsonl is damaged and left out.')
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined)
    await page.setViewportSize({ width: 390, height: 800 })
    await narrowEnough(page, 'questions at 390')
    await close()

    const reading = await serve(runs, { flags: ['--read-only'] })
    const read = await open(browser, reading.url)
    await read.goto(one + '/talk')
    await reach(read.page, '.talk article')
    assert.equal(await read.page.locator('.talk textarea').count(), 0)
    await read.close()
    await reading.stop()
    const file = join(root, 'asked.html')
    assert.equal(spawnSync(parley, ['ui', 'export', join(runs, 'magrpo-tiny'), '--out', file, '--episodes', '1']).status, 0)
    const alone = await open(browser, 'file://', { withToken: false })
    await alone.page.goto('file://' + file + one + '/talk')
    await reach(alone.page, '.talk article')
    assert.equal(await alone.page.locator('.talk textarea').count(), 0)
    assert.ok((await text(alone.page, '.talk')).includes(script))
    await alone.close()
  },

  async 'what cannot work is not offered, and the reason stands in its place'({ browser, server }) {
    const bare = join(runs, 'bare')
    cpSync(join(runs, 'magrpo-tiny'), bare, { recursive: true })
    for (const kept of ['checkpoints', 'adapters', 'evaluation']) rmSync(join(bare, kept), { recursive: true })
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/bare/talk')
    await page.waitForSelector('.talk p:has-text("It cannot be asked: ")')
    assert.match(await text(page, '.talk'), /has no checkpoint yet, so nobody can be asked; the recipe's training\.checkpoint says after how many updates one is written/)
    assert.equal(await page.locator('.talk textarea').count(), 0)
    await accessible(page, 'a team that cannot be asked')
    await goto('#/runs/bare')
    await page.waitForSelector('p:has-text("What they answered is not kept: ")')
    assert.equal(await page.locator('a:text-is("what they answered")').count(), 0)
    assert.doesNotMatch(await text(page), /train it further|talk to it/)
    await goto('#/runs/bare/episodes/1/0')
    await page.click('.swap > summary')
    await page.waitForSelector('.swap p:has-text("It cannot be played again: ")')
    assert.ok(await page.locator('.swap button:text-is("play again")').isDisabled())
    await goto(one)
    await page.waitForSelector('a:text-is("what they answered")')
    assert.match(await text(page), /train it further/)
    await close()
    rmSync(bare, { recursive: true })
  },

  async 'talk: a team that cannot be asked says why'({ browser, server }) {
    train('read-s-tiny', 'walk', '--set', 'eval.problems=1')
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/walk/talk')
    await reach(page, '.talk textarea')
    await page.locator('.talk textarea').fill('Where to?')
    await page.click('.talk button:text-is("ask")')
    await page.waitForSelector('.talk [role=status]:has-text("failed")', { timeout: 150_000 })
    assert.match(await text(page, '.talk [role=status]'), /the team acts in an environment, and a typed question has none: ask one of its agents alone/)
    await close()
    rmSync(join(runs, 'walk'), { recursive: true })
  },

  async 'tokens: what a run does not record is computed from the page, kept, and in the exported file'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto(one + '/episodes/1/0')
    await page.waitForSelector('.cell')
    await page.keyboard.press('t')
    await page.waitForSelector('.token')
    assert.equal(await page.locator('button:text-is("ratio")').count(), 0)
    await page.click('button:has-text("compute entropy")')
    await page.waitForSelector('button:text-is("ratio")', { timeout: 150_000 })
    for (const [name, about] of [['entropy', /entropy: of the distribution that the token was drawn from/], ['KL', /distance from the base/], ['advantage', /becomes more or less probable/], ['ratio', /after the update/]]) {
      await page.click(`.why button:text-is("${name}")`)
      assert.match(await text(page, '.why'), about)
    }
    const facts = await text(page, '.tokenfacts')
    for (const name of ['log-probability', 'entropy', 'KL', 'advantage', 'ratio', 'clip']) assert.match(facts, new RegExp(name + '\\s+[−\\dan+]'), facts)
    await page.click('button:text-is("as a table")')
    const cells = await page.locator('[aria-label="tokens as a table"] tbody tr').first().locator('td').allInnerTexts()
    assert.ok(cells.length === 9 && cells.every((c) => c !== '–'), cells.join(' | '))
    await accessible(page, 'tokens')
    await page.reload()
    await page.waitForSelector('.cell')
    await page.keyboard.press('t')
    await page.waitForSelector('button:text-is("ratio")')
    await close()
    const file = join(root, 'tokens.html')
    assert.equal(spawnSync(parley, ['ui', 'export', join(runs, 'magrpo-tiny'), '--out', file]).status, 0)
    assert.match(readFileSync(file, 'utf8'), /"ratio":[\d.]+/)
  },

  async 'a run that is deleted while it is shown'({ browser, server }) {
    cpSync(join(runs, 'magrpo-tiny'), join(runs, 'short-lived'), { recursive: true })
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/runs/short-lived')
    await page.waitForSelector('h2')
    rmSync(join(runs, 'short-lived'), { recursive: true })
    await page.waitForSelector('.trouble:has-text("gone")', { timeout: 60_000 })
    assert.match(await text(page), /Systems on 8 held-out problems/)
    await close()
  },

  async 'numbers that are damaged in the middle: what is before is drawn, and the page says where it ends'({ browser, server }) {
    cpSync(join(runs, 'magrpo-tiny'), join(runs, 'cut'), { recursive: true })
    const [before] = metrics('cut')
    writeFileSync(join(runs, 'cut', 'metrics.jsonl'), JSON.stringify(before) + '\n{"update":2,"rew\n')
    const { page, goto, close } = await open(browser, server.url)
    for (const tab of ['', '/curves']) {
      await goto('#/runs/cut' + tab)
      await settled(page)
      assert.match(await text(page, '.trouble'), /metrics\.jsonl is damaged after update 1/)
      assert.ok((await page.locator('.plot').count()) > 0, 'no curve')
    }
    await close()
    rmSync(join(runs, 'cut'), { recursive: true })
  },

  async 'tags and a note are kept beside the runs, and hidden where the server only reads'({ browser, server }) {
    const { page, goto, close } = await open(browser, server.url)
    await goto('#/')
    await page.click('[aria-label="tags and note of magrpo-tiny"]')
    await page.keyboard.type('#good the first')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.tag:has-text("#good")')
    await page.reload()
    await page.waitForSelector('.tag:has-text("#good")')
    for (const end of ['', ', and more']) {
      await page.click('[aria-label="tags and note of magrpo-tiny"]')
      await page.keyboard.press('End')
      await page.keyboard.type(' #good ' + 'long'.repeat(60) + end)
      await page.keyboard.press('Enter')
      await page.waitForSelector('.tag:has-text("#good") ~ .short')
    }
    assert.equal(await page.locator('.tag:has-text("#good")').count(), 1)
    await close()
    const reader = await serve(runs, { flags: ['--read-only'] })
    const other = await open(browser, reader.url)
    await other.goto('#/')
    await other.page.waitForSelector('.tag:has-text("#good")')
    assert.equal(await other.page.locator('[aria-label^="tags and note"]').count(), 0)
    assert.match(await text(other.page, '.bar'), /read only/)
    await other.close()
    await reader.stop()
  },

  async 'without the token the page asks for it'({ browser, server }) {
    const { page, close } = await open(browser, server.url, { withToken: false })
    await page.goto(server.url)
    await page.waitForSelector('text=Token')
    await page.fill('input', 'a-token-of-the-tests')
    await page.click('button')
    await page.waitForSelector('h1:text-is("Runs")')
    await close()
  },

  async 'an exported file opens from disk with no network'({ browser }) {
    const file = join(root, 'run.html')
    const done = spawnSync(parley, ['ui', 'export', join(runs, 'hostile'), '--out', file], { encoding: 'utf8' })
    assert.equal(done.status, 0, done.stderr)
    assert.ok(statSync(file).size < 64 << 20)
    const context = await browser.newContext({ offline: true })
    const page = await context.newPage()
    const asked = []
    page.on('request', (r) => !r.url().startsWith('file:') && !/^data:/.test(r.url()) && asked.push(r.url()))
    const errors = []
    page.on('pageerror', (e) => errors.push(e.message))
    await page.goto('file://' + file)
    await page.waitForSelector('h1:has-text("hostile")')
    await page.waitForSelector('.plot canvas')
    assert.ok(!readFileSync(file, 'utf8').includes(root), 'the file has no path of whoever wrote it')
    const odd = join(runs, "a&b (c)'s+d")
    cpSync(join(runs, 'magrpo-tiny'), odd, { recursive: true })
    assert.equal(spawnSync(parley, ['ui', 'export', odd, '--out', join(root, 'odd.html')]).status, 0)
    rmSync(odd, { recursive: true })
    await page.goto('file://' + join(root, 'odd.html'))
    await page.waitForSelector('.plot canvas')
    await page.goto('file://' + file)
    await page.waitForSelector('h1:has-text("hostile")')
    await page.goto('file://' + file + '#/runs/hostile/episodes')
    await page.waitForSelector('.virtual tbody tr')
    assert.deepEqual(await page.locator('.dist b').allInnerTexts(), ['return', 'advantage'], 'only what the file can filter by')
    assert.equal(await page.locator('label:has-text("agent") select').count(), 0)
    await page.goto('file://' + file + '#/runs/hostile/episodes/1/0')
    await page.waitForSelector('.cell')
    await page.keyboard.press('t')
    await page.waitForSelector('.token')
    await accessible(page, 'exported file')
    await page.goto('file://' + file + '#/runs/hostile/held-out/1')
    await page.waitForSelector('.through article')
    assert.equal(await page.locator('section[aria-label="trained"] .message').count(), 2)
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined)
    assert.deepEqual([asked, errors], [[], []])
    await context.close()
  },
}
