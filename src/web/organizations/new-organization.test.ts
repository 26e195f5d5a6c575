import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('newOrganizationPage, createOrganization: a person creates an organization; a taken name is shown again', async () => {
  await using forge = await startForge({ users: ['alice'] })
  assert.equal((await new Browser(forge).get('/org/create')).status, 303)
  const alice = await Browser.of(forge, 'alice')
  const taken = await alice.submit('/org/create', '/org/create', { org_name: 'alice', full_name: 'Guild' })
  assert.equal(taken.status, 422)
  assert.match(taken.text, /value="Guild"/)
  const made = await alice.submit('/org/create', '/org/create', { org_name: 'guild', visibility: 'limited' })
  assert.equal(made.headers.get('location'), '/guild')
  assert.equal((await forge.as('alice').get('/orgs/guild')).json.visibility, 'limited')
})

test('newOrganizationPage: an account without the right to create organizations is refused', async () => {
  await using forge = await startForge({
    settings: { admin: { DISABLE_REGULAR_ORG_CREATION: true } },
    users: ['alice'],
  })
  assert.equal((await (await Browser.of(forge, 'alice')).get('/org/create')).status, 403)
})
