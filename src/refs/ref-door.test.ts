import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Git } from '../git/git.ts'
import { Unavailable } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { moveRefs, openJournal, settle, settleLeftovers, type RefChange, type RefOrigin } from './ref-door.service.ts'

const zeros = '0'.repeat(40) as Oid
const ref = 'refs/heads/topic'

/** A repository with two commits on its default branch, and no other branch. */
async function given(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/contents/more`, { content: '', message: 'more' })
  const row = await forge.services.db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
  const [{ sha: newer }, { sha: older }] = (await forge.as('alice').get(`${repo.api}/commits`)).json
  const { user } = await forge.account('alice')
  const origin: RefOrigin = { doerId: user.id, via: 'api' }
  const recorded = async (): Promise<string | undefined> => {
    const branch = await forge.as('alice').get(`${repo.api}/branches/topic`)
    return branch.status === 404 ? undefined : branch.json.commit.id
  }
  return { row, origin, recorded, newer: newer as Oid, older: older as Oid }
}

test('ref door: of two changes at the same time one is made, the other is told that it came late', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer, older } = await given(forge)
  const results = await Promise.all(
    [newer, older].map((oid) => moveRefs(forge.services, row, [{ ref, old: zeros, new: oid }], origin)),
  )
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  assert.equal(await recorded(), results[0]?.ok ? newer : older)
  assert.deepEqual(await forge.services.db.selectFrom('ref_journal').selectAll().execute(), [])
})

test('ref door: a reference that went there and back before an older change reached it is recorded as it is', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer, older } = await given(forge)
  const late: RefChange = { ref, old: zeros, new: newer }
  const journal = await openJournal(forge.services, row, [late], origin)
  assert.ok((await moveRefs(forge.services, row, [{ ref, old: zeros, new: older }], origin)).ok)
  assert.ok((await moveRefs(forge.services, row, [{ ref, old: older, new: zeros }], origin)).ok)
  assert.equal(await recorded(), undefined)
  assert.ok((await forge.services.git.updateRefs(row.git_key, [late])).ok)
  await settle(forge.services, journal, [late])
  assert.equal(await recorded(), newer)
})

test('ref door: what a crash left is settled by what git has, and recorded once', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer, older } = await given(forge)
  const made: RefChange = { ref, old: zeros, new: newer }
  const unmade: RefChange = { ref: 'refs/heads/never', old: zeros, new: older }
  const journal = await openJournal(forge.services, row, [made, unmade], origin)
  await forge.services.git.updateRefs(row.git_key, [made])
  assert.equal(await recorded(), undefined)
  assert.equal(await settleLeftovers(forge.services, 0), 1)
  assert.equal(await recorded(), newer)
  assert.equal(await settleLeftovers(forge.services, 0), 0)
  // Whoever comes late finds the entry gone and records nothing.
  await settle(forge.services, journal, [unmade])
  const names = await forge.services.db.selectFrom('branch').select('name').where('is_deleted', '=', false).execute()
  assert.deepEqual(names.map(({ name }) => name).sort(), ['main', 'topic'])
})

test('ref door: a change that git made while its broker ended is recorded a moment later', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer } = await given(forge)
  const { git } = forge.services
  const cutOff: Git = Object.create(git, {
    updateRefs: {
      value: async (...given: Parameters<Git['updateRefs']>) => {
        assert.deepEqual(await git.updateRefs(...given), { ok: true })
        throw new Unavailable('the git broker ended', 'git_unavailable')
      },
    },
  })
  const change: RefChange = { ref, old: zeros, new: newer }
  await assert.rejects(moveRefs({ ...forge.services, git: cutOff }, row, [change], origin), Unavailable)
  assert.equal(await recorded(), undefined)
  forge.clock.advance(1000)
  await forge.settle()
  assert.equal(await recorded(), newer)
  assert.deepEqual(await forge.services.db.selectFrom('ref_journal').selectAll().execute(), [])
})
