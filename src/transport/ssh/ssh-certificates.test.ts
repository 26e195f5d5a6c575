import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCertificate } from '../../secrets/ssh-certificate.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { SshFolder, sshSettings, type SshKey } from '../../testing/ssh.ts'

/** Keys of authorities, made before the forge starts. */
async function authority(folder: { readonly path: string }, ...type: string[]) {
  const file = join(folder.path, `authority-${type.join('') || 'ed25519'}`)
  const kind = type.length === 0 ? ['-t', 'ed25519'] : type
  const made = await runProgram('ssh-keygen', ['-q', ...kind, '-N', '', '-C', 'an authority', '-f', file])
  assert.equal(made.code, 0, made.err)
  return { file, line: readFileSync(`${file}.pub`, 'utf8').trim() }
}

/** A forge with Alice and Bob that trusts two of three authorities. */
async function given(more: Record<string, string> = {}) {
  const keys = new SshFolder(undefined as never)
  const [ed, rsa, stranger] = await Promise.all([
    authority(keys),
    authority(keys, '-t', 'rsa', '-b', '3072'),
    authority(keys, '-t', 'ecdsa'),
  ])
  const server = {
    ...sshSettings.server,
    SSH_TRUSTED_USER_CA_KEYS: `"${ed.line}", ${rsa.line}`,
    LFS_START_SERVER: true,
    ...more,
  }
  const forge = await startForge({ users: ['alice', 'bob', 'carol'], settings: { server } })
  const folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  let serial = 0
  /** Certifies a key, for Alice unless the `ssh-keygen` options say otherwise; the client presents it. */
  const certify = async (key: SshKey, by = ed, options: readonly string[] = ['-n', 'alice']): Promise<SshKey> => {
    const common = ['-q', '-s', by.file, '-I', 'of a test', '-z', `${++serial}`]
    const made = await runProgram('ssh-keygen', [...common, ...options, `${key.file}.pub`])
    assert.equal(made.code, 0, made.err)
    return key
  }
  const certified = async (...options: string[]) => certify(await folder.newKey(), ed, options)
  const greeted = async (key: SshKey): Promise<string> => {
    const { out, err } = await key.ssh([])
    return /Hello (\w+)!/.exec(out)?.[1] ?? err.trim()
  }
  return {
    ...{ forge, folder, repo, authorities: { ed, rsa, stranger }, certify, certified, greeted },
    async [Symbol.asyncDispose]() {
      keys[Symbol.dispose]()
      folder[Symbol.dispose]()
      await forge[Symbol.asyncDispose]()
    },
  }
}

const refusal = /Permission denied \(publickey\)/

test('ssh: certificates of trusted authorities clone, push and get tickets, for each key type', async () => {
  await using world = await given()
  const { forge, folder, repo, authorities, certify, greeted } = world
  const kinds = [[], ['-t', 'ecdsa'], ['-t', 'ecdsa', '-b', '521'], ['-t', 'rsa', '-b', '3072']]
  for (const [index, kind] of kinds.entries()) {
    const by = index % 2 === 0 ? authorities.ed : authorities.rsa
    const key = await certify(await folder.newKey(...kind), by)
    assert.equal(await greeted(key), 'alice', kind.join(' '))
  }
  const key = await certify(await folder.newKey())
  const clone = await key.git('clone', '-q', key.url(repo.fullName), 'clone')
  assert.equal(clone.code, 0, clone.err)
  writeFileSync(join(folder.path, 'clone', 'new'), 'new\n')
  await key.git('-C', 'clone', 'add', '.')
  await key.git('-C', 'clone', 'commit', '-q', '-m', 'with a certificate')
  const push = await key.git('-C', 'clone', 'push', '-q', 'origin', 'main')
  assert.equal(push.code, 0, push.err)
  const { json } = await forge.as('alice').must('GET', `${repo.api}/branches/main`)
  assert.equal(json.commit.message.trim(), 'with a certificate')

  // A ticket ends with its certificate.
  const short = await certify(await folder.newKey(), authorities.ed, ['-n', 'alice', '-V', '-1h:+1h'])
  const answer = await short.ssh(['git-lfs-authenticate', `${repo.fullName}.git`, 'download'])
  const ticket = JSON.parse(answer.out)
  assert.ok(ticket.expires_in <= 3600, String(ticket.expires_in))
  const batch = (authorization: string) =>
    fetch(`${ticket.href}/objects/batch`, {
      method: 'POST',
      headers: {
        ...{ authorization, accept: 'application/vnd.git-lfs+json' },
        'content-type': 'application/vnd.git-lfs+json',
      },
      body: JSON.stringify({ operation: 'download', objects: [] }),
    }).then(({ status }) => status)
  assert.equal(await batch(ticket.header.Authorization), 200)
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { prohibit_login: true, source_id: 0, login_name: 'alice' })
  assert.notEqual(await batch(ticket.header.Authorization), 200)
  assert.match((await key.git('ls-remote', key.url(repo.fullName))).err, /may not sign in/)
})

