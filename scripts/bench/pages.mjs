#!/usr/bin/env node
/**
 * Measures pages: the server's processor time for each, as a ratio to a bare HTTP answer of the same run, the bytes of a
 * first and a later visit, its ratio to the API reads that it shows, and in Chromium the time to the largest contentful paint.
 *
 *     npm run bench:pages [-- [--requests 300] [--postgres] [--large] [--only-differences]]
 *
 * `--large` also opens a pull request of 15,000 lines in 2,000 files in Chromium, and types into a comment there.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { apiOf } from '../lib/api-client.mjs'
import { demoPassword, makeDemoData } from '../lib/demo-data.mjs'
import { buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'
import { startYardstick } from '../lib/yardstick.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '300' },
    postgres: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    'only-differences': { type: 'boolean', default: false },
  },
})
const requests = Number(options.requests)
const clockTicks = 100
const bigFiles = 100
const bigLines = 50
const repo = '/repos/alice/anvil'

/** Reads of the API whose content every page of a repository shows: its head, the viewer and the bell. */
const frame = [repo, '/user', '/notifications/new', `${repo}/subscription`]

/**
 * Pages with the largest ratio of their processor time to a bare answer, where there is an aim, and the reads of the API
 * that a client would need for the same content.
 */
const pages = [
  { name: 'home', path: '/' },
  { name: 'explore', path: '/explore/repos' },
  { name: 'profile', path: '/alice' },
  {
    name: 'repository',
    path: '/alice/anvil',
    aim: 40,
    reads: [
      ...frame,
      `${repo}/contents`,
      `${repo}/contents/README.md`,
      `${repo}/commits?limit=1`,
      `${repo}/branches`,
      `${repo}/tags`,
      `${repo}/languages`,
      `${repo}/topics`,
      `${repo}/releases/latest`,
    ],
  },
  {
    name: 'file',
    path: '/alice/anvil/src/branch/main/src/groups.ts',
    reads: [
      ...frame,
      `${repo}/contents/src/groups.ts`,
      `${repo}/commits?path=src/groups.ts&limit=1`,
      `${repo}/branches`,
      `${repo}/tags`,
    ],
  },
  { name: 'commits', path: '/alice/anvil/commits/branch/main' },
  {
    name: 'issues',
    path: '/alice/anvil/issues',
    aim: 60,
    reads: [
      ...frame,
      `${repo}/issues?type=issues&limit=20`,
      `${repo}/labels`,
      `${repo}/milestones`,
      `${repo}/assignees`,
    ],
  },
  {
    name: 'issue, 20 comments',
    path: '/alice/anvil/issues/3',
    aim: 60,
    reads: [...frame, ...conversation(3)],
  },
  {
    name: 'pull request',
    path: '/alice/anvil/pulls/9',
    reads: [
      ...frame,
      ...conversation(9),
      `${repo}/pulls/9`,
      `${repo}/pulls/9/reviews`,
      `${repo}/commits/long-lines/status`,
      `${repo}/branch_protections`,
    ],
  },
  { name: 'pull request: files', path: '/alice/anvil/pulls/9/files' },
  { name: 'releases', path: '/alice/anvil/releases', reads: [...frame, `${repo}/releases?limit=10`] },
  { name: 'notifications', path: '/notifications' },
]

/** Reads of the API for the conversation of an issue or pull request. */
function conversation(index) {
  const issue = `${repo}/issues/${index}`
  return [
    issue,
    `${issue}/timeline`,
    `${issue}/comments`,
    `${issue}/reactions`,
    `${issue}/dependencies`,
    `${issue}/blocks`,
    `${issue}/times`,
    `${issue}/subscriptions/check`,
    '/user/stopwatches',
    `${repo}/labels`,
    `${repo}/milestones`,
    `${repo}/assignees`,
  ]
}

/** Processor time of a process, in seconds. */
function processorOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / clockTicks
}

/** Processor time of one request, in µs, and the last answer. */
async function costOf(pid, ask, count = requests) {
  for (let index = 0; index < 20; index += 1) await ask()
  const before = processorOf(pid)
  let last
  for (let index = 0; index < count; index += 1) last = await ask()
  return { us: ((processorOf(pid) - before) / count) * 1e6, last }
}

