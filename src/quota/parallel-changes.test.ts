import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Browser } from '../testing/browser.ts'
import { Clone } from '../testing/clone.ts'
import { examined } from '../testing/doctor.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { commitFiles } from '../testing/given-pull.ts'
import type { GivenRepo } from '../testing/given.ts'

const changeBytes = 160_000
/** Less than two changes, so the second change exceeds the quota and later ones are refused. */
const roomBytes = 240_000

/** Starts a forge with repositories of alice and quotas. */
async function given(count: number) {
  const forge = await startForge({ users: ['alice', 'bob'], settings: { quota: { ENABLED: true } } })
  const repos: GivenRepo[] = []
  for (let at = 0; at < count; at++) repos.push(await forge.given.repo({ owner: 'alice', name: `r${at}` }))
  return { forge, repos }
}

/** Leaves an account room for less than two changes. */
async function leaveRoom(forge: Forge, login = 'alice'): Promise<void> {
  await forge.settle()
  const root = forge.as('root')
  const { id } = (await forge.account(login)).user
  const { used } = await forge.services.db
    .selectFrom('usage')
    .select(sql<number | string>`coalesce(sum(size_bytes), 0)`.as('used'))
    .where('owner_id', '=', id)
    .executeTakeFirstOrThrow()
  const rules = [{ name: 'room', limit: Number(used) + roomBytes, subjects: ['size:all'] }]
  await root.must('POST', '/admin/quota/groups', { name: 'small', rules })
  await root.must('PUT', `/admin/quota/groups/small/users/${login}`)
}

/**
 * Asserts that two of four changes succeeded, and that the ledger and the sizes are those of the repositories.
 * @param least least number of them
 */
async function assertTwo(forge: Forge, succeeded: readonly boolean[], least = 2): Promise<void> {
  const count = succeeded.filter(Boolean).length
  assert.ok(count >= least && count <= 2, succeeded.join())
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
}

for (const [what, count] of [
  ['four repositories', 4],
  ['one repository', 1],
] as const) {
  test(`parallel pushes to ${what} of one owner exceed the quota by at most one push`, async () => {
    const { forge, repos } = await given(count)
    await using _ = forge
    const clones = await Promise.all([0, 1, 2, 3].map((at) => Clone.of(forge, 'alice', repos[at % count]!.fullName)))
    try {
      for (const clone of clones) await clone.commit('random', randomBytes(changeBytes))
      await leaveRoom(forge)
      const ended = await Promise.all(clones.map((clone, at) => clone.git('push', 'origin', `HEAD:refs/heads/b${at}`)))
      for (const { code, err } of ended) if (code !== 0) assert.match(err, /quota exceeded by alice/)
      await assertTwo(
        forge,
        ended.map(({ code }) => code === 0),
        // A measurement counts objects of the other pushes to the repository before they are charged.
        count === 1 ? 1 : 2,
      )
    } finally {
      for (const clone of clones) clone[Symbol.dispose]()
    }
  })
}

test('repoCreateFile: parallel files of one owner exceed the quota by at most one file', async () => {
  const { forge, repos } = await given(4)
  await using _ = forge
  await leaveRoom(forge)
  const replies = await Promise.all(
    repos.map(({ api }) =>
      forge.as('alice').post(`${api}/contents/random`, { content: randomBytes(changeBytes).toString('base64') }),
    ),
  )
  const refused = replies.filter(({ status }) => status !== 201)
  assert.deepEqual(
    refused.map(({ status, json }) => [status, json.username]),
    [
      [413, 'alice'],
      [413, 'alice'],
    ],
  )
  await assertTwo(
    forge,
    replies.map(({ status }) => status === 201),
  )
})

const contentOf = () => ({ content: randomBytes(changeBytes).toString('base64') })

/** Lines that do not compress: a change of one line makes a new object of about `changeBytes`. */
const linesOf = (): string[] => Array.from({ length: changeBytes / 39 }, () => randomBytes(39).toString('base64'))
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Each builds a new object on the server whose content no request contains. Returns the change, which runs in parallel with others. */
const builds: Record<string, (forge: Forge, repo: GivenRepo) => Promise<() => Promise<boolean>>> = {
  'repoMergePullRequest: parallel merges': async (forge, repo) => {
    const lines = linesOf()
    await commitFiles(forge, repo, 'main', { lines: textOf(lines) })
    await commitFiles(forge, repo, 'topic', { lines: textOf([...lines.slice(0, -1), 'topic']) })
    await commitFiles(forge, repo, 'main', { lines: textOf(['main', ...lines.slice(1)]) })
    const alice = forge.as('alice')
    const pull = await alice.must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'Merge' })
    return async () => {
      const { status } = await alice.post(`${repo.api}/pulls/${pull.json.number}/merge`, { Do: 'merge' })
      assert.ok(status === 200 || status === 413, String(status))
      return status === 200
    }
  },
  'repoUpdatePullRequest: parallel updates of heads': async (forge, repo) => {
    const lines = linesOf()
    await commitFiles(forge, repo, 'main', { lines: textOf(lines) })
    await commitFiles(forge, repo, 'topic', { lines: textOf([...lines.slice(0, -1), 'topic']) })
    await commitFiles(forge, repo, 'main', { lines: textOf(['main', ...lines.slice(1)]) })
    const alice = forge.as('alice')
    const pull = await alice.must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'Update' })
    return async () => {
      const { status } = await alice.post(`${repo.api}/pulls/${pull.json.number}/update`)
      assert.ok(status === 200 || status === 413, String(status))
      return status === 200
    }
  },
  'revertCommit: parallel reverts': async (forge, repo) => {
    const lines = linesOf()
    await commitFiles(forge, repo, 'main', { lines: textOf(lines) })
    const changed = ['main', ...lines.slice(1)]
    const oid = await commitFiles(forge, repo, 'main', { lines: textOf(changed) })
    await commitFiles(forge, repo, 'main', { lines: textOf([...changed.slice(0, -1), 'later']) })
    const browser = await Browser.of(forge, 'alice')
    return async () => {
      const page = `/${repo.fullName}/_revert/${oid}/main`
      const { status } = await browser.submit(page, '_revert/', { target: 'direct' })
      assert.ok(status === 303 || status === 413, String(status))
      return status === 303
    }
  },
  'repoApplyDiffPatch: parallel patches': async (forge, repo) => {
    const lines = linesOf()
    const added = lines.map((line) => `+${line}\n`).join('')
    const head = 'diff --git a/lines b/lines\nnew file mode 100644\n--- /dev/null\n+++ b/lines\n'
    return async () => {
      const content = `${head}@@ -0,0 +1,${lines.length} @@\n${added}`
      const { status } = await forge.as('alice').post(`${repo.api}/diffpatch`, { content, sha: '0' })
      assert.ok(status === 201 || status === 413, String(status))
      return status === 201
    }
  },
}

