#!/usr/bin/env node
/**
 * Measures the import of a repository with many issues, comments and reactions over loopback, from a server of the Gitea
 * family that answers at once, and the time of concurrent reads.
 *
 *     npm run bench:imports [-- [--postgres] [--issues 10000] [--comments 2]]
 */
import { createServer, request as send } from 'node:http'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { apiOf, quantile, timesUntil } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    issues: { type: 'string', default: '10000' },
    comments: { type: 'string', default: '2' },
  },
})
const issueCount = Number(options.issues)
const commentsOfEach = Number(options.comments)
const pageSize = 50
const readEveryMs = 20

const program = await buildForge()
const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres() : undefined
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-imports',
  ...(database ? { database } : {}),
})

const time = new Date(Date.UTC(2020, 0, 1)).toISOString().replace('.000', '')
const user = { id: 7, login: 'somebody' }
const text = 'What was expected, what was seen, and how to see it again. '.repeat(8)
const names = ['bug', 'feature', 'docs', 'question']
const labels = names.map((name, index) => ({ id: index + 1, name, color: 'ff0000', description: '' }))
const common = { user, created_at: time, updated_at: time, body: text }
const issueAt = (number) => ({
  ...common,
  number,
  title: `Issue ${number} of many`,
  state: number % 3 === 0 ? 'closed' : 'open',
  closed_at: number % 3 === 0 ? time : null,
  labels: [labels[number % labels.length]],
  milestone: null,
  assignees: null,
})
const commentAt = (index, origin) => ({
  ...common,
  id: index + 1,
  issue_url: `${origin}/x/y/issues/${1 + (index % issueCount)}`,
})

/** A page of a list, generated on request. */
function page(url, count, at) {
  const number = Number(url.searchParams.get('page') ?? 1)
  const from = (number - 1) * pageSize
  return Array.from({ length: Math.max(0, Math.min(pageSize, count - from)) }, (_, index) => at(from + index))
}

let requests = 0
const source = createServer((request, response) => {
  const url = new URL(request.url, `http://${request.headers.host}`)
  const path = url.pathname
  if (!path.startsWith('/api/v1/')) {
    // The measured server serves the git data.
    const onward = send(
      `${forge.url}${request.url}`,
      { method: request.method, headers: { ...request.headers, host: new URL(forge.url).host } },
      (reply) => {
        response.writeHead(reply.statusCode, reply.headers)
        reply.pipe(response)
      },
    )
    return void request.pipe(onward)
  }
  requests += 1
  const answer = (body) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  if (path.endsWith('/reactions')) return answer(requests % 5 === 0 ? [{ user, content: '+1' }] : [])
  if (path.endsWith('/labels')) return answer(page(url, labels.length, (index) => labels[index]))
  if (path.endsWith('/issues/comments')) {
    return answer(page(url, issueCount * commentsOfEach, (index) => commentAt(index, url.origin)))
  }
  if (path.endsWith('/issues')) return answer(page(url, issueCount, (index) => issueAt(index + 1)))
  return answer(path.endsWith('/many') ? { description: '', topics: [] } : [])
})
await once(source.listen(0, '127.0.0.1'), 'listening')

let status = 0
try {
  const ask = await apiOf(forge.url)
  const readUntil = (isOver) =>
    timesUntil(isOver, readEveryMs, () => ask('GET', `/repos/${administrator.login}/many/issues/1`))
  await ask('POST', '/user/repos', { name: 'many', auto_init: true })
  await ask('POST', `/repos/${administrator.login}/many/issues`, { title: 'to be read' })
  const quietUntilMs = performance.now() + 2000
  const before = await readUntil(() => performance.now() > quietUntilMs)
  let isOver = false
  const reading = readUntil(() => isOver)
  const beganMs = performance.now()
  const made = await ask('POST', '/repos/migrate', {
    clone_addr: `http://127.0.0.1:${source.address().port}/${administrator.login}/many.git`,
    service: 'gitea',
    repo_name: 'copy',
    ...{ issues: true, labels: true, milestones: true },
  })
  const seconds = (performance.now() - beganMs) / 1000
  isOver = true
  const times = await reading
  console.log(
    `${made.open_issues_count} open of ${issueCount} issues, ${issueCount * commentsOfEach} comments, ${requests} requests: ` +
      `${seconds.toFixed(1)} s`,
  )
  console.log(
    `one read meanwhile: median ${quantile(times, 0.5).toFixed(1)} ms, 99% ${quantile(times, 0.99).toFixed(1)} ms ` +
      `(before: ${quantile(before, 0.5).toFixed(1)} ms)`,
  )
} catch (error) {
  console.error(error)
  status = 1
} finally {
  source.closeAllConnections()
  source.close()
  await forge.stop()
  await database?.stop()
}
process.exitCode = status
