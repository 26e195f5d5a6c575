import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CacheBudget } from '../lib/cache-budget.ts'
import { Unavailable } from '../lib/errors.ts'
import { usualWorkLimits, WorkBudget, WorkTooCostly } from '../lib/work-budget.ts'
import { startForge } from '../testing/forge.ts'
import { longestStall } from '../testing/loop-stalls.ts'
import { languageOfFile } from './highlight.ts'
import { linkBases } from './links.ts'
import { createTexts, type Reader, type Texts } from './texts.ts'

const footnotes = (count: number): string => {
  const numbers = Array.from({ length: count }, (_, index) => index)
  return `${numbers.map((each) => `[^${each}]`).join(' ')}\n\n${numbers.map((each) => `[^${each}]: note`).join('\n')}`
}

/** Texts that once took seconds to minutes. */
const hostile: Readonly<Record<string, string>> = {
  'open elements': '<div>'.repeat(166_000),
  footnotes: footnotes(20_000),
  emoji: ':smile:'.repeat(142_000),
  references: ' #1'.repeat(333_000),
  'letters of three bytes': '‹'.repeat(340_000),
  drawings: '<svg>'.repeat(200_000),
}

test('renderMarkdown: a hostile text is answered and does not block the server', async () => {
  await using forge = await startForge({ settings: { ingot: { MARKUP_TIMEOUT: '1s' } } })
  const client = forge.as('ann')
  await client.get('/user')
  for (const [name, Text] of Object.entries(hostile)) {
    let reply: { readonly status: number } | undefined
    const stalledMs = await longestStall(async () => {
      reply = await client.post('/markdown', { Text, Mode: 'comment' })
    })
    assert.equal(reply?.status, 200, name)
    assert.ok(stalledMs < 200, `${name}: the loop stood still for ${Math.round(stalledMs)} ms`)
  }
})

test('issueCreateComment: a hostile text is stored and does not block the server', async () => {
  // With the usual processor time: a write whose references take more is refused, and a busy processor needs a multiple of a second.
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const client = forge.as('root')
  for (const [name, body] of Object.entries({ ...hostile, mentions: '@root '.repeat(160_000) })) {
    let reply: { readonly status: number; readonly text?: string } | undefined
    const stalledMs = await longestStall(async () => {
      reply = await client.post(`${issue.api}/comments`, { body: `#1 ${body}` })
    })
    assert.equal(reply?.status, 201, `${name}: ${reply?.text}`)
    assert.ok(stalledMs < 200, `${name}: the loop stood still for ${Math.round(stalledMs)} ms`)
  }
})

const reader = (budget = new WorkBudget()) => ({ budget })

const rootUrl = 'https://forge.example/'
const options = { mode: 'comment', rootUrl, bases: linkBases({ rootUrl, context: '', mode: 'comment' }) } as const

async function withTexts(use: (texts: Texts) => Promise<void>, more = {}): Promise<void> {
  const texts = createTexts({
    timeoutMs: 20_000,
    maxQueue: 8,
    caches: new CacheBudget(1 << 20),
    cacheBytes: 1 << 20,
    ...more,
  })
  try {
    await use(texts)
  } finally {
    await texts.close()
  }
}

test('a text that takes too long is shown unrendered and has no references; the result is cached, and the next text works', () =>
  withTexts(
    async (texts) => {
      const slow = `${'<svg>'.repeat(2000)}${'*a _b '.repeat(100_000)}`
      const asItIs = `<pre>${slow.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`
      // A thread does not start within a millisecond.
      assert.equal(await texts.render(reader(), slow, 'markdown', options), asItIs)
      assert.deepEqual(await texts.runs(reader(), [slow]), [])
      assert.equal(await texts.render(reader(), slow, 'markdown', options), asItIs)
    },
    { timeoutMs: 1 },
  ))

test('a cached text is used only for readers with the same resolved references', () =>
  withTexts(async (texts) => {
    const rendered: string[] = []
    const seeing = (names: readonly string[]) => async (candidates: { readonly mentions: readonly string[] }) => {
      rendered.push(candidates.mentions.join())
      return { mentions: new Set(names), commits: new Set<string>() }
    }
    const render = (names: readonly string[]) => texts.render(reader(), '@ann @bea', 'markdown', options, seeing(names))
    const links = (html: string): number => html.match(/class="mention"/g)?.length ?? 0
    assert.deepEqual(
      [links(await render(['ann', 'bea'])), links(await render(['ann'])), links(await render([]))],
      [2, 1, 0],
    )
    assert.equal(links(await render(['ann', 'bea'])), 2)
    assert.deepEqual(rendered, Array(4).fill('ann,bea'))
  }))

