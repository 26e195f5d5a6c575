import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test, type TestContext } from 'node:test'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { Clone } from '../../testing/clone.ts'
import { removeCopies as removeCopiesIn } from '../../testing/copies.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'
import { codeOf } from '../git-repository.ts'
import { dividePacks, unreachableSeconds, type Division } from './divide-packs.service.ts'
import { listPacks } from './pack.store.ts'

/** A repository whose packs are in a storage, and a deleted branch with a commit of its own. */
async function given(context: TestContext) {
  const forge = await startForge({ users: ['alice', 'bob'], settings: { repository: { STORAGE: 'blobs' } } })
  context.after(() => forge[Symbol.asyncDispose]())
  const { services } = forge
  // Files have the time of the machine, so a pack that a change is about to name looks old after the clock was advanced.
  const { mock: kept } = context.mock.method(services.packs!, 'delete', async () => {})
  const made = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const { id } = (await alice.must('GET', made.api)).json
  const row = (): Promise<RepoRow> =>
    services.db.selectFrom('repo').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  /** Commits a file on a new branch, and returns the commit. */
  const commit = async (branch: string, from = 'main'): Promise<Oid> => {
    const { json } = await alice.must('POST', `${made.api}/contents/${branch}`, {
      ...{ branch: from, new_branch: branch, content: base64(`only on ${branch}`) },
    })
    return json.commit.sha
  }
  const remove = (branch: string) => alice.must('DELETE', `${made.api}/branches/${branch}`)
  const lost = await commit('topic')
  await remove('topic')
  // A division is no part of the request that a test stops for it.
  const apart = AsyncLocalStorage.snapshot()
  return {
    forge,
    services,
    ...made,
    deletePacks: () => kept.restore(),
    commit,
    remove,
    lost,
    key: async (): Promise<GitKey> => (await row()).git_key,
    /** Names a commit by a new branch; returns the status. */
    name: async (branch: string, oid: Oid): Promise<number> =>
      (await alice.post(`${made.api}/branches`, { new_branch_name: branch, old_ref_name: oid })).status,
    has: async (oid: Oid): Promise<boolean> => (await alice.get(`${made.api}/git/commits/${oid}`)).status === 200,
    divide: async (): Promise<Division> => apart(async () => dividePacks(services, codeOf(await row()))),
    /** Passes the time after which unreachable objects are removed. */
    pass: () => forge.clock.advance(unreachableSeconds * 1000),
    livePacks: async () => listPacks(services.db, codeOf(await row())),
    /** Checks that each reference has all its objects in the storage. */
    async check(): Promise<void> {
      await forge.settle()
      removeCopies(forge)
      const { ok, problems } = await services.git.fsck(await this.key())
      assert.deepEqual([ok, problems], [true, []])
      assert.deepEqual(await examined(services), [])
    },
  }
}

const removeCopies = (forge: Forge): void => removeCopiesIn(forge.services.config.paths.repositories)

/** Replaces a function of git by one that works before or after the first call. */
function once(
  context: TestContext,
  { services: { git } }: Forge,
  name: 'keepObjects' | 'readRef' | 'dividePacks',
  { before, after }: { readonly before?: () => Promise<void>; readonly after?: () => Promise<void> },
): void {
  const original = git[name].bind(git) as (...args: unknown[]) => Promise<unknown>
  const { mock } = context.mock.method(git, name, (async (...args: unknown[]) => {
    mock.restore()
    await before?.()
    const result = await original(...args)
    await after?.()
    return result
  }) as never)
}

test('divide packs: unreachable objects are kept for two weeks, and then removed from storage and copies', async (context) => {
  const it = await given(context)
  const { forge, services, lost } = it
  const key = await it.key()
  assert.equal(await it.divide(), 'kept')
  assert.equal((await it.livePacks()).filter(({ cruftUnix }) => cruftUnix !== undefined).length, 1)
  assert.equal((await it.livePacks()).length, 2)
  await it.check()
  assert.ok(await it.has(lost))
  forge.clock.advance((unreachableSeconds - 10) * 1000)
  assert.equal(await it.divide(), 'kept')
  assert.deepEqual([await it.key(), await it.has(lost)], [key, true])
  forge.clock.advance(10_000)
  assert.equal(await it.divide(), 'whole')
  assert.notEqual(await it.key(), key)
  assert.equal((await it.livePacks()).length, 1)
  assert.deepEqual([await it.has(lost), await it.name('again', lost)], [false, 404])
  await it.check()
  assert.ok(!(await it.has(lost)))
  // Copies of the former key and the packs go.
  await services.git.removeForsaken()
  it.deletePacks()
  forge.clock.advance(2 * 86_400_000)
  await forge.app.scheduler.runNow('remove_unnamed_packs')
  await forge.settle()
  const blobs = []
  for await (const { key: blob } of services.packs!.list('')) blobs.push(blob)
  assert.equal(blobs.length, 2)
  await it.check()
})

test('divide packs: a repository without unreachable objects stays as it is', async (context) => {
  const it = await given(context)
  assert.equal(await it.name('topic', it.lost), 201)
  const before = [await it.key(), await it.livePacks()]
  assert.equal(await it.divide(), 'whole')
  assert.deepEqual([await it.key(), await it.livePacks()], before)
  await it.check()
})

test('divide packs: a fork keeps what is unreachable in its base only', async (context) => {
  const it = await given(context)
  await it.name('topic', it.lost)
  const { json: fork } = await it.forge.as('bob').must('POST', `${it.api}/forks`, {})
  await it.remove('topic')
  assert.equal(await it.divide(), 'kept')
  it.pass()
  assert.equal(await it.divide(), 'whole')
  assert.ok(!(await it.has(it.lost)))
  removeCopies(it.forge)
  await it.forge.as('bob').must('GET', `/repos/${fork.full_name}/contents/topic?ref=topic`)
  assert.deepEqual(await examined(it.services), [])
})

