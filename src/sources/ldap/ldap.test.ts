import assert from 'node:assert/strict'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'
import { comparableDn, dnValue, filled, filterValue } from './ldap-text.rules.ts'
import { TestDirectory, whyNoSlapd } from './slapd.test-support.ts'

const skip = whyNoSlapd ?? false
const people = `ou=people,${TestDirectory.base}`
const groups = `ou=groups,${TestDirectory.base}`

const person = (uid: string, more = ''): string =>
  `dn: uid=${uid},${people}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
givenName: ${uid[0]?.toUpperCase()}${uid.slice(1)}
sn: Example
userPassword: pass-of-${uid}
${more}`

const everybody = `dn: ${people}
objectClass: organizationalUnit
ou: people

dn: ${groups}
objectClass: organizationalUnit
ou: groups

${person('ann', 'mail: ann@example.com\ntitle: chief\n')}
${person('ben', 'mail: ben@example.com\n')}
${person('guest', 'mail: guest@example.com\ntitle: visitor\n')}
${person('plain')}
${person('admin', 'mail: reserved@example.com\n')}
dn: cn=Crew,${groups}
objectClass: groupOfNames
cn: Crew
member: uid=ann,${people}
member: UID=ben,  ${people}
`

const settings = (directory: TestDirectory, more: object = {}) => ({
  host: '127.0.0.1',
  port: directory.port,
  security: 'starttls',
  skip_tls_verify: true,
  bind_dn: TestDirectory.reader,
  user_base: people,
  user_filter: '(&(objectClass=inetOrgPerson)(|(uid=%s)(mail=%s)))',
  ...more,
})

const asAdmin = (forge: Forge, method: string, path: string, body?: object) =>
  forge.as('root').send(method, `/api/service/v1${path}`, body, { site: true })

async function given(forge: Forge, ldap: object, more: object = {}) {
  const body = { name: 'company', secret: TestDirectory.readerPassword, ldap, ...more }
  const answer = await asAdmin(forge, 'POST', '/admin/sources', body)
  assert.equal(answer.status, 201, answer.text)
  return answer.json as { id: number }
}

const basic = (login: string, password = `pass-of-${login}`) => ({
  headers: { authorization: basicAuthorization(login, password) },
})

const whoIs = async (forge: Forge, login: string, password?: string) => {
  const { status, json } = await forge.guest.get('/user', basic(login, password))
  return status === 200 ? json.login : status
}

test('filterValue, dnValue, filled, comparableDn: escape special characters of filters and names', () => {
  assert.equal(filterValue('*)(uid=*))(|(uid=\\\0ä'), '\\2a\\29\\28uid=\\2a\\29\\29\\28|\\28uid=\\5c\\00ä')
  assert.equal(dnValue(' a,b+c"d\\e<f>g;h=i '), '\\ a\\,b\\+c\\"d\\\\e\\<f\\>g\\;h\\=i\\ ')
  assert.equal(dnValue('#a\0'), '\\#a\\00')
  assert.equal(filled('(|(a=%s)(b=%[1]s))', '$&'), '(|(a=$&)(b=$&))')
  assert.equal(comparableDn('CN = A, OU=b'), comparableDn('cn=a,ou=B'))
})

