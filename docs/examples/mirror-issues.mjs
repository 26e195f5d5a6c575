#!/usr/bin/env node
/**
 * Keeps a copy of a repository's issues and pull requests in a file, by the change feed.
 *
 *     FORGE_TOKEN=… node mirror-issues.mjs https://forge.example owner/name mirror.json
 *
 * The cursor lies in the same file as the copy, and both are replaced at once. Whatever is killed, and whenever: the copy is
 * that of a moment, and goes on from there.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const [root, repository, file] = process.argv.slice(2)
const api = `${root}/api/v1/repos/${repository}`

async function get(path) {
  const response = await fetch(api + path, { headers: { authorization: `token ${process.env.FORGE_TOKEN}` } })
  return { status: response.status, body: await response.json() }
}

async function must(path) {
  const { status, body } = await get(path)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body.message}`)
  return body
}

async function save(mirror) {
  await writeFile(`${file}.new`, JSON.stringify(mirror))
  await rename(`${file}.new`, file)
}

/** The cursor comes first: what changes while the list is read is told after it. */
async function begin() {
  const { cursor } = await must('/events')
  const issues = {}
  for (let page = 1; ; page++) {
    const some = await must(`/issues?state=all&limit=50&page=${page}`)
    for (const issue of some) issues[issue.number] = issue
    if (some.length === 0) return { cursor, issues }
  }
}

/** Takes over what changed: an entry says which issue, the issue itself is asked for as it is now. */
async function follow({ cursor, issues }) {
  const { status, body } = await get(`/events?kind=issue.*,comment.*,pull.*&wait=30&after=${cursor}`)
  // Too old, or of another instance or an earlier life of this one: the copy is made anew.
  if (status === 410 || (status === 400 && body.code === 'cursor_unknown')) return begin()
  if (status !== 200) throw new Error(`the feed answered ${status}: ${body.message}`)
  const numbers = new Set(body.events.map((event) => event.issue?.number ?? undefined))
  numbers.delete(undefined)
  for (const number of numbers) {
    const found = await get(`/issues/${number}`)
    if (found.status === 200) issues[number] = found.body
    else if (found.status === 404) delete issues[number]
    else throw new Error(`issue ${number} answered ${found.status}`)
  }
  return { cursor: body.cursor, issues }
}

async function load() {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return undefined
  }
}

let mirror = await load()
for (;;) {
  try {
    const next = await (mirror ? follow(mirror) : begin())
    await save(next)
    mirror = next
  } catch (error) {
    console.error(String(error))
    await sleep(500)
  }
}
