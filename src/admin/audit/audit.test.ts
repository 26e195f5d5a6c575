import { serverWork } from '../../access/server-work.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recordAct } from '../../audit/audit.ts'
import { engineOf, transaction } from '../../db/database.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { publicKey } from '../../testing/samples.ts'
import { clearOldEntries, followEntries, getEntries } from './audit.service.ts'

interface Entry {
  readonly id: number
  readonly action: string
  readonly outcome: string
  readonly actor: { readonly login: string } | null
  readonly acted_as_id: number | null
  readonly credential: string
  readonly address: string
  readonly operation: string
  readonly object: { readonly kind: string; readonly id: number | null; readonly name: string }
  readonly details: Readonly<Record<string, unknown>>
}

const logOf = async (forge: Forge, query = ''): Promise<Entry[]> =>
  (await forge.as('root').must('GET', `/admin/audit?limit=50${query}`)).json

test('adminReadAuditLog: only administrators read it, newest first, filtered and paged', async () => {
  await using forge = await startForge({ users: ['alice'] })
  assert.equal((await forge.guest.get('/admin/audit')).status, 401)
  assert.equal((await forge.as('alice').get('/admin/audit')).status, 403)
  for (const query of ['outcome=maybe', 'since=yesterday', 'until=x']) {
    assert.equal((await forge.as('root').get(`/admin/audit?${query}`)).status, 400, query)
  }
  const alice = forge.as('alice', { basic: { login: 'alice', password: testPassword } })
  for (const name of ['a', 'b', 'c']) await alice.must('POST', '/users/alice/tokens', { name, scopes: ['read:user'] })
  await alice.must('DELETE', '/users/alice/tokens/b')
  const entries = await logOf(forge, '&actor=alice&action=token.*')
  assert.deepEqual(
    entries.slice(0, 4).map(({ action, object }) => `${action} ${object.name}`),
    ['token.deleted ', 'token.created c', 'token.created b', 'token.created a'],
  )
  const [{ id } = { id: 0 }] = entries
  const page = await logOf(forge, `&actor=alice&action=token.created&before=${id}`)
  assert.deepEqual(
    page.slice(0, 3).map(({ object }) => object.name),
    ['c', 'b', 'a'],
  )
  assert.deepEqual(await logOf(forge, '&since=2999-01-01T00:00:00Z'), [])
  assert.equal((await logOf(forge, '&until=2999-01-01T00:00:00Z')).length > 4, true)
})

test('adminReadAuditLog: entries name actor, credential, address and object, and no secrets', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [root, alice] = [forge.as('root'), forge.as('alice')]
  await alice.must('POST', '/user/keys', { title: 'k', key: publicKey })
  await root.must('PATCH', '/admin/users/bob', {
    login_name: 'bob',
    source_id: 0,
    password: 'An0ther.Passw0rd',
    admin: true,
  })
  await root.must('POST', '/user/repos?sudo=alice', { name: 'one' })
  await root.must('PUT', '/repos/alice/one/collaborators/bob?sudo=alice', { permission: 'write' })
  await alice.must('PATCH', '/repos/alice/one', { private: true })
  await alice.must('POST', '/repos/alice/one/hooks', {
    type: 'gitea',
    config: { url: 'https://hooks.example.com/x?key=hush', content_type: 'json', secret: 'hush' },
  })
  await alice.must('PUT', '/repos/alice/one/actions/secrets/DEPLOY', { data: 'hush' })
  await alice.must('DELETE', '/repos/alice/one')
  const entries = await logOf(forge)
  const about = (action: string): Entry => {
    const found = entries.find((each) => each.action === action)
    assert.ok(found, action)
    return found
  }
  const key = about('sshKey.added')
  assert.deepEqual([key.actor?.login, key.outcome, key.operation], ['alice', 'done', 'userCurrentPostKey'])
  assert.match(key.credential, /^token \d+$/)
  assert.match(key.address, /^(?:::ffff:)?127\.0\.0\.1$/)
  assert.match(key.object.name, /^SHA256:/)
  assert.deepEqual(about('user.edited').details, { changed: ['is admin'] })
  assert.equal(about('password.changed').object.name, 'bob')
  const { user } = await forge.account('alice')
  const collaborator = about('collaborator.added')
  assert.deepEqual([collaborator.actor?.login, collaborator.acted_as_id], ['root', user.id], 'sudo names both')
  assert.deepEqual([collaborator.object.name, collaborator.details['mode']], ['alice/one', 2])
  assert.equal(about('repo.visibilityChanged').details['private'], true)
  assert.equal(about('webhook.created').object.name, 'hooks.example.com')
  assert.equal(about('secret.put').object.name, 'DEPLOY')
  assert.equal(about('repo.deleted').object.name, 'alice/one')
  const { token } = await forge.account('alice')
  const whole = JSON.stringify(entries)
  for (const secret of ['hush', 'An0ther', token, publicKey.split(' ')[1] as string]) {
    assert.ok(!whole.includes(secret), secret)
  }
})