test('a text is refused when too many wait', () =>
  withTexts(
    async (texts) => {
      const results = await Promise.allSettled(
        Array.from({ length: 5 }, (_, index) => texts.render(reader(), `text ${index}`, 'markdown', options)),
      )
      const refused = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
      assert.deepEqual(
        refused.map((error) => error instanceof Unavailable),
        [true, true, true],
      )
    },
    { maxQueue: 1 },
  ))

test('texts.lines: a span over several lines is closed and opened again on each; markup in a source stays text', async () => {
  await withTexts(async (texts) => {
    assert.deepEqual(await texts.lines(reader(), '/* <b>\n*/\nx\n', 'js'), [
      '<span class="hljs-comment">/* &lt;b&gt;</span>',
      '<span class="hljs-comment">*/</span>',
      'x',
    ])
    assert.deepEqual(await texts.lines(reader(), '<b>\r\n\n&', 'no-such-language'), ['&lt;b&gt;', '', '&amp;'])
    assert.deepEqual(await texts.lines(reader(), '', 'js'), [])
    const long = 'const a = 1\n'.repeat(50_000)
    assert.equal((await texts.lines(reader(), long, 'js')).length, 50_000)
    assert.deepEqual(
      [languageOfFile('a/Dockerfile'), languageOfFile('x.TS'), languageOfFile('LICENSE')],
      ['dockerfile', 'ts', ''],
    )
  })
})

const guest = (address: string, signal?: AbortSignal): Reader => ({
  claim: { viewer: undefined, address },
  budget: new WorkBudget(undefined, signal && (() => signal)),
})

test('texts of a guest with many waiting ones come after the text of somebody else', () =>
  withTexts(
    async (texts) => {
      const done: string[] = []
      const ask = async (address: string, index: number): Promise<void> => {
        await texts.render(guest(address), `text ${address} ${index}`, 'markdown', options)
        done.push(address)
      }
      const many = [0, 1, 2, 3, 4, 5].flatMap((index) => [ask('a', index), ask('b', index)])
      await Promise.all([...many, ask('c', 0)])
      assert.equal(done.length, 13)
      assert.ok(done.indexOf('c') <= 2, done.join(' '))
    },
    { maxQueue: 64 },
  ))

test('a waiting text of a client that left is not rendered, and one that somebody else waits for too is', () =>
  withTexts(async (texts) => {
    const leaving = new AbortController()
    const render = (reader: Reader, source: string) => texts.render(reader, source, 'markdown', options)
    const first = render(guest('a'), 'first')
    const left = [render(guest('b', leaving.signal), 'alone'), render(guest('b', leaving.signal), 'shared')]
    const shared = render(guest('c'), 'shared')
    leaving.abort(new Error('left'))
    const ended = await Promise.allSettled(left)
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.match(await first, /first/)
    assert.match(await shared, /shared/)
  }))

/** Takes about a second, quadratic in the number of words; unlike every other one. */
const slowText = (name: string, words = 3000): string => `~~~csharp\n${'ab '.repeat(words)}${name}\n~~~\n`

test('a text beyond the processor time of its request stays plain, the budget says so, and it is not kept', () =>
  withTexts(async (texts) => {
    const budget = new WorkBudget({ ...usualWorkLimits, threadUs: 1000 })
    const render = (by: Reader, source: string) => texts.render(by, source, 'markdown', options)
    assert.match(await render({ budget }, '*first*'), /<em>first/)
    budget.spend('threadUs', 1000)
    assert.equal(await render({ budget }, '*second*'), '<pre>*second*</pre>')
    assert.deepEqual(await texts.lines({ budget }, 'const a = 1', 'js'), ['const a = 1'])
    await assert.rejects(texts.runs({ budget }, ['@ann']), WorkTooCostly)
    assert.deepEqual([...budget.refused], ['threadUs'])
    assert.match(await render({ budget }, '*first*'), /<em>first/, 'a kept text costs nothing')
    assert.match(await render(reader(), '*second*'), /<em>second/)
    assert.match((await texts.lines(reader(), 'const a = 1', 'js'))[0]!, /hljs-keyword/)
  }))

