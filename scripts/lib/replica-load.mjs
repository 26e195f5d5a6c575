/**
 * Clients that push, merge, upload, open issues and look at pages through nginx while parts of the instance fail, and what
 * the instance must still have of everything that it acknowledged.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { base64, clientOf, eventually, formOf, gitIn, must, mustGit, startReceiver } from './replica-client.mjs'

/** The repository that the clients change. */
const repository = 'root/load'
const api = `/repos/${repository}`
const settleTimeoutMs = 180_000
const largeBytes = 3 << 20

/**
 * Starts the clients.
 * @param options `set` are the replicas, `token` one of the administrator, `work` an empty folder, `isCalm` returns whether
 * every part has worked for a while, so that nothing may be refused, and `say` prints a line with its time
 */
export async function startLoad({ set, token, work, isCalm, say }) {
  const any = clientOf(set.url, token)
  const pages = clientOf(set.url, undefined, '')
  const git = gitIn(work)
  const problems = []
  const receiver = await startReceiver()
  /** The values that each branch may have. */
  const branches = new Map()
  const pushed = []
  const acknowledged = { merges: new Set(), issues: new Map(), files: new Map(), pages: 0 }
  let isOver = false

  await must(any('POST', '/user/repos', { name: 'load', auto_init: true, default_branch: 'main' }), 'a repository')
  // Copies of large repositories have an index of their packs, and a bitmap.
  const large = randomBytes(largeBytes).toString('base64')
  await must(any('POST', `${api}/contents/large`, { content: large }), 'a large file')
  const config = { url: receiver.url, content_type: 'json' }
  await must(any('POST', `${api}/hooks`, { type: 'gitea', active: true, events: ['push'], config }), 'a webhook')
  const first = await must(any('GET', '/events'), 'the change feed')

  /** Notes a problem of a request, with its time. */
  function report(problem) {
    say(problem)
    problems.push(problem)
  }
  /** A refusal is a problem while every part works. */
  function refused(what, { status, text }, wasCalm) {
    if (!wasCalm || !isCalm()) return
    report(`${what} was refused while every part worked: ${status} ${text.slice(0, 300)}`)
  }
  /** Sends a request whose refusal is excused by a fault. Returns its JSON, or undefined. */
  async function ask(method, path, body) {
    const wasCalm = isCalm()
    const reply = await any(method, path, body)
    if (reply.status >= 200 && reply.status < 300) return reply.json ?? {}
    refused(`${method} ${path}`, reply, wasCalm)
    await pause(100)
    return undefined
  }

  /** Each replica that answers shows a value, from the acknowledgement on. */
  async function mustShow(branch, oid) {
    await Promise.all(
      set.replicas.map(async ({ url, number }) => {
        const wasCalm = isCalm()
        const reply = await clientOf(url, token)('GET', `${api}/branches/${branch}`)
        if (reply.status === 200 && reply.json.commit.id !== oid) {
          report(`replica ${number} shows ${branch} at ${reply.json.commit.id} after ${oid} was acknowledged`)
        } else if (reply.status === 404) report(`replica ${number} lacks ${branch}, which was acknowledged`)
        else if (reply.status !== 200) refused(`branch ${branch} of replica ${number}`, reply, wasCalm)
      }),
    )
  }

  async function pusher(name) {
    const clone = join(work, name)
    const remote = `${set.url.replace('://', `://root:${token}@`)}/${repository}.git`
    await mustGit(git(work, 'clone', '-q', remote, clone))
    for (let count = 1; !isOver; count++) {
      writeFileSync(join(clone, name), `${count}\n`)
      await mustGit(git(clone, 'add', '.'))
      await mustGit(git(clone, 'commit', '-q', '-m', `${name} ${count}`))
      const oid = await mustGit(git(clone, 'rev-parse', 'HEAD'))
      const wasCalm = isCalm()
      branches.set(name, new Set([...(branches.get(name) ?? ['']), oid]))
      const push = await git(clone, 'push', '-q', '--force', remote, `HEAD:refs/heads/${name}`)
      if (push.code !== 0) {
        refused('a push', { status: push.code, text: push.err }, wasCalm)
        await pause(200)
        continue
      }
      branches.set(name, new Set([oid]))
      pushed.push(oid)
      await mustShow(name, oid)
    }
  }

  async function merger() {
    for (let count = 1; !isOver; count++) {
      const branch = `edit-${count}`
      const file = await ask('POST', `${api}/contents/${branch}`, {
        branch: 'main',
        new_branch: branch,
        content: base64(branch),
      })
      const pull = file && (await ask('POST', `${api}/pulls`, { base: 'main', head: branch, title: branch }))
      const merged = pull && (await ask('POST', `${api}/pulls/${pull.number}/merge`, { Do: 'merge' }))
      if (merged) acknowledged.merges.add(pull.number)
    }
  }

  async function writer() {
    for (let count = 1; !isOver; count++) {
      const title = `record ${count}`
      const issue = await ask('POST', `${api}/issues`, { title })
      if (!issue) continue
      if (acknowledged.issues.has(issue.number)) report(`the number ${issue.number} was given twice`)
      acknowledged.issues.set(issue.number, title)
      const text = `${title} `.repeat(500)
      const file = await ask('POST', `${api}/issues/${issue.number}/assets`, formOf('record.txt', text))
      if (file) acknowledged.files.set(new URL(file.browser_download_url).pathname, text)
      const path = `/api/packages/root/generic/record/${count}/record.txt`
      const wasCalm = isCalm()
      const stored = await clientOf(set.url, token, '')('PUT', path, Buffer.from(text))
      if (stored.status === 201) acknowledged.files.set(path, text)
      else refused(`PUT ${path}`, stored, wasCalm)
    }
  }

  /** Returns what each replica answers to a page, for a report. */
  async function answers(path) {
    const found = await Promise.all(
      set.replicas.map(async ({ url, number }) => {
        const { status, text } = await clientOf(url, undefined, '')('GET', path)
        return `; replica ${number}: ${status} ${status === 200 ? '' : text.replaceAll(/<[^>]*>|\s+/g, ' ').slice(0, 500)}`
      }),
    )
    return found.join('')
  }

  async function viewer() {
    const paths = ['', '/commits/branch/main', '/issues', '/pulls', '/branches', '/src/branch/main']
    for (let count = 0; !isOver; count++) {
      const wasCalm = isCalm()
      const part = paths[count % paths.length]
      const path = `/${repository}${part}`
      const reply = await pages('GET', path)
      if (reply.status === 200) acknowledged.pages += 1
      else if (reply.status === 404) report(`the page ${path} was not found${await answers(path)}`)
      else refused(`the page ${path}`, reply, wasCalm)
      await pause(50)
    }
  }

  const running = [pusher('push-1'), pusher('push-2'), merger(), writer(), viewer()]

  /** Returns what is wrong with what each replica shows. Every part works, and no client writes. */
  async function judge() {
    for (const { url, number } of set.replicas) {
      const health = await clientOf(url, undefined, '')('GET', '/api/healthz')
      if (health.status !== 200) problems.push(`replica ${number} is not healthy: ${health.status} ${health.text}`)
    }
    if (problems.length > 0) return problems
    let left = []
    await eventually(
      'background jobs come to rest',
      async () => {
        const jobs = await must(any('GET', '/admin/jobs?limit=50'), 'the jobs')
        for (const { name, state, last_error: error } of jobs) {
          if (state === 'failed') problems.push(`the job ${name} has failed: ${error}`)
        }
        // The next maintenance of a repository waits for minutes.
        const isDue = ({ attempt, run_at: runAt }) => attempt > 0 || Date.parse(runAt) < Date.now() + 1000
        left = jobs.filter((job) => job.state !== 'failed' && isDue(job))
        return left.length === 0
      },
      settleTimeoutMs,
    ).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(left)}`)
    })
    set.removeCopies(set.replicas[0])
    await Promise.all(set.replicas.map(judgeReplica))
    judgeDeliveries()
    await judgeFeed()
    return problems
  }

  async function judgeReplica({ url, number }) {
    const client = clientOf(url, token)
    const has = (isThere, what) => isThere || problems.push(`replica ${number}: ${what} is lost`)
    const clone = join(work, `judged-${number}`)
    await mustGit(
      git(work, 'clone', '-q', '--mirror', `${url.replace('://', `://root:${token}@`)}/${repository}.git`, clone),
    )
    const fsck = await git(clone, 'fsck', '--full', '--strict')
    if (fsck.code !== 0) problems.push(`replica ${number}: git fsck: ${fsck.err}`)
    for (const [branch, values] of branches) {
      const { out } = await git(clone, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`)
      if (!values.has(out)) {
        problems.push(`replica ${number}: ${branch} is ${out || 'gone'}, not ${[...values].join(' or ')}`)
      }
    }
    const merges = new Map()
    for (const line of (await mustGit(git(clone, 'log', '--merges', '--format=%s', 'main'))).split('\n')) {
      const pull = Number(/\(#(\d+)\)/.exec(line)?.[1])
      merges.set(pull, (merges.get(pull) ?? 0) + 1)
    }
    for (const [pull, times] of merges) if (times > 1) problems.push(`pull request ${pull} was merged ${times} times`)
    for (const pull of acknowledged.merges) {
      const { json } = await client('GET', `${api}/pulls/${pull}`)
      has(json?.merged === true && merges.has(pull), `the merge of ${pull}`)
    }
    for (const [issue, title] of acknowledged.issues) {
      const { json } = await client('GET', `${api}/issues/${issue}`)
      has(json?.title === title, `the issue ${issue}`)
    }
    for (const [path, content] of acknowledged.files) {
      const { text } = await clientOf(url, token, '')('GET', path)
      has(text === content, `the file ${path}`)
    }
  }

  /** A push has one delivery, which comes at least once. */
  function judgeDeliveries() {
    const ids = Map.groupBy(receiver.received, ({ payload }) => payload.after)
    for (const oid of pushed) {
      const found = new Set((ids.get(oid) ?? []).map(({ id }) => id))
      if (found.size !== 1) problems.push(`the push of ${oid} has ${found.size} deliveries`)
    }
  }

  /** Each issue has one event, and the feed gives each event once. */
  async function judgeFeed() {
    const opened = new Map()
    let { cursor } = first
    let lastId = 0
    for (let hasMore = true; hasMore;) {
      const page = await must(any('GET', `/events?after=${cursor}&limit=50`), 'the change feed')
      for (const { id, kind, issue } of page.events) {
        if (id === lastId) problems.push(`the feed gives the event ${id} twice`)
        lastId = id
        if (kind === 'issue.opened') opened.set(issue.number, (opened.get(issue.number) ?? 0) + 1)
      }
      ;({ cursor, has_more: hasMore } = page)
    }
    for (const number of acknowledged.issues.keys()) {
      if (opened.get(number) !== 1) problems.push(`the issue ${number} has ${opened.get(number) ?? 0} events`)
    }
  }

  return {
    problems,
    counts: () => ({
      pushes: pushed.length,
      merges: acknowledged.merges.size,
      issues: acknowledged.issues.size,
      files: acknowledged.files.size,
      pages: acknowledged.pages,
      deliveries: receiver.received.length,
    }),
    async stop() {
      isOver = true
      await Promise.all(running)
    },
    judge,
    close: () => receiver.close(),
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
