/** An attacker with the rights of everybody who signs up: an account, an organization and a repository for one attack. */
import { execFile, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { administrator } from '../../lib/forge.mjs'

const run = promisify(execFile)
const { password } = administrator
const requestTimeoutMs = 120_000

/**
 * Creates the accounts of attacks. `measured(title, send)` runs and records a request that changes something.
 * @param ask the API, asked as the administrator, who only creates accounts
 */
export function worldsOf({ url, ask, folder, measured }) {
  /** Sends a request and counts the bytes of its reply; `text` holds the first of them. */
  async function send(method, path, { headers = {}, body, keptBytes = 4 << 20 } = {}) {
    const reply = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(requestTimeoutMs),
    }).catch((error) => {
      throw new Error(`${method} ${path.slice(0, 200)}: ${error.message}`, { cause: error })
    })
    let bytes = 0
    const kept = []
    try {
      for await (const chunk of reply.body ?? []) {
        if (bytes < keptBytes) kept.push(chunk)
        bytes += chunk.length
      }
    } catch (error) {
      throw new Error(`the body of ${method} ${path.slice(0, 200)}: ${error.message}`, { cause: error })
    }
    return { status: reply.status, headers: reply.headers, bytes, text: Buffer.concat(kept).toString() }
  }

  async function signIn(name) {
    const { headers, text } = await send('GET', '/user/login')
    const cookies = new Map()
    const keep = (reply) => {
      for (const each of reply.getSetCookie()) cookies.set(each.split('=')[0], each.split(';')[0])
    }
    keep(headers)
    const cookie = () => [...cookies.values()].join('; ')
    const csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const reply = await send('POST', '/user/login', {
      headers: { cookie: cookie(), 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ _csrf: csrf, user_name: name, password })),
    })
    if (reply.status !== 303) throw new Error(`${name} cannot sign in: ${reply.status}`)
    keep(reply.headers)
    return cookie()
  }

  /** The administrator, who reads what attackers have stored. */
  const createAdministrator = async () => ({
    send,
    cookie: await signIn(administrator.login),
    authorization: `token ${ask.token}`,
  })

  return { createWorld, createAdministrator }

  /** The world of one attack. `places` are the values of parameters of its addresses. */
  async function createWorld(name) {
    const login = `a-${name}`.slice(0, 38)
    const org = `o-${name}`.slice(0, 38)
    const account = { username: login, email: `${login}@example.com`, password, must_change_password: false }
    await ask('POST', '/admin/users', account)
    const basic = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
    const made = await send('POST', `/api/v1/users/${login}/tokens`, {
      headers: { authorization: basic, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'attack', scopes: ['all'] }),
    })
    const authorization = `token ${JSON.parse(made.text).sha1}`
    const cookie = await signIn(login)
    const work = join(folder, `${login}.git`)
    mkdirSync(work)
    await run('git', ['init', '-q', '--bare', work])

    /** Sends JSON to the API; refusals are returned with `status`, success as `json`. */
    async function tryTo(method, path, body, { raw, type = 'application/json', site = false, isBasic = false } = {}) {
      const title = `${method} ${
        path
          .replaceAll(/\d+|[0-9a-f]{40}/g, '…')
          .replaceAll(login, 'NAME')
          .replaceAll(org, 'ORG')
          .split('?')[0]
      }`
      const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const reply = await measured(title, () =>
        send(method, (site ? '' : '/api/v1') + path, {
          headers: { authorization: isBasic ? basic : authorization, ...(type === '' ? {} : { 'content-type': type }) },
          body: text,
        }),
      )
      if (reply.status >= 500 && reply.status !== 503) {
        throw new Error(`${title}: ${reply.status} ${reply.text.slice(0, 300)}`)
      }
      return reply
    }
    /** Sends a form with files. */
    const tryForm = (path, form) => tryTo('POST', path, undefined, { raw: form, type: '' })
    async function must(method, path, body, options) {
      const reply = await tryTo(method, path, body, options)
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`)
      return /json/.test(reply.headers.get('content-type') ?? '') && reply.bytes <= 4 << 20
        ? JSON.parse(reply.text)
        : {}
    }
    /** Sends what `requestOf(size)` returns with the largest size that the server accepts: half of it after each refusal. */
    async function largest(size, send) {
      for (let now = size; now >= 1; now = Math.floor(now / 2)) {
        const reply = await send(now)
        if (reply.status < 300) return { size: now, json: reply.text === '' ? {} : JSON.parse(reply.text) }
      }
      throw new Error('the server refuses every size')
    }
    await must('POST', '/orgs', { username: org })
    await must('POST', '/user/repos', { name: 'r', auto_init: true, default_branch: 'main' })
    const repo = `/repos/${login}/r`

    /** Writes commits with `git fast-import` and pushes references. Returns whether git accepted the push. */
    async function push(stream, ...refs) {
      const child = spawn('git', ['-C', work, 'fast-import', '--quiet', '--force'], {
        stdio: ['pipe', 'ignore', 'pipe'],
      })
      let message = ''
      child.stderr.on('data', (text) => (message += text))
      for (const part of stream) {
        if (!child.stdin.write(part)) await new Promise((resolve) => child.stdin.once('drain', resolve))
      }
      child.stdin.end()
      await new Promise((resolve, reject) =>
        child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`fast-import: ${message}`)))),
      )
      return pushRefs(refs)
    }
    const pushRefs = (refs) =>
      measured('git push', async () => {
        const target = `${url.replace('//', `//${login}:${password}@`)}/${login}/r.git`
        const done = await run('git', ['-C', work, 'push', '-q', '--force', target, ...refs], {
          maxBuffer: 64 << 20,
        }).catch((error) => error)
        return { status: done instanceof Error ? 422 : 200, bytes: 0, text: String(done.stderr ?? '') }
      })

    return {
      name,
      login,
      org,
      repo,
      work,
      authorization,
      cookie,
      send,
      tryTo,
      tryForm,
      must,
      largest,
      push,
      /** Submits the form of a page with its hidden fields. */
      async submit(page, action, fields) {
        const { text } = await send('GET', page, { headers: { cookie } })
        const form = [...text.matchAll(/<form\b[^]*?<\/form>/g)].find(([each]) => each.includes(action))?.[0] ?? ''
        const hidden = [...form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
          /name="([^"]*)"/.exec(tag)?.[1],
          /value="([^"]*)"/.exec(tag)?.[1] ?? '',
        ])
        const target = /action="([^"]*)"/.exec(form)?.[1] ?? page
        return measured(`form ${action}`, () =>
          send('POST', target, {
            headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
            body: String(new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })),
          }),
        )
      },
      places: {
        username: login,
        reponame: 'r',
        org,
        index: ['1'],
        sha: ['main'],
        ref: ['main'],
        base: 'main',
        branch: 'main',
        revision: 'main',
        filename: 'x.md',
        // Addresses of pages begin with the kind of the revision, those of the API with the path.
        'src.filepath': ['branch/main', 'branch/main/README.md'],
        'contents.filepath': ['README.md'],
        'raw.filepath': ['README.md'],
        'media.filepath': ['README.md'],
        'webRawFile.filepath': ['branch/main/README.md'],
        'webMediaFile.filepath': ['branch/main/README.md'],
        'compare.filepath': ['main...topic'],
        'archive.filepath': ['main.zip'],
        'branches.filepath': ['main'],
        'refs.filepath': ['heads'],
        'repoGetPullRequestByBaseHead.filepath': 'topic',
        target: login,
        collaborator: 'root',
        name: 'x',
        version: '1.0.0',
        '?limit': [1000],
        '?page': [2],
        '?q': ['word'],
      },
    }
  }
}

/** A commit of a stream for `git fast-import`. */
export function* commit({
  branch = 'main',
  message = 'change',
  author = 'a',
  email = 'a@example.com',
  from,
  merges = [],
  mark,
  files = {},
  time = 1_700_000_000,
}) {
  yield `commit refs/heads/${branch}\n`
  if (mark !== undefined) yield `mark :${mark}\n`
  const who = `${author} <${email}> ${time} +0000\n`
  yield `author ${who}committer ${who}`
  yield `data ${Buffer.byteLength(message)}\n${message}\n`
  if (from !== undefined) yield `from ${from}\n`
  for (const merge of merges) yield `merge ${merge}\n`
  for (const [path, text] of Object.entries(files)) {
    yield `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n`
    yield text
    yield '\n'
  }
}

export const many = (count, make) => Array.from({ length: count }, (_, at) => make(at))
export const base64 = (text) => Buffer.from(text).toString('base64')