/** Signs in and returns the cookies. */
async function signIn(url) {
  const first = await fetch(`${url}/user/login`)
  const csrf = /name="_csrf" value="([^"]+)"/.exec(await first.text())?.[1] ?? ''
  const cookies = (reply) => reply.headers.getSetCookie().map((each) => each.split(';', 1)[0])
  const before = cookies(first)
  const reply = await fetch(`${url}/user/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: before.join('; '), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ _csrf: csrf, user_name: 'alice', password: demoPassword }),
  })
  if (reply.status !== 303) throw new Error(`signing in answered ${reply.status}`)
  return [...before, ...cookies(reply)].filter((each) => !each.endsWith('=')).join('; ')
}

/** Returns what reads from the API as alice, with a token. */
async function readerOf(url) {
  const { sha1 } = await poster(url)('/users/alice/tokens', { name: 'reads', scopes: ['all'] })
  return async (path) => {
    const reply = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `token ${sha1}` } })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`GET ${path} answered ${reply.status}: ${text}`)
  }
}

/** Returns what sends a request of alice to the API. */
function poster(url) {
  const authorization = `Basic ${Buffer.from(`alice:${demoPassword}`).toString('base64')}`
  return async (path, body) => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`POST ${path} answered ${reply.status}: ${await reply.text()}`)
    return reply.status === 204 ? undefined : reply.json()
  }
}

/**
 * Opens a pull request from a new branch and returns the path of its files.
 * @param files the number of lines of each
 */
async function makePull(post, branch, files) {
  const linesOf = (word, count) =>
    Array.from({ length: count }, (_, index) => `const ${word}${index} = ${index}`).join('\n')
  const operations = files.map((count, index) => ({
    operation: 'create',
    path: `${branch}/folder${Math.floor(index / 100)}/file${index}.ts`,
    content: Buffer.from(linesOf(`value${index}_`, count)).toString('base64'),
  }))
  const atOnce = 500
  for (let begin = 0; begin < operations.length; begin += atOnce) {
    await post(`${repo}/contents`, {
      ...(begin === 0 ? { new_branch: branch } : { branch }),
      message: 'Change many files',
      files: operations.slice(begin, begin + atOnce),
    })
  }
  const { number } = await post(`${repo}/pulls`, { base: 'main', head: branch, title: `Many files: ${branch}` })
  return `/alice/anvil/pulls/${number}/files`
}

/**
 * Opens a pull request that modifies lines of existing files, each apart from the next, and returns the path of its files.
 * @param edits the number of modified lines of each file; each counts as one added and one removed line
 */
async function makeModifyingPull(post, branch, edits) {
  const linesOf = (count, word) =>
    Array.from({ length: count * 8 }, (_, index) =>
      index % 8 === 4
        ? `  const result${index} = await collectValues(${word}, { limit: ${index} })`
        : `  // line ${index} of the file explains what follows`,
    ).join('\n')
  const pathOf = (index) => `${branch}/folder${Math.floor(index / 100)}/file${index}.ts`
  const contentOf = (count, word) => Buffer.from(linesOf(count, word)).toString('base64')
  const atOnce = 500
  const shas = new Map()
  for (let begin = 0; begin < edits.length; begin += atOnce) {
    const { files } = await post(`${repo}/contents`, {
      ...(begin === 0 ? { new_branch: `${branch}-base` } : { branch: `${branch}-base` }),
      message: 'Add many files',
      files: edits.slice(begin, begin + atOnce).map((count, index) => ({
        operation: 'create',
        path: pathOf(begin + index),
        content: contentOf(count, 'source'),
      })),
    })
    for (const { path, sha } of files) shas.set(path, sha)
  }
  for (let begin = 0; begin < edits.length; begin += atOnce) {
    await post(`${repo}/contents`, {
      ...(begin === 0 ? { branch: `${branch}-base`, new_branch: branch } : { branch }),
      message: 'Modify many files',
      files: edits.slice(begin, begin + atOnce).map((count, index) => ({
        operation: 'update',
        path: pathOf(begin + index),
        sha: shas.get(pathOf(begin + index)),
        content: contentOf(count, 'otherSource'),
      })),
    })
  }
  const { number } = await post(`${repo}/pulls`, { base: `${branch}-base`, head: branch, title: `Modified: ${branch}` })
  return `/alice/anvil/pulls/${number}/files`
}

/** Adds twenty comments, and a pull request with many changed lines. */
async function makeMore(post) {
  for (let index = 0; index < 20; index += 1) {
    await post(`${repo}/issues/3/comments`, { body: `Comment ${index} with **bold** text and \`code\`.` })
  }
  return makePull(
    post,
    'large',
    Array.from({ length: bigFiles }, () => bigLines),
  )
}

const boardCards = 500