test('adminReadAuditLog: contains refused sign-ins without the typed text', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = new Browser(forge)
  await browser.signIn('alice', 'wrong-one')
  await browser.signIn('typed-my-password', 'x')
  assert.equal((await forge.as('alice', { basic: { login: 'alice', password: 'guess' } }).get('/user')).status, 401)
  await browser.signIn('alice', testPassword)
  const entries = (await logOf(forge)).filter(({ action }) => /^(?:password|session)\./.test(action))
  assert.deepEqual(
    entries.map(({ action, outcome, operation, object }) => [action, outcome, operation, object.name]),
    [
      ['session.begun', 'done', 'signInSubmit', 'alice'],
      ['password.used', 'refused', 'userGetCurrent', 'alice'],
      ['password.used', 'refused', 'signInSubmit', ''],
      ['password.used', 'refused', 'signInSubmit', 'alice'],
    ],
  )
  assert.ok(!JSON.stringify(entries).includes('typed-my-password'))
})

test('adminReadAuditLog: an undone action leaves no entry, and entries cannot be changed', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { db } = forge.services
  const act = { action: 'secret.put', about: { kind: 'secret', id: null, name: 'X' } } as const
  await assert.rejects(
    transaction(db, async (tx) => {
      await recordAct(tx, act)
      throw new Error('rolled back')
    }),
    /rolled back/,
  )
  assert.deepEqual(await logOf(forge, '&action=secret.put'), [])
  await transaction(db, (tx) => recordAct(tx, act))
  const [entry] = await logOf(forge, '&action=secret.put')
  assert.equal(entry?.credential, 'system')
  await assert.rejects(
    transaction(db, (tx) => tx.updateTable('audit_entry').set({ outcome: 'refused' }).execute()),
    /never changed/,
  )
  await assert.rejects(
    transaction(db, (tx) => tx.deleteFrom('audit_entry').execute()),
    /last day/,
  )
  // Entries outlive their account.
  await forge.as('alice').must('POST', '/user/keys', { title: 'k', key: publicKey })
  await forge.as('root').must('DELETE', '/admin/users/alice?purge=true')
  assert.equal((await logOf(forge, '&action=sshKey.added'))[0]?.actor?.login, 'alice')
})

test('adminReadAuditLog: expired entries are deleted, and a disabled log writes none', async () => {
  const standAt = Date.UTC(2026, 0, 1)
  await using forge = await startForge({ standAt, users: ['alice'], settings: { ingot: { AUDIT_RETENTION: '72h' } } })
  const before = (await logOf(forge)).length
  assert.ok(before > 0)
  forge.clock.advance(4 * 86_400_000)
  await forge.addUser('bob')
  await clearOldEntries(serverWork(forge.services), { signal: new AbortController().signal })
  assert.deepEqual(
    (await logOf(forge, '&action=user.created')).map(({ object }) => object.name),
    ['bob'],
  )
  await using silent = await startForge({ settings: { ingot: { AUDIT_LOG: false } } })
  assert.deepEqual(await logOf(silent), [])
})

test('adminWatchAuditLog: streams new entries after the last seen one', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { token } = await forge.account('root')
  const stop = new AbortController()
  const seen: string[] = []
  const [latest] = await logOf(forge)
  const response = await fetch(`${forge.url}/api/v1/admin/audit/stream?after=${(latest?.id ?? 0) - 1}`, {
    headers: { authorization: `token ${token}`, accept: 'text/event-stream' },
    signal: stop.signal,
  })
  assert.equal(response.status, 200)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  const until = async (count: number) => {
    while (seen.length < count) {
      const { value, done } = await reader.read()
      assert.ok(!done)
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const name = /^event: (.*)$/m.exec(block)?.[1]
        if (name !== undefined) seen.push(name)
      }
    }
  }
  await until(1)
  assert.deepEqual(seen, [latest?.action])
  await forge.as('alice').must('POST', '/user/keys', { title: 'k', key: publicKey })
  await until(2)
  assert.equal(seen[1], 'sshKey.added')
  stop.abort()
})

