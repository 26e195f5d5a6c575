import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { engineOf } from '../../db/database.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { dice } from '../../testing/dice.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import type { GivenRepo } from '../../testing/given.ts'
import { upload } from '../../testing/upload.ts'

const viewers = ['root', 'alice', 'bob', 'carol', 'guest'] as const

/** Returns the answers by viewer and path, without the address of the server. */
async function seen(
  forge: Forge,
  tokens: ReadonlyMap<string, string>,
  paths: readonly string[],
  order: readonly string[] = viewers,
) {
  const all: Record<string, string> = {}
  for (const viewer of order) {
    const token = tokens.get(viewer)
    const client = forge.as(viewer, token === undefined ? {} : { token })
    const answers = await Promise.all(paths.map((path) => client.get(path)))
    for (const [index, { status, text }] of answers.entries()) {
      all[`${viewer} ${paths[index]}`] = `${status} ${text.replaceAll(forge.url, '')}`
    }
  }
  return all
}

/** Returns changes to all data that an issue shows. */
function changesOf(forge: Forge, repo: GivenRepo, seed: number) {
  const { below, of, some } = dice(seed)
  const alice = forge.as('alice')
  let name = repo.name
  let bob = 'bob'
  const api = () => `/repos/alice/${name}`
  const issue = () => `${api()}/issues/${1 + below(4)}`
  const labels = [1, 2, 3]
  /** Returns a comment of the second issue, which has at least one. */
  const comment = async () => {
    const alices = { body: `mine ${below(1000)}` }
    await alice.must('POST', `${api()}/issues/2/comments`, alices)
    const { json } = await alice.must('GET', `${api()}/issues/2/comments`)
    return `${api()}/issues/comments/${of(json as { id: number }[]).id}`
  }
  return {
    api,
    steps: [
      () => alice.must('PATCH', issue(), { title: `title ${below(1000)}`, body: `text ${below(1000)}` }),
      // Carol cannot be assigned while the repository is private.
      () => alice.patch(issue(), { state: of(['open', 'closed']), assignees: some(['alice', 'carol'], 60) }),
      () => alice.must('PUT', `${issue()}/labels`, { labels: some(labels, 60) }),
      () => alice.must('PATCH', `${api()}/labels/${of(labels)}`, { name: `label ${below(1000)}`, color: '#123456' }),
      () => alice.must('PATCH', `${api()}/milestones/1`, { title: `milestone ${below(1000)}` }),
      () => alice.must('PATCH', issue(), { milestone: below(2) }),
      () => forge.as('carol').must('POST', `${issue()}/comments`, { body: 'a comment' }),
      () => alice.must('POST', `${issue()}/assets`, undefined, upload('notes.txt', 'notes')),
      () => alice.post(`${issue()}/pin`),
      () => forge.as('carol').must('POST', `${api()}/issues/2/comments`, { body: `comment ${below(1000)}` }),
      async () => alice.must('PATCH', await comment(), { body: `other words ${below(1000)}` }),
      async () => alice.must('POST', `${await comment()}/assets`, undefined, upload('more.txt', 'more')),
      async () => alice.must('DELETE', await comment()),
      () => forge.as('carol').must('PATCH', '/user/settings', { full_name: `Carol ${below(1000)}`, hide_email: true }),
      () => forge.as('root').must('PATCH', '/admin/users/carol', { admin: below(2) === 1, email: 'carol@example.com' }),
      () => forge.as('alice').must('PATCH', '/user/settings', { website: `https://a.example/${below(1000)}` }),
      async () => {
        const next = `bob${below(1000)}`
        await forge.as('root').must('POST', `/admin/users/${bob}/rename`, { new_username: next })
        bob = next
      },
      async () => {
        const next = `repo${below(1000)}`
        await alice.must('PATCH', api(), { name: next })
        name = next
      },
      () => alice.must('PATCH', api(), { private: below(2) === 1 }),
    ],
  }
}

test('issueListIssues, issueGetIssue, issueGetComments, issueSearchIssues: after each change, cached answers equal those of a restarted server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-kept-'))
  await using database = await openTestDatabase()
  const start = () => startForge({ database: database.options, dataFolder: folder })
  try {
    await using forge = await start()
    const tokens = new Map<string, string>()
    for (const name of ['root', 'alice', 'bob', 'carol']) tokens.set(name, (await forge.account(name)).token)
    const repo = await forge.given.repo()
    const alice = forge.as('alice')
    for (const label of ['one', 'two', 'three']) {
      await alice.must('POST', `${repo.api}/labels`, { name: label, color: '#000000' })
    }
    await alice.must('POST', `${repo.api}/milestones`, { title: 'first' })
    for (const poster of ['alice', 'bob', 'carol', 'alice']) await forge.given.issue({ repo, poster })
    const { some } = dice(7)
    const { steps, api } = changesOf(forge, repo, 20_251_122)
    const paths = () => [
      `${api()}/issues?state=all`,
      `${api()}/issues?state=all&sort=oldest&limit=2&page=2`,
      `${api()}/issues/2`,
      `${api()}/issues/2/comments`,
      `${api()}/issues/2/comments?since=2001-02-03T04:05:06Z`,
      '/repos/issues/search?state=all',
    ]
    // Fills the caches before the first change. Each later one comes after three readings too.
    for (const _ of [1, 2]) await seen(forge, tokens, paths())
    for (const step of [...steps, ...some(steps, 40)]) {
      await seen(forge, tokens, paths())
      await step()
      const first = await seen(forge, tokens, paths())
      const second = await seen(forge, tokens, paths())
      await using fresh = await start()
      // Another order of viewers detects answers that are cached for the wrong viewer.
      const wanted = await seen(fresh, tokens, paths(), viewers.toReversed())
      assert.deepEqual(first, wanted, String(step))
      assert.deepEqual(second, wanted, String(step))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})

test('issueGetIssue, issueListIssues: an issue takes one database round trip, an unchanged page two', async (context) => {
  await using forge = await startForge({ users: ['alice'] })
  const engine = engineOf(forge.services.db)
  if (engine.kind === 'sqlite') return context.skip('SQLite answers in the same thread')
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  for (const title of ['one', 'two', 'three']) await alice.must('POST', `${repo.api}/issues`, { title })
  await forge.settle()
  let [rounds, underWay] = [0, 0]
  const ask = engine.askPrepared
  Object.assign(engine, {
    askPrepared: async (...question: Parameters<typeof ask>) => {
      if (underWay++ === 0) rounds++
      return ask(...question).finally(() => underWay--)
    },
  })
  const roundsOf = async (path: string) => {
    for (let time = 0; time < 3; time++) await alice.must('GET', path)
    rounds = 0
    const { json } = await alice.must('GET', path)
    return [rounds, json]
  }
  const [ofIssue, issue] = await roundsOf(`${repo.api}/issues/2`)
  assert.deepEqual([ofIssue, issue.title], [1, 'two'])
  const [ofPage, issues] = await roundsOf(`${repo.api}/issues`)
  assert.deepEqual([ofPage, issues.map(({ title }: { title: string }) => title)], [2, ['three', 'two', 'one']])
})
