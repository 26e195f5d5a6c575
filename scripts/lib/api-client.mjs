/** The API of a server that is measured, asked as its administrator, and what measurements are made of. */
import { administrator } from './forge.mjs'

/** How long a server that answers may go without its first administrator, in milliseconds. */
const administratorTimeoutMs = 30_000

const basic = `Basic ${Buffer.from(`${administrator.login}:${administrator.password}`).toString('base64')}`

/**
 * Waits until the administrator can sign in, and gives `ask(method, path, body)`, which sends and gives JSON (undefined for
 * an empty answer) and throws where the answer is no success. It signs in with a token, so that no measurement has
 * passwords in it; `ask.token` is that token.
 */
export async function apiOf(url) {
  let authorization = basic
  async function ask(method, path, body) {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  await administratorIsThere(url)
  const { sha1 } = await ask('POST', `/users/${administrator.login}/tokens`, {
    name: `measures ${Date.now()}`,
    scopes: ['all'],
  })
  authorization = `token ${sha1}`
  return Object.assign(ask, { token: sha1 })
}

/** A server answers before its first administrator is made. */
async function administratorIsThere(url) {
  for (const beganMs = performance.now(); performance.now() - beganMs < administratorTimeoutMs;) {
    const { status } = await fetch(`${url}/api/v1/user`, { headers: { authorization: basic } })
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the administrator cannot sign in')
}

/** The number below which that part of the numbers lies; 0 of none. */
export const quantile = (numbers, part) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(part * (numbers.length - 1))] ?? 0

/** What one run of a piece of work takes, in milliseconds, again and again with a pause between until it is over. */
export async function timesUntil(isOver, everyMs, work) {
  const times = []
  while (!isOver()) {
    const beganMs = performance.now()
    await work()
    times.push(performance.now() - beganMs)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  return times
}