test('adminWatchAuditLog: a late commit is streamed late and not missed (PostgreSQL)', async (context) => {
  await using forge = await startForge()
  const { db } = forge.services
  if (engineOf(db).kind !== 'postgres') return context.skip('SQLite has one writer')
  const act = (name: string) => ({ action: 'task.run', about: { kind: 'task', id: null, name } }) as const
  const stop = new AbortController()
  const [newest] = await getEntries(forge.services, {}, { limit: 1 })
  const entries = followEntries(forge.services, newest?.id, stop.signal)
  const next = entries.next()
  const written = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  // The entry with the first id commits last.
  const slow = transaction(db, async (tx) => {
    await recordAct(tx, act('slow'))
    written.resolve()
    await goOn.promise
  })
  await written.promise
  await transaction(db, (tx) => recordAct(tx, act('quick')))
  const first = (await next).value
  assert.equal(first?.object_name, 'quick')
  goOn.resolve()
  await slow
  const second = (await entries.next()).value
  assert.equal(second?.object_name, 'slow')
  assert.ok(first && second && second.id < first.id && second.position > first.position)
  const again = followEntries(forge.services, first.position, stop.signal)
  assert.equal((await again.next()).value?.object_name, 'slow', 'for who was away meanwhile')
  stop.abort()
  for (const each of [entries, again]) assert.equal((await each.next()).done, true)
  await assert.rejects(
    transaction(db, (tx) => sql`update audit_entry set position = 1 where id = ${first.id}`.execute(tx)),
    /never changed/,
  )
})

test('adminReadAuditLog: contains quotas, protections and ended sessions', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { quota: { ENABLED: true } } })
  const [root, alice] = [forge.as('root'), forge.as('alice')]
  const rule = { name: 'small', limit: 10, subjects: ['size:all'] }
  await root.must('POST', '/admin/quota/rules', rule)
  await root.must('PATCH', '/admin/quota/rules/small', { limit: 20 })
  await root.must('POST', '/admin/quota/groups', { name: 'guests', rules: [] })
  await root.must('PUT', '/admin/quota/groups/guests/rules/small')
  await root.must('PUT', '/admin/quota/groups/guests/users/alice')
  assert.equal((await root.put('/admin/quota/groups/guests/users/alice')).status, 409, 'what is refused is not done')
  await root.must('DELETE', '/admin/quota/groups/guests/users/alice')
  await root.must('DELETE', '/admin/quota/groups/guests/rules/small')
  await root.must('DELETE', '/admin/quota/groups/guests')
  await root.must('DELETE', '/admin/quota/rules/small')
  const { api } = await forge.given.repo({ owner: 'alice', name: 'one' })
  await alice.must('POST', `${api}/branch_protections`, { rule_name: 'main' })
  await alice.must('PATCH', `${api}/branch_protections/main`, { required_approvals: 1 })
  await alice.must('DELETE', `${api}/branch_protections/main`)
  const { json: tag } = await alice.must('POST', `${api}/tag_protections`, {
    name_pattern: 'v*',
    whitelist_usernames: ['alice'],
  })
  await alice.must('DELETE', `${api}/tag_protections/${tag.id}`)
  const browser = new Browser(forge)
  await browser.signIn('alice', testPassword)
  await browser.post('/user/logout', { _csrf: await browser.csrf('/user/settings') })
  const entries = (await logOf(forge)).toReversed()
  const seen = entries.filter(({ action }) => /^(?:quota|branch|tag|session)/.test(action))
  assert.deepEqual(
    seen.map(({ action, actor, object }) => `${actor?.login} ${action} ${object.name}`),
    [
      'root quotaRule.created small',
      'root quotaRule.changed small',
      'root quotaGroup.created guests',
      'root quotaGroup.ruleAdded guests',
      'root quotaGroup.accountAdded guests',
      'root quotaGroup.accountRemoved guests',
      'root quotaGroup.ruleRemoved guests',
      'root quotaGroup.deleted guests',
      'root quotaRule.deleted small',
      'alice branchProtection.created main',
      'alice branchProtection.changed main',
      'alice branchProtection.deleted main',
      'alice tagProtection.created v*',
      'alice tagProtection.deleted ',
      'alice session.begun alice',
      'alice session.ended ',
    ],
  )
})
