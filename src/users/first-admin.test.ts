import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Invalid } from '../lib/errors.ts'
import { startForge } from '../testing/forge.ts'
import { ensureFirstAdministrator } from './first-admin.service.ts'
import { findUserByName } from './user.store.ts'

const named = (login: string, email = `${login}@example.com`) => ({ login, email, password: 'First-Passw0rd!' })

test('first administrator: processes that start at once create one account, and none of them fails', async () => {
  await using forge = await startForge()
  const { services } = forge
  const starting = { ...services, config: { ...services.config, firstAdmin: named('chief') } }
  const made = await Promise.all([1, 2, 3].map(() => ensureFirstAdministrator(starting)))
  assert.deepEqual(
    made.filter((each) => each !== undefined),
    [{ login: 'chief', password: undefined }],
  )
  assert.equal((await findUserByName(services.db, 'chief'))?.is_admin, true)
})

test('first administrator: an address of another account ends the start', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { services } = forge
  const { email } = (await forge.account('alice')).user
  const starting = { ...services, config: { ...services.config, firstAdmin: named('chief', email) } }
  await assert.rejects(ensureFirstAdministrator(starting), Invalid)
})
