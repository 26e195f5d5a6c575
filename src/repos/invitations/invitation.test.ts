import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { collaborator } from '../../testing/given-pull.ts'
import { withMail } from '../../testing/mail.ts'

test('repoCreateInvitation, repoListInvitations, repoRevokeInvitation: administrators of the repository alone', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ private: true })
  const other = await forge.given.repo({ owner: 'bob' })
  await collaborator(forge, repo, 'bob', 'write')
  const at = `${repo.api}/invitations`
  for (const [client, status] of [
    [forge.guest, 404],
    [forge.as('carol'), 404],
    [forge.as('bob'), 403],
  ] as const) {
    assert.equal((await client.get(at)).status, status)
    assert.equal((await client.post(at, {})).status, status)
    assert.equal((await client.delete(`${at}/1`)).status, status)
  }
  const alice = forge.as('alice')
  assert.equal((await alice.post(at, { email: 'no address@' })).status, 422)
  const { json: made } = await alice.must('POST', at, { permission: 'admin' })
  assert.deepEqual([made.email, made.permission, made.team_id, made.inviter.login], ['', 'admin', null, 'alice'])
  const { json: mailed } = await alice.must('POST', at, { email: 'x@example.net' })
  assert.ok(mailed.link.startsWith(forge.url), 'without a mailer, the caller hands the link over')
  assert.equal((await alice.post(at, { email: 'X@example.net' })).status, 409)

  const listed = await alice.get(`${at}?limit=1`)
  assert.equal(listed.headers.get('x-total-count'), '2')
  assert.deepEqual(
    listed.json.map((each: { id: number; permission: string }) => [each.id, each.permission]),
    [[mailed.id, 'write']],
  )
  assert.ok(!('link' in listed.json[0]), 'the link is shown once')

  assert.equal((await forge.as('bob').delete(`${other.api}/invitations/${made.id}`)).status, 404, 'of another place')
  assert.equal((await alice.delete(`${at}/${made.id}`)).status, 204)
  assert.equal((await alice.delete(`${at}/${made.id}`)).status, 409)
  const carol = await Browser.of(forge, 'carol')
  assert.equal((await carol.get(made.link.slice(forge.url.length))).status, 410)
})

test('orgCreateInvitation, orgListInvitations, orgRevokeInvitation: owners of the organization alone, to its own teams', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      await forge.given.org({ owner: 'alice', name: 'smiths' })
      await forge.given.org({ owner: 'bob', name: 'bakers' })
      const at = '/orgs/smiths/invitations'
      const alice = forge.as('alice')
      const [{ id: team }] = (await alice.must('GET', '/orgs/smiths/teams')).json
      const [{ id: foreign }] = (await forge.as('bob').must('GET', '/orgs/bakers/teams')).json
      assert.equal((await forge.guest.get(at)).status, 401)
      assert.equal((await forge.as('bob').get(at)).status, 403)
      assert.equal((await forge.as('bob').post(at, { team_id: team })).status, 403)
      assert.equal((await alice.post(at, { team_id: foreign })).status, 422)
      const { json: made } = await alice.must('POST', at, { team_id: team, email: 'x@example.net' })
      assert.deepEqual([made.team_id, made.permission, 'link' in made], [team, 'none', false], 'the mail has the link')
      await forge.settle()
      assert.deepEqual(caught[0]?.to, ['x@example.net'])
      assert.equal((await alice.get(at)).json.length, 1)
      assert.equal((await forge.as('bob').delete(`/orgs/bakers/invitations/${made.id}`)).status, 404)
      assert.equal((await alice.delete(`${at}/${made.id}`)).status, 204)
      assert.deepEqual((await alice.get(at)).json, [])
    },
    { users: ['alice', 'bob'] },
  )
})