/** Makes a board with many cards in four columns. Returns its path, that of the API, and the ids of its cards. */
async function makeBoard(post) {
  await post('/user/repos', { name: 'board' })
  const board = '/repos/alice/board'
  const names = ['todo', 'doing', 'review', 'done'].map((name) => `status/${name}`)
  const labels = []
  for (const name of names) labels.push((await post(`${board}/labels`, { name, color: '#6b7280', exclusive: true })).id)
  const ids = []
  for (let index = 0; index < boardCards; index += 1) {
    const issue = {
      title: `Card ${index} of a board with many cards`,
      labels: [labels[index % 4]],
      assignees: ['alice'],
    }
    ids.push((await post(`${board}/issues`, issue)).id)
  }
  const { id } = await post(`${board}/views`, {
    title: 'Flow',
    query: 'is:open',
    layout: 'board',
    grouping: 'label',
    label_scope: 'status',
  })
  return { path: `/alice/board/projects/${id}`, api: `${board}/views/${id}`, names, ids }
}

/** Measures the page of a board, and moves of its cards. */
async function measureBoard(open, post, bareUs) {
  const { path, api, names, ids } = await makeBoard(post)
  const { us, last } = await costOf(forge.pid, open(path))
  const shown = last.match(/class="board-card"/g).length
  const ratio = us / bareUs
  console.log(
    `board, ${boardCards} cards ${us.toFixed(0).padStart(9)} µs ${ratio.toFixed(1).padStart(7)}× ${ratio <= 60 ? '(aim 60)' : 'ABOVE 60'}   ${shown} shown, ${(brotliCompressSync(last).length / 1024).toFixed(1)} KB compressed`,
  )
  const times = []
  for (let index = 0; index < 60; index += 1) {
    const begin = performance.now()
    await post(`${api}/moves`, {
      issue: ids[index * 7],
      column: names[(index + 1) % 4],
      // The first ones come behind a card that nobody placed, at the end of its column.
      after: ids[(index + 1) % 4],
    })
    times.push(performance.now() - begin)
  }
  times.sort((one, two) => one - two)
  console.log(`a move of a card: ${times[30].toFixed(1)} ms, the slowest ${times.at(-1).toFixed(1)} ms (aim 100)`)
}

/** Measures a page of a difference, and all of its lines with the files that a browser loads later. */
async function measureDifference(open, path, what, aimMs) {
  const { us, last } = await costOf(forge.pid, open(path), 20)
  const rows = last.match(/<tr/g).length
  console.log(`files of a pull request, ${what}: ${(us / 1000).toFixed(1)} ms, ${rows} rows (aim ${aimMs})`)
  const whole = await costOf(
    forge.pid,
    async () => {
      const queue = [await open(path)()]
      let requests = 1
      let shown = 0
      for (let html = queue.pop(); html !== undefined; html = queue.pop()) {
        shown += html.match(/<tr/g)?.length ?? 0
        for (const [, address] of html.matchAll(/<turbo-frame[^>]* src="([^"]+)"/g)) {
          queue.push(await open(address.replaceAll('&amp;', '&'))())
          requests += 1
        }
      }
      return `${shown} rows in ${requests} requests`
    },
    5,
  )
  console.log(`${''.padEnd(22)} all of its lines: ${(whole.us / 1000).toFixed(1)} ms, ${whole.last}`)
}