test('adminCreateSignInSource, adminGetSignInSource, adminListSignInSources, adminEditSignInSource, adminDeleteSignInSource, adminTestSignInSource: refusals', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const body = { name: 'company', ldap: { host: 'ldap.example.com', user_base: 'dc=example' } }
  for (const [method, path] of [
    ['GET', ''],
    ['POST', ''],
    ['GET', '/1'],
    ['PATCH', '/1'],
    ['DELETE', '/1'],
    ['POST', '/1/test'],
  ] as const) {
    const sent = method === 'POST' || method === 'PATCH' ? body : undefined
    const url = `/api/service/v1/admin/sources${path}`
    assert.equal((await forge.guest.send(method, url, sent, { site: true })).status, 401)
    assert.equal((await forge.as('ann').send(method, url, sent, { site: true })).status, 403)
  }
  const narrow = await forge.as('root').must(
    'POST',
    '/users/root/tokens',
    { name: 'n', scopes: ['write:admin'] },
    {
      headers: { authorization: basicAuthorization('root', 'Passw0rd!') },
    },
  )
  const by = { site: true, headers: { authorization: `token ${narrow.json.sha1}` } }
  const refused = await forge.guest.send('POST', '/api/service/v1/admin/sources', body, by)
  assert.equal(refused.status, 403, 'who makes a source makes administrators')

  for (const [field, ldap] of Object.entries({
    host: { host: 'ldap://x' },
    port: { port: 70_000 },
    user_base: { user_base: '' },
    user_filter: { user_filter: '(uid=ann)' },
    admin_filter: { admin_filter: '(a=b))(c=d' },
    username_attribute: { username_attribute: 'uid)(x' },
    synchronise: { user_dn: 'uid=%s,dc=x', synchronise: true },
    user_dn: { user_dn: 'uid=ann,dc=x' },
    page_size: { page_size: 0 },
    skip_tls_verify: { security: 'none', skip_tls_verify: true },
    email_attribute: { email_attribute: '' },
  })) {
    const answer = await asAdmin(forge, 'POST', '/admin/sources', { ...body, ldap: { ...body.ldap, ...ldap } })
    assert.deepEqual([answer.status, /^\[(\w+)\]/.exec(answer.json.message)?.[1]], [422, field], answer.text)
  }
  for (const [field, openid] of Object.entries({
    discovery_url: { discovery_url: 'ftp://x' },
    client_id: { client_id: '' },
    scopes: { scopes: ['a b'] },
    required_claim_name: { required_claim_value: 'x' },
  })) {
    const sent = { name: 'p', openid: { discovery_url: 'https://id.example.com', client_id: 'us', ...openid } }
    const answer = await asAdmin(forge, 'POST', '/admin/sources', sent)
    assert.deepEqual([answer.status, /^\[(\w+)\]/.exec(answer.json.message)?.[1]], [422, field], answer.text)
  }
  for (const name of ['a/b', 'ä', '.', 'a b', '..']) {
    assert.equal((await asAdmin(forge, 'POST', '/admin/sources', { ...body, name })).status, 422, name)
  }
  const { json: source } = await asAdmin(forge, 'POST', '/admin/sources', { ...body, secret: 'quite secret' })
  assert.equal((await asAdmin(forge, 'POST', '/admin/sources', body)).status, 409)
  const shown = await asAdmin(forge, 'GET', `/admin/sources/${source.id}`)
  assert.deepEqual([shown.json.has_secret, shown.json.openid, shown.text.includes('quite secret')], [true, null, false])
  assert.equal((await asAdmin(forge, 'GET', '/admin/sources')).json.length, 1)
  const sealed = await forge.services.db.selectFrom('sign_in_source').select('sealed').executeTakeFirstOrThrow()
  assert.match(sealed.sealed, /^v1\./)
  assert.equal((await asAdmin(forge, 'PATCH', `/admin/sources/${source.id}`, { openid: {} })).status, 422)
  const edited = await asAdmin(forge, 'PATCH', `/admin/sources/${source.id}`, { active: false, ldap: { port: 1389 } })
  assert.deepEqual([edited.json.active, edited.json.ldap.port, edited.json.has_secret], [false, 1389, true])
  assert.equal((await asAdmin(forge, 'DELETE', `/admin/sources/${source.id}`)).status, 204)
  assert.equal((await asAdmin(forge, 'GET', `/admin/sources/${source.id}`)).status, 404)
})

