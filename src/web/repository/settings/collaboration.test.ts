import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'

test('collaborationPage, putCollaboratorSubmit, removeCollaboratorSubmit: administrators give access by name', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'write')
  const at = `/${repo.fullName}/settings/collaboration`
  const [alice, bob, carol] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  assert.equal((await new Browser(forge).get(at)).status, 303)
  assert.equal((await carol.get(at)).status, 404)
  assert.equal((await bob.get(at)).status, 403)
  const csrf = await bob.csrf('/repo/create')
  for (const path of ['', '/delete', '/teams', '/teams/delete']) {
    assert.equal((await bob.post(at + path, { _csrf: csrf, collaborator: 'bob', permission: 'admin' })).status, 403)
  }
  const wrong = await alice.submit(at, 'id="add_collaborator"', { collaborator: 'nobody', permission: 'read' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="collaborator_problem"/)
  assert.match(wrong.text, /value="nobody"/)
  assert.equal((await alice.submit(at, 'id="add_collaborator"', { collaborator: 'alice' })).status, 422)

  const permission = async (name: string) =>
    (await forge.as('alice').get(`${repo.api}/collaborators/${name}/permission`)).json.permission
  const added = await alice.submit(at, 'id="add_collaborator"', { collaborator: 'Carol', permission: 'read' })
  assert.deepEqual([added.status, added.headers.get('location')], [303, at])
  assert.equal(await permission('carol'), 'read')
  assert.match((await alice.get(at)).text, /href="\/carol"/)
  const { text } = await alice.get(at)
  await alice.post(at, { _csrf: await alice.csrf(at), collaborator: 'carol', permission: 'admin' })
  assert.match(text, /Permission of carol/)
  assert.equal(await permission('carol'), 'admin')
  await alice.submit(at, `${at}/delete`)
  assert.equal((await forge.as('alice').get(`${repo.api}/collaborators/bob`)).status, 404)
  assert.equal(await permission('carol'), 'admin')
})

test('addTeamSubmit, removeTeamSubmit: teams of an organization get its repository, unless only its owners may decide', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const person = await forge.given.repo()
  const api = forge.as('alice')
  await api.must('POST', '/orgs', { username: 'acme', repo_admin_change_team_access: false })
  await api.must('POST', '/orgs/acme/teams', { name: 'Builders', permission: 'write', units: ['repo.code'] })
  await api.must('POST', '/orgs/acme/repos', { name: 'tool' })
  await api.must('PUT', '/repos/acme/tool/collaborators/bob', { permission: 'admin' })
  const at = '/acme/tool/settings/collaboration'
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.doesNotMatch((await alice.get(`/${person.fullName}/settings/collaboration`)).text, /name="team"/)
  const fixed = await bob.get(at)
  assert.doesNotMatch(fixed.text, /name="team"/)
  assert.equal((await bob.post(`${at}/teams`, { _csrf: await bob.csrf(at), team: 'builders' })).status, 403)

  assert.match((await alice.get(at)).text, /<option value="Builders"/)
  assert.equal((await alice.submit(at, `${at}/teams"`, { team: 'Nowhere' })).status, 422)
  assert.equal((await alice.submit(at, `${at}/teams"`, { team: 'Owners' })).status, 422)
  assert.equal((await alice.submit(at, `${at}/teams"`, { team: 'Builders' })).status, 303)
  const names = async () => (await api.get('/repos/acme/tool/teams')).json.map((team: { name: string }) => team.name)
  assert.deepEqual(await names(), ['Owners', 'Builders'])
  assert.equal((await alice.submit(at, `${at}/teams/delete`)).status, 303)
  assert.deepEqual(await names(), ['Owners'])
})