test('divide packs: objects that a reference or a younger object needs again are kept', async (context) => {
  const it = await given(context)
  await it.divide()
  assert.equal(await it.name('topic', it.lost), 201)
  const child = await it.commit('child', 'topic')
  await it.remove('child')
  it.pass()
  assert.equal(await it.divide(), 'kept')
  await it.check()
  it.pass()
  assert.equal(await it.divide(), 'whole')
  assert.deepEqual([await it.has(it.lost), await it.has(child)], [true, false])
  await it.check()
})

test('divide packs: a young unreachable commit keeps the older commits that it needs', async (context) => {
  const it = await given(context)
  assert.equal(await it.divide(), 'kept')
  await it.name('topic', it.lost)
  const child = await it.commit('child', 'topic')
  await it.remove('child')
  await it.remove('topic')
  it.pass()
  // Only the parent has expired.
  assert.equal(await it.divide(), 'kept')
  assert.equal(await it.name('child', child), 201)
  await it.check()
})

test('divide packs: a change that relies on objects which are removed meanwhile is refused', async (context) => {
  const it = await given(context)
  await it.divide()
  it.pass()
  once(context, it.forge, 'keepObjects', { after: async () => assert.equal(await it.divide(), 'whole') })
  assert.equal(await it.name('again', it.lost), 503)
  assert.equal(await it.name('again', it.lost), 404)
  await it.check()
  await it.commit('after')
})

test('divide packs: objects stay when a change names them while they are being removed', async (context) => {
  const it = await given(context)
  await it.divide()
  it.pass()
  once(context, it.forge, 'dividePacks', { after: async () => assert.equal(await it.name('again', it.lost), 201) })
  assert.equal(await it.divide(), 'busy')
  await it.check()
  assert.equal(await it.divide(), 'whole')
  assert.ok(await it.has(it.lost))
  await it.check()
})

test('divide packs: objects are set apart while references change, and none is lost', async (context) => {
  const it = await given(context)
  let late: Oid | undefined
  once(context, it.forge, 'dividePacks', {
    async after() {
      await it.name('again', it.lost)
      late = await it.commit('late')
    },
  })
  assert.equal(await it.divide(), 'kept')
  assert.ok(late)
  await it.check()
  it.pass()
  assert.equal(await it.divide(), 'whole')
  await it.check()
})

for (const [step, name] of [
  ['in quarantine', 'readRef'],
  ['when it moves references', 'keepObjects'],
] as const) {
  test(`divide packs: a push that builds on objects which are removed while it is ${step} is refused`, async (context) => {
    const it = await given(context)
    await it.name('topic', it.lost)
    using clone = await Clone.of(it.forge, 'alice', it.fullName)
    await clone.must('checkout', '-q', 'topic')
    await clone.commit('on top of it')
    once(context, it.forge, name, {
      async before() {
        await it.remove('topic')
        assert.equal(await it.divide(), 'kept')
        it.pass()
        assert.equal(await it.divide(), 'whole')
      },
    })
    const pushed = await clone.git('push', '-q', 'origin', 'HEAD:refs/heads/next')
    assert.equal(pushed.code, 1)
    assert.match(pushed.err, /objects of the repository were removed meanwhile; try again|does not exist/)
    await it.check()
    // The client sends all of them now.
    await clone.must('push', '-q', 'origin', 'HEAD:refs/heads/next')
    await it.check()
  })
}

test('divide packs: the job follows a change, and removes objects without further changes', async (context) => {
  const it = await given(context)
  const { forge } = it
  await forge.settle()
  for (let day = 0; day < 6 * 7; day++) {
    forge.clock.advance(86_400_000)
    await forge.settle()
  }
  assert.ok(!(await it.has(it.lost)))
  assert.equal((await it.livePacks()).length, 1)
  await it.check()
})

test('divide packs: under concurrent pushes, branches and removals, no reference ever lacks an object', async (context) => {
  const it = await given(context)
  const rounds = Number(process.env['INGOT_DIVIDE_ROUNDS'] ?? 6)
  using clone = await Clone.of(it.forge, 'alice', it.fullName)
  const known: Oid[] = [it.lost]
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const branch = `round-${round}`
    await clone.must('checkout', '-q', '-b', branch, 'origin/main')
    known.push((await clone.commit(branch)) as Oid)
    await clone.must('push', '-q', 'origin', branch)
    await clone.must('fetch', '-q', 'origin')
    // Pushes reuse what others remove, and the API names whatever existed once.
    await clone.commit(`${branch}-next`)
    const statuses = await Promise.all([
      it.remove(branch).then(() => 204),
      it.divide().then(() => {
        it.pass()
        return it.divide().then(() => 0)
      }),
      clone.git('push', '-q', 'origin', `HEAD:refs/heads/${branch}-next`).then(({ code }) => (code === 0 ? 201 : 503)),
      ...known.map((oid, index) => it.name(`named-${round}-${index}`, oid)),
    ])
    refused += statuses.filter((status) => status === 503 || status === 404).length
    await it.check()
    const { json } = await it.forge.as('alice').must('GET', `${it.api}/branches?limit=100`)
    for (const { name } of json.filter(({ name: each }: { name: string }) => each !== 'main')) await it.remove(name)
  }
  context.diagnostic(`${refused} changes were refused`)
})
