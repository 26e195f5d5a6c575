#!/usr/bin/env node
/**
 * Measures the memory of the server during 10,000 page views, resident and of its own for each process, and the processor
 * time of a view. The second sum counts what the processes share, such as the engine's code, once.
 *
 *     npm run bench:memory [-- [--views 10000] [--anonymous]]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { demoPassword, makeDemoData } from '../lib/demo-data.mjs'
import { buildForge, startForge } from '../lib/forge.mjs'
import { memoryOf, processorMs } from '../lib/process-tree.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: { views: { type: 'string', default: '10000' }, anonymous: { type: 'boolean', default: false } },
})
const views = Number(options.views)
/** Longer than the server waits before it counts as idle. */
const restMs = 25_000

const forge = await startForge({
  program: await buildForge(),
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-memory',
  // As in production.
  readableTraces: false,
})
/** Prints the memory of each process of the server. */
function tell(when) {
  const all = memoryOf(forge.pid)
  const total = all.reduce((sum, { rssMb }) => sum + rssMb, 0)
  const once = all.reduce((sum, { ownMb }) => sum + ownMb, Math.max(...all.map(({ rssMb, ownMb }) => rssMb - ownMb)))
  const parts = all.map(({ name, rssMb, ownMb }) => `${name} ${rssMb.toFixed(0)} (${ownMb.toFixed(0)} of its own)`)
  console.log(
    `${when}: ${total.toFixed(0)} MB, ${once.toFixed(0)} MB with shared pages counted once: ${parts.join(', ')}`,
  )
}

/** Signs in and returns the cookies. */
async function signIn() {
  const first = await fetch(`${forge.url}/user/login`)
  const csrf = /name="_csrf" value="([^"]+)"/.exec(await first.text())?.[1] ?? ''
  const cookies = (reply) => reply.headers.getSetCookie().map((each) => each.split(';', 1)[0])
  const reply = await fetch(`${forge.url}/user/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookies(first).join('; '), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ _csrf: csrf, user_name: 'alice', password: demoPassword }),
  })
  return [...cookies(first), ...cookies(reply)].filter((each) => !each.endsWith('=')).join('; ')
}

/** Addresses within the site that a page links to. */
const linksOf = (html) =>
  [...html.matchAll(/href="(\/(?!_|api|assets|user\/logout)[^"#]*)"/g)].map(([, path]) => path.replaceAll('&amp;', '&'))

try {
  await makeDemoData(forge.url)
  const headers = { accept: 'text/html', ...(options.anonymous ? {} : { cookie: await signIn() }) }
  tell('before')
  const beforeMs = processorMs(forge.pid)
  const known = new Set(['/', '/explore/repos', '/alice', '/alice/anvil', '/alice/anvil/issues', '/alice/anvil/pulls'])
  const queue = [...known]
  let count = 0
  let bytes = 0
  const visit = async () => {
    while (count < views) {
      const path = queue[count % queue.length]
      count += 1
      const reply = await fetch(forge.url + path, { headers, redirect: 'manual' })
      const html = await reply.text()
      bytes += html.length
      // A crawler would never end; these are enough for every kind of page.
      for (const link of linksOf(html)) {
        if (known.size >= 600 || known.has(link)) continue
        known.add(link)
        queue.push(link)
      }
      if (count % Math.ceil(views / 5) === 0) {
        tell(`${count} views of ${known.size} pages, ${Math.round(bytes / 1e6)} MB`)
      }
    }
  }
  await Promise.all(Array.from({ length: 4 }, visit))
  console.log(`${(((processorMs(forge.pid) - beforeMs) / views) * 1000).toFixed(0)} µs of processor time for a view`)
  await sleep(restMs)
  tell('after a rest')
} finally {
  await forge.stop()
}