test('a directory: people sign in with its passwords, and their accounts follow it', { skip }, async () => {
  await using directory = await TestDirectory.start(everybody)
  await using forge = await startForge({ users: ['local'] })
  const source = await given(
    forge,
    settings(directory, {
      admin_filter: '(title=chief)',
      restricted_filter: '(title=visitor)',
      group_base: groups,
      team_map: { [`cn=crew,${groups}`]: { guild: ['crew'] } },
      team_map_removes: true,
    }),
  )
  await forge.as('local').must('POST', '/orgs', { username: 'guild' })
  const { json: crew } = await forge
    .as('local')
    .must('POST', '/orgs/guild/teams', { name: 'crew', units: ['repo.code'] })

  assert.equal(await whoIs(forge, 'ann', 'wrong'), 401)
  assert.equal(await whoIs(forge, 'ann', ''), 401, 'a sign-in without a password is one of nobody')
  for (const login of ['*', 'a*', 'ann)(uid=*', '*)(|(uid=ann', 'ann\\', 'ann\0']) {
    assert.equal(await whoIs(forge, login, 'pass-of-ann'), 401, login)
  }
  assert.equal((await forge.as('root').get('/users/ann')).status, 404, 'nobody was made so far')
  assert.equal(await whoIs(forge, 'ANN', 'pass-of-ann'), 'ann')
  assert.equal(await whoIs(forge, 'ben@example.com', 'pass-of-ben'), 'ben')
  assert.equal(await whoIs(forge, 'plain'), 'plain')
  assert.equal(await whoIs(forge, 'guest'), 'guest')
  assert.equal(await whoIs(forge, 'admin'), 401, 'a name that no account may have')
  assert.equal(await whoIs(forge, 'local', 'Passw0rd!'), 'local', 'accounts of here have their own passwords')

  const facts = async (name: string) => {
    const { json } = await forge.as('root').must('GET', `/users/${name}`)
    return [json.full_name, json.email, json.is_admin, json.restricted, json.source_id, json.login_name]
  }
  assert.deepEqual(await facts('ann'), ['Ann Example', 'ann@example.com', true, false, source.id, 'ann'])
  assert.deepEqual(await facts('guest'), ['Guest Example', 'guest@example.com', false, true, source.id, 'guest'])
  assert.equal((await facts('plain'))[1], 'plain@localhost.local')
  for (const name of ['ann', 'ben']) await forge.as('root').must('GET', `/teams/${crew.id}/members/${name}`)
  assert.equal((await forge.as('root').get(`/teams/${crew.id}/members/guest`)).status, 404)

  const browser = new Browser(forge)
  assert.equal((await browser.signIn('ann', 'pass-of-ann')).status, 303)
  assert.equal((await new Browser(forge).signIn('ann', 'wrong')).status, 200)
  const answer = await asAdmin(forge, 'POST', `/admin/sources/${source.id}/test`, { login: 'ann' })
  assert.equal(answer.json.ok, true, answer.text)
  assert.match(answer.text, /administrator; cn=Crew/)
  const unknown = await asAdmin(forge, 'POST', `/admin/sources/${source.id}/test`, { login: 'nobody' })
  assert.deepEqual([unknown.json.ok, unknown.json.steps.at(-1).what], [false, 'find the person'])

  // Deactivated, moved to a local account, and back.
  await asAdmin(forge, 'PATCH', `/admin/sources/${source.id}`, { active: false })
  assert.equal(await whoIs(forge, 'ann'), 401)
  assert.equal((await forge.guest.get('/user', basic('ben', 'pass-of-ben'))).status, 401)
  await asAdmin(forge, 'PATCH', `/admin/sources/${source.id}`, { active: true })
  await forge.as('root').must('PATCH', '/admin/users/ben', { source_id: 0, login_name: '', password: 'Own-passw0rd' })
  assert.equal(await whoIs(forge, 'ben'), 401)
  assert.equal(await whoIs(forge, 'ben', 'Own-passw0rd'), 'ben')
  await forge.as('root').must('PATCH', '/admin/users/ben', { source_id: source.id, login_name: 'ben' })
  assert.equal(await whoIs(forge, 'ben', 'Own-passw0rd'), 401, 'the password of here counts no more')
  assert.equal(await whoIs(forge, 'ben'), 'ben')
  const made = await forge.as('root').must('POST', '/admin/users', {
    username: 'zoe',
    email: 'zoe@example.com',
    source_id: source.id,
    login_name: 'guest',
  })
  assert.deepEqual([made.json.source_id, made.json.login_name], [source.id, 'guest'])
  assert.equal(
    (await forge.as('root').post('/admin/users', { username: 'y', email: 'y@example.com', source_id: 99 })).status,
    422,
  )
  assert.equal((await asAdmin(forge, 'DELETE', `/admin/sources/${source.id}`)).status, 409)
})