test('a slow text is charged to its request, and the texts after it stay plain', () =>
  withTexts(async (texts) => {
    const budget = new WorkBudget({ ...usualWorkLimits, threadUs: 1000 })
    const render = (source: string) => texts.render({ budget }, source, 'markdown', options)
    // Longer than its millisecond on every machine, and far below what a short text may take.
    const text = (name: string): string => `~~~csharp\n${'ab '.repeat(500)}${name}\n~~~\n`
    assert.match(await render(text('first')), /language-csharp/)
    assert.match(await render(text('second')), /^<pre>~~~csharp/)
  }))

test('a text that is longer than a rendered one stays plain, and so does one beyond the characters of a request', () =>
  withTexts(async (texts) => {
    const long = reader()
    const words = '*word* '.repeat(80_000)
    assert.match(await texts.render(long, words, 'markdown', options), /^<pre>\*word\*/)
    assert.deepEqual([...long.budget.refused], ['threadChars'])
    assert.match(await texts.render(long, '*short*', 'markdown', options), /<em>short/)
    const budget = new WorkBudget({ ...usualWorkLimits, threadChars: 20 })
    const render = (source: string) => texts.render({ budget }, source, 'markdown', options)
    assert.match(await render('*twelve*-long'), /<em>twelve/)
    assert.equal(await render('*twelve*-more'), '<pre>*twelve*-more</pre>')
    assert.match(await render('*seven*'), /<em>seven/, 'what is left is for shorter texts')
  }))

test('references beyond the characters of a request are refused, and not lost', () =>
  withTexts(async (texts) => {
    const budget = new WorkBudget({ ...usualWorkLimits, threadChars: 10 })
    assert.equal((await texts.runs({ budget }, [`@ann ${'a'.repeat(30)}`])).length, 1)
    await assert.rejects(
      texts.runs({ budget }, ['@ann']).then(() => texts.runs({ budget }, ['@ann'])),
      WorkTooCostly,
    )
  }))

test('short texts of guests that prove slow do not delay the text of somebody else', () =>
  withTexts(
    async (texts) => {
      const done: string[] = []
      const ask = async (address: string, source: string): Promise<void> => {
        await texts.render(guest(address), source, 'markdown', options)
        done.push(address)
      }
      // Each takes much longer than the start of a thread, also on a busy machine.
      const slow = [0, 1, 2].flatMap((index) => ['a', 'b'].map((by) => ask(by, slowText(`${by} ${index}`, 5000))))
      await Promise.all([...slow, ask('c', 'a comment')])
      assert.equal(done.length, 7)
      assert.ok(done.indexOf('c') <= 1, done.join(' '))
    },
    // The texts end by their processor time, so that the test takes as long on every machine.
    { maxQueue: 64, timeoutMs: 1000 },
  ))

test('a text whose HTML is too long stays in its thread and is shown unrendered; the page says so, and the result is cached', () =>
  withTexts(async (texts) => {
    const long = {
      paragraphs: 'a\n\n'.repeat(120_000),
      'table rows': `|a|b|\n|-|-|\n${'|a|b|\n'.repeat(60_000)}`,
      'short lines': 'a\n'.repeat(25_000),
      footnotes: footnotes(8000),
      headings: '# a\n'.repeat(50_000),
    }
    for (const [name, source] of Object.entries(long)) {
      for (const time of ['rendered', 'cached']) {
        const budget = new WorkBudget()
        const html = await texts.render(reader(budget), source, 'markdown', options)
        assert.equal(html, `<pre>${source}</pre>`, `${name}, ${time}`)
        assert.deepEqual([...budget.refused], ['outputBytes'], `${name}, ${time}`)
      }
    }
    const code = '(){}[];'.repeat(30_000)
    const budget = new WorkBudget()
    assert.deepEqual(await texts.lines(reader(budget), code, 'json'), [code])
    assert.deepEqual([...budget.refused], ['outputBytes'])
    // References have no plain form.
    const [runs] = await texts.runs(reader(), [`#1 ${long.paragraphs}`])
    assert.match(runs?.text ?? '', /^#1/)
  }))
