/** Clients of the replicas: the API, git, and a receiver of webhooks. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'

const replyTimeoutMs = 120_000
const gitTimeoutMs = 180_000

/**
 * Returns a client of the API, or of the addresses below `base`, with a token. A reply has `status` (0: none came), `json`,
 * `text` and `headers`.
 */
export const clientOf =
  (url, token, base = '/api/v1') =>
  async (method, path, body, headers = {}) => {
    const isJson = body !== undefined && !(body instanceof FormData) && !Buffer.isBuffer(body)
    try {
      const reply = await fetch(`${url}${base}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `token ${token}` }),
          ...(isJson ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(replyTimeoutMs),
      })
      const text = await reply.text()
      const hasJson = reply.headers.get('content-type')?.includes('json') && text !== ''
      return { status: reply.status, text, headers: reply.headers, json: hasJson ? JSON.parse(text) : undefined }
    } catch (error) {
      return { status: 0, text: String(error.cause ?? error), headers: new Headers(), json: undefined }
    }
  }

/** Returns the reply, or throws unless its status is a success. */
export async function must(promise, what) {
  const reply = await promise
  if (reply.status < 200 || reply.status > 299) throw new Error(`${what}: ${reply.status} ${reply.text.slice(0, 500)}`)
  return reply.json
}

export const statusOf = async (reply) => (await reply).status
export const statusesOf = (...replies) => Promise.all(replies.map(statusOf))

/** Returns a form with one file. */
export function formOf(name, content) {
  const form = new FormData()
  form.set('attachment', new Blob([content]), name)
  return form
}

export const base64 = (text) => Buffer.from(text).toString('base64')

/** Runs git without personal settings. Returns its exit code and output. */
export const gitIn =
  (home) =>
  (folder, ...args) =>
    new Promise((done) => {
      execFile(
        'git',
        ['-C', folder, ...args],
        {
          timeout: gitTimeoutMs,
          maxBuffer: 64 << 20,
          env: {
            ...process.env,
            HOME: home,
            GIT_CONFIG_NOSYSTEM: '1',
            GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
            GIT_TERMINAL_PROMPT: '0',
          },
        },
        (error, out, err) => done({ code: error ? (error.code ?? -1) : 0, out: out.trim(), err }),
      )
    })

/** Runs git and throws when it fails. Returns its output. */
export async function mustGit(promise) {
  const { code, out, err } = await promise
  if (code !== 0) throw new Error(`git failed (${code}): ${err.replaceAll(/:\/\/[^@\s/]+@/g, '://')}`)
  return out
}

/** Starts a receiver of webhooks, which answers 200 and keeps what came. */
export async function startReceiver() {
  const received = []
  const server = createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const id = request.headers['x-gitea-delivery']
      received.push({ id, event: request.headers['x-gitea-event'], payload: JSON.parse(Buffer.concat(parts)) })
      response.end()
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    received,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Repeats a check until it returns a value other than false, or throws after a while. */
export async function eventually(what, check, timeoutMs = 60_000) {
  for (const endMs = performance.now() + timeoutMs; ;) {
    const found = await check()
    if (found !== false) return found
    if (performance.now() > endMs) throw new Error(`${what}: not within ${timeoutMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