for (const [what, prepare] of Object.entries(builds)) {
  test(`${what} of one owner exceed the quota by at most one`, async () => {
    const { forge, repos } = await given(4)
    await using _ = forge
    const changes: (() => Promise<boolean>)[] = []
    for (const repo of repos) changes.push(await prepare(forge, repo))
    await leaveRoom(forge)
    await assertTwo(forge, await Promise.all(changes.map((change) => change())))
  })
}

test('parallel pushes to refs/for/ of one owner exceed the quota by at most one push, and the others open nothing', async () => {
  const { forge, repos } = await given(4)
  await using _ = forge
  const clones = await Promise.all(repos.map(({ fullName }) => Clone.of(forge, 'bob', fullName)))
  try {
    for (const clone of clones) await clone.commit('random', randomBytes(changeBytes))
    await leaveRoom(forge)
    const push = (clone: Clone, topic: string) => clone.git('push', 'origin', `HEAD:refs/for/main/${topic}`)
    const ended = await Promise.all(clones.map((clone) => push(clone, 'one')))
    for (const { code, err } of ended) if (code !== 0) assert.match(err, /alice is over quota|quota exceeded by alice/)
    await assertTwo(
      forge,
      ended.map(({ code }) => code === 0),
    )
    const pulls = await forge.services.db.selectFrom('pull').select('id').execute()
    assert.equal(pulls.length, 2)
  } finally {
    for (const clone of clones) clone[Symbol.dispose]()
  }
})

test('a push of several topics and a branch is charged once', async () => {
  const { forge, repos } = await given(1)
  await using _ = forge
  using clone = await Clone.of(forge, 'alice', repos[0]!.fullName)
  await clone.commit('random', randomBytes(changeBytes))
  await forge.settle()
  const sizeOf = async (): Promise<number> =>
    (await forge.services.db.selectFrom('repo').select('git_size_bytes').executeTakeFirstOrThrow()).git_size_bytes
  const before = await sizeOf()
  const refs = ['refs/for/main/one', 'refs/for/main/two', 'refs/heads/other'].map((ref) => `HEAD:${ref}`)
  const ended = await clone.git('push', 'origin', ...refs)
  assert.equal(ended.code, 0, ended.err)
  const charged = (await sizeOf()) - before
  assert.ok(charged > changeBytes && charged < 1.5 * changeBytes, String(charged))
})

test('createFork: parallel forks for one owner exceed the quota by at most one fork', async () => {
  const { forge, repos } = await given(4)
  await using _ = forge
  for (const { api } of repos) await forge.as('alice').must('POST', `${api}/contents/random`, contentOf())
  await leaveRoom(forge, 'bob')
  const replies = await Promise.all(repos.map(({ api }) => forge.as('bob').post(`${api}/forks`, {})))
  await assertTwo(
    forge,
    replies.map(({ status }) => status === 202),
  )
})

test('acceptRepoTransfer: parallel transfers to one account exceed its quota by at most one repository', async () => {
  const { forge, repos } = await given(4)
  await using _ = forge
  for (const { api } of repos) {
    await forge.as('alice').must('POST', `${api}/contents/random`, contentOf())
    await forge.as('alice').must('POST', `${api}/transfer`, { new_owner: 'bob' })
  }
  await leaveRoom(forge, 'bob')
  const replies = await Promise.all(repos.map(({ api }) => forge.as('bob').post(`${api}/transfer/accept`)))
  await assertTwo(
    forge,
    replies.map(({ status }) => status === 202),
  )
})

test('repoCreateFile: after a change the usage contains it at once, without a measurement', async () => {
  const { forge, repos } = await given(1)
  await using _ = forge
  const alice = forge.as('alice')
  await leaveRoom(forge)
  for (const at of [0, 1]) await alice.must('POST', `${repos[0]!.api}/contents/random${at}`, contentOf())
  assert.equal((await alice.post(`${repos[0]!.api}/contents/more`, contentOf())).status, 413)
})