const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres() : undefined
const forge = await startForge({
  program: await buildForge(),
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-pages',
  database,
  readableTraces: false,
})
const yardstick = await startYardstick()
try {
  await apiOf(forge.url)
  await makeDemoData(forge.url)
  const largePath = await makeMore(poster(forge.url))
  const cookie = await signIn(forge.url)
  const bare = await costOf(yardstick.pid, () => fetch(yardstick.url).then((reply) => reply.text()), requests * 10)
  console.log(`bare HTTP answer: ${bare.us.toFixed(0)} µs`)
  const open = (path) => async () => {
    const reply = await fetch(forge.url + path, { headers: { cookie, accept: 'text/html' } })
    const text = await reply.text()
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}`)
    return text
  }
  const readers = await readerOf(forge.url)
  for (const { name, path, aim, reads } of options['only-differences'] ? [] : pages) {
    const { us, last } = await costOf(forge.pid, open(path))
    const ratio = us / bare.us
    const size = brotliCompressSync(last).length / 1024
    const verdict = aim === undefined ? '' : ratio <= aim ? ` (aim ${aim})` : ` ABOVE ${aim}`
    console.log(
      `${name.padEnd(22)} ${us.toFixed(0).padStart(7)} µs ${ratio.toFixed(1).padStart(7)}×${verdict}   ${size.toFixed(1)} KB compressed`,
    )
    if (reads === undefined) continue
    let readsUs = 0
    for (const read of reads) readsUs += (await costOf(forge.pid, () => readers(read))).us
    console.log(
      `${''.padEnd(22)} ${(us / readsUs).toFixed(1)} × its ${reads.length} reads of the API, ${readsUs.toFixed(0)} µs (aim 3)`,
    )
  }
  if (!options['only-differences']) await measureBoard(open, poster(forge.url), bare.us)
  await measureDifference(open, largePath, `${bigFiles} new files and ${bigFiles * bigLines} lines`, 60)
  for (const count of [25, 75]) {
    const path = await makeModifyingPull(
      poster(forge.url),
      `modified${count}`,
      Array.from({ length: bigFiles }, () => count),
    )
    const what = `${bigFiles} modified files and ${bigFiles * count * 2} changed lines`
    await measureDifference(open, path, what, count === 25 ? 100 : 'none')
  }
  if (!options['only-differences']) await inChromium(cookie, measurePages)
  if (options.large) {
    const sizes = Array.from({ length: 2000 }, (_, index) => 7 + (index % 2))
    const path = await makePull(poster(forge.url), 'huge', sizes)
    await inChromium(cookie, (page, client) => measureLarge(page, client, path))
  }
} finally {
  yardstick.stop()
  await forge.stop()
  await database?.stop()
}

/** Runs a measurement in a fresh browser of alice. */
async function inChromium(cookie, measure) {
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  try {
    const context = await browser.newContext({ baseURL: forge.url })
    await context.addCookies(
      cookie
        .split('; ')
        .map((pair) => ({ name: pair.split('=', 1)[0], value: pair.slice(pair.indexOf('=') + 1), url: forge.url })),
    )
    const page = await context.newPage()
    await measure(page, await context.newCDPSession(page))
  } finally {
    await browser.close()
  }
}

/** Time to the largest contentful paint, in ms. */
function largestPaint(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        })
        setTimeout(() => resolve(Number.NaN), 2000)
      }),
  )
}

/** The bytes of a first and of later visits, and the time to the largest contentful paint of each page. */
async function measurePages(page, client) {
  const addresses = new Map()
  let loaded = []
  await client.send('Network.enable')
  client.on('Network.responseReceived', ({ requestId, response }) => addresses.set(requestId, response.url))
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    loaded.push({ kb: encodedDataLength / 1024, url: addresses.get(requestId) ?? '' }),
  )
  for (const { name, path } of pages) {
    loaded = []
    await page.goto(path, { waitUntil: 'load' })
    const paintMs = await largestPaint(page)
    await page.waitForLoadState('networkidle')
    const kb = loaded.reduce((sum, each) => sum + each.kb, 0)
    console.log(
      `in Chromium: ${name.padEnd(22)} largest paint ${paintMs.toFixed(0).padStart(5)} ms (aim 300), ${kb.toFixed(1)} KB`,
    )
    const large = loaded.filter(({ kb: size }) => size >= 2).toSorted((one, two) => two.kb - one.kb)
    for (const { kb: size, url } of large) {
      console.log(`${size.toFixed(1).padStart(16)} KB ${url.slice(forge.url.length)}`)
    }
  }
}

/** The time until a large pull request is shown, and the browser's work for a keystroke in a comment there. */
async function measureLarge(page, client, path) {
  await page.goto('/alice/anvil', { waitUntil: 'networkidle' })
  const openMs = []
  for (let round = 0; round < 3; round += 1) {
    await page.goto(path, { waitUntil: 'load' })
    openMs.push(
      await page.evaluate(() => {
        const [navigation] = performance.getEntriesByType('navigation')
        return { load: navigation.loadEventEnd, answer: navigation.responseEnd }
      }),
    )
  }
  const { load, answer } = openMs.toSorted((a, b) => a.load - b.load)[1]
  console.log(
    `in Chromium: 15,000 lines in 2,000 files are loaded in ${load.toFixed(0)} ms (aim 400), ${answer.toFixed(0)} ms of it until the answer has arrived`,
  )
  await page.goto(`${path}?line=0-R1`, { waitUntil: 'networkidle' })
  await client.send('Performance.enable')
  const busy = async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
  }
  const keys = 40
  await page.locator('.diff-lines textarea').first().focus()
  await page.keyboard.type('warm')
  const before = await busy()
  await page.keyboard.type('a'.repeat(keys), { delay: 30 })
  console.log(
    `in Chromium: a keystroke in a comment there keeps the browser busy for ${(((await busy()) - before) / keys).toFixed(1)} ms (aim 16)`,
  )
}