test(
  'sync_external_users: creates, changes and deactivates accounts; a silent or empty directory changes nothing',
  { skip },
  async () => {
    await using directory = await TestDirectory.start(everybody)
    await using forge = await startForge({ users: ['ben'] })
    const source = await given(
      forge,
      settings(directory, { synchronise: true, admin_filter: '(title=chief)', page_size: 2 }),
    )
    const sync = async () => {
      await forge.as('root').must('POST', '/admin/cron/sync_external_users')
      await forge.settle()
    }
    await sync()
    const states = async () =>
      (
        await forge.services.db
          .selectFrom('user')
          .select(['name', 'is_active', 'is_admin'])
          .where('login_source_id', '=', source.id)
          .orderBy('name')
          .execute()
      ).map(({ name, is_active, is_admin }) => `${name}${is_admin ? '!' : ''}${is_active ? '' : ' off'}`)
    // One name is reserved, one belongs to a local account.
    assert.deepEqual(await states(), ['ann!', 'guest', 'plain'])
    const token = await forge
      .as('root')
      .must('POST', '/users/guest/tokens', { name: 't', scopes: ['read:user'] }, basic('guest'))
    const byToken = { headers: { authorization: `token ${token.json.sha1}` } }
    assert.equal((await forge.guest.get('/user', byToken)).status, 200)

    const narrow = async (ldap: object) =>
      assert.equal((await asAdmin(forge, 'PATCH', `/admin/sources/${source.id}`, { ldap })).status, 200)
    await narrow({ user_filter: '(&(uid=%s)(title=chief))', admin_filter: '(title=nobody)' })
    await sync()
    assert.deepEqual(await states(), ['ann', 'guest off', 'plain off'])
    assert.equal((await forge.guest.get('/user', byToken)).status, 403, 'tokens of who is gone count no more')
    assert.equal(await whoIs(forge, 'guest'), 401)
    await narrow({ user_filter: '(&(uid=%s)(title=nobody))' })
    await sync()
    assert.deepEqual(await states(), ['ann', 'guest off', 'plain off'], 'nobody at all is taken for a mistake')
    await narrow({ port: 1 })
    await sync()
    assert.equal((await forge.guest.get('/user', basic('ann'))).status, 503)
    await narrow({ port: directory.port, user_filter: '(uid=%s)', admin_filter: '' })
    await sync()
    assert.deepEqual(await states(), ['ann', 'guest', 'plain'], 'who is back is switched on')
    await narrow({ user_filter: '(&(uid=%s)(title=nobody))', allow_deactivate_all: true })
    await sync()
    assert.deepEqual(await states(), ['ann off', 'guest off', 'plain off'])
  },
)

test('a directory: TLS, certificates, people who look themselves up, and a cut after StartTLS', { skip }, async () => {
  await using directory = await TestDirectory.start(everybody)
  await using forge = await startForge()
  const source = await given(forge, settings(directory, { security: 'tls', port: directory.tlsPort }))
  const change = async (ldap: object, more: object = {}) => {
    const answer = await asAdmin(forge, 'PATCH', `/admin/sources/${source.id}`, { ldap, ...more })
    assert.equal(answer.status, 200, answer.text)
  }
  assert.equal(await whoIs(forge, 'ann'), 'ann')
  for (const [security, port] of [
    ['tls', directory.tlsPort],
    ['starttls', directory.port],
  ] as const) {
    await change({ security, port, skip_tls_verify: false })
    assert.equal((await forge.guest.get('/user', basic('ben'))).status, 503, `${security}: a strange certificate`)
  }
  await change({
    security: 'starttls',
    skip_tls_verify: true,
    user_dn: `uid=%s,${people}`,
    bind_dn: '',
    user_base: '',
    user_filter: '(objectClass=inetOrgPerson)',
  })
  assert.equal(await whoIs(forge, 'ben'), 'ben')
  assert.equal(await whoIs(forge, 'ben', 'wrong'), 401)
  assert.equal(await whoIs(forge, 'guest,ou=people', 'pass-of-guest'), 401)

  // A man in the middle passes StartTLS, cuts the connection, and waits for what follows.
  const heard: Buffer[] = []
  let connections = 0
  const between = createServer((client: Socket) => {
    connections++
    const server = connect(directory.port, '127.0.0.1')
    let isHandshake = false
    client.on('error', () => server.destroy())
    server.on('error', () => client.destroy())
    client.on('data', (bytes) => {
      heard.push(bytes)
      // The rest of the handshake never arrives.
      if (isHandshake) client.destroy()
      else server.write(bytes)
      isHandshake = bytes[0] === 0x16
    })
    server.on('data', (bytes) => client.write(bytes))
    client.on('close', () => server.destroy())
  })
  await new Promise<void>((listening) => between.listen(0, '127.0.0.1', listening))
  await change({ port: (between.address() as AddressInfo).port })
  assert.equal((await forge.guest.get('/user', basic('ben', 'secret-of-ben'))).status, 503)
  assert.equal(connections, 1, 'nothing is said again without StartTLS')
  assert.ok(!Buffer.concat(heard).includes('secret-of-ben'))
  between.close()
})