test('ssh: invalid certificates are refused', async () => {
  await using world = await given()
  const { folder, authorities, certify, certified, greeted } = world
  const refused = async (key: SshKey, why: string) => assert.match(await greeted(key), refusal, why)
  await refused(await certify(await folder.newKey(), authorities.stranger), 'an authority that is not trusted')
  await refused(await certified('-n', 'nobody'), 'a principal without an account')
  await refused(await certified(), 'no principals')
  await refused(await certified('-n', 'alice,bob'), 'several accounts')
  await refused(await certified('-n', 'alice', '-V', '-2h:-1h'), 'over')
  await refused(await certified('-n', 'alice', '-V', '+1h:+2h'), 'not yet')
  await refused(await certified('-n', 'alice', '-h'), 'for hosts')
  await refused(await certified('-n', 'alice', '-O', 'source-address=10.0.0.0/8'), 'another address')
  await refused(await certified('-n', 'alice', '-O', 'critical:verify-required'), 'an unknown critical option')
  // Another person's certificate, presented with a different key.
  const [own, other] = [await folder.newKey(), await certified('-n', 'alice')]
  writeFileSync(`${own.file}-cert.pub`, readFileSync(`${other.file}-cert.pub`))
  await refused(own, 'the key of a certificate must be proved')
  assert.equal(
    await greeted(await certified('-n', 'ubuntu,alice,wheel')),
    'alice',
    'principals without an account are ignored',
  )
})

test('ssh: certificates with an email principal, a source address and a forced command', async () => {
  await using world = await given({ SSH_AUTHORIZED_PRINCIPALS_ALLOW: 'email' })
  const { forge, repo, certified, greeted } = world
  const { email } = (await forge.as('alice').must('GET', '/user')).json
  assert.equal(await greeted(await certified('-n', email.toUpperCase())), 'alice')
  assert.match(await greeted(await certified('-n', 'alice')), refusal, 'names are not allowed')
  const here = await certified('-n', email, '-O', 'source-address=10.0.0.0/8,127.0.0.0/30')
  assert.equal(await greeted(here), 'alice')
  const forced = await certified('-n', email, '-O', `force-command=git-upload-pack '${repo.fullName}.git'`)
  assert.equal((await forced.git('ls-remote', forced.url('alice/whatever'))).code, 0, 'reads what it is for')
  const push = await forced.git('push', forced.url(repo.fullName), 'HEAD:refs/heads/new')
  assert.notEqual(push.code, 0, 'and nothing else')
  const other = await certified('-n', email, '-O', 'force-command=/bin/sh')
  assert.match((await other.git('ls-remote', other.url(repo.fullName))).err, /not offered/)
})

test('ssh: damaged certificates are refused', async () => {
  await using world = await given()
  const key = await world.certified('-n', 'alice')
  const [, encoded = ''] = readFileSync(`${key.file}-cert.pub`, 'utf8').split(' ')
  const blob = Buffer.from(encoded, 'base64')
  assert.deepEqual(readCertificate(blob)?.principals, ['alice'])
  for (let offset = 0; offset < blob.length; offset += 1) {
    const damaged = Buffer.from(blob)
    damaged[offset] = (damaged[offset] as number) ^ 0x41
    assert.equal(readCertificate(damaged), undefined, `byte ${offset}`)
    assert.equal(readCertificate(blob.subarray(0, offset)), undefined, `${offset} bytes`)
  }
})
