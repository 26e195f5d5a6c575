import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createMessage, generateKey, sign, type PrivateKey } from 'openpgp'
import { Clone } from '../../testing/clone.ts'
import { countQueries } from '../../testing/count-queries.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import type { GivenRepo } from '../../testing/given.ts'
import { SshFolder } from '../../testing/ssh.ts'

const newKey = async (email: string, more: object = {}): Promise<PrivateKey> =>
  (
    await generateKey({
      userIDs: [{ email }],
      date: new Date('2024-01-01T00:00:00Z'),
      format: 'object',
      ...more,
    })
  ).privateKey

/** Commits on top of the checkout, signed by git. */
async function signedCommit(clone: Clone, key: PrivateKey, email: string, payload?: string): Promise<string> {
  const who = `Somebody <${email}> 1714564800 +0000`
  const tree = await clone.must('rev-parse', 'HEAD^{tree}')
  const parent = await clone.must('rev-parse', 'HEAD')
  const head = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n`
  const message = '\nSigned\n'
  const signature = (await sign({
    message: await createMessage({ text: payload ?? head + message }),
    signingKeys: key,
    detached: true,
    date: new Date('2024-05-01T12:00:00Z'),
  })) as string
  const header = `gpgsig ${signature.replaceAll('\r', '').trimEnd().replaceAll('\n', '\n ')}\n`
  const file = join(clone.folder, 'commit')
  writeFileSync(file, head + header + message)
  return clone.must('hash-object', '-t', 'commit', '-w', file)
}

async function verificationOf(forge: Forge, { api }: GivenRepo, commit: string) {
  const { json } = await forge.as('alice').must('GET', `${api}/git/commits/${commit}`)
  return json.commit.verification as { verified: boolean; reason: string; signer: object | null; payload: string }
}

const push = (clone: Clone, commit: string, branch: string) =>
  clone.git('push', '-q', 'origin', `${commit}:refs/heads/${branch}`)

test("repoGetSingleCommit: an OpenPGP signature is good while the committer's account has the key and the address", async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const key = await newKey('alice@example.com')
  const good = await signedCommit(clone, key, 'alice@example.com')
  const stolen = await signedCommit(clone, key, 'bob@example.com')
  const forged = await signedCommit(clone, key, 'Alice@Example.com', 'tree of something else\n')
  await clone.must(
    'push',
    '-q',
    'origin',
    `${good}:refs/heads/good`,
    `${stolen}:refs/heads/stolen`,
    `${forged}:refs/heads/forged`,
  )
  const reasonOf = async (commit: string) => (await verificationOf(forge, repo, commit)).reason
  assert.equal(await reasonOf(good), 'gpg.error.no_gpg_keys_found')
  const alice = forge.as('alice')
  const { json } = await alice.must('POST', '/user/gpg_keys', { armored_public_key: key.toPublic().armor() })
  const { verified, reason, signer } = await verificationOf(forge, repo, good)
  assert.deepEqual(
    [verified, reason, signer],
    [true, `alice / ${json.key_id}`, { name: 'alice', email: 'alice@example.com', username: '' }],
  )
  assert.equal(await reasonOf(stolen), 'gpg.error.no_gpg_keys_found', "another's address")
  assert.equal(await reasonOf(forged), 'gpg.error.probable_bad_signature')

  using queries = await countQueries(forge)
  await verificationOf(forge, repo, good)
  const one = queries.count
  await alice.must('GET', `${repo.api}/commits?sha=good`)
  assert.ok(queries.count - one <= one + 6, 'the number of queries does not depend on the commits')

  await alice.must('DELETE', `/user/gpg_keys/${json.id}`)
  assert.equal(await reasonOf(good), 'gpg.error.no_gpg_keys_found', 'nothing about whose a key is is remembered')
})

test('repoGetSingleCommit: subkeys sign, expired keys remain good for their time, and another account cannot claim them', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const alice = forge.as('alice')
  const add = (login: string, key: PrivateKey) =>
    forge.as(login).must('POST', '/user/gpg_keys', { armored_public_key: key.toPublic().armor() })
  const [withSubkey, short, late] = [
    await newKey('alice@example.com', { subkeys: [{ sign: true }] }),
    await newKey('alice@example.com', { keyExpirationTime: 366 * 86_400 }),
    await newKey('alice@example.com', { keyExpirationTime: 86_400 }),
  ]
  const commits = [
    await signedCommit(clone, withSubkey, 'alice@example.com'),
    await signedCommit(clone, short, 'alice@example.com'),
  ] as const
  for (const [index, commit] of commits.entries()) assert.equal((await push(clone, commit, `b${index}`)).code, 0)
  const { json } = await add('alice', withSubkey)
  assert.equal(json.subkeys.length, 1)
  assert.match((await verificationOf(forge, repo, commits[0])).reason, /^alice \/ [0-9A-F]{16}$/)
  await add('alice', short)
  assert.equal((await verificationOf(forge, repo, commits[1])).verified, true, 'the key expired after the commit')
  const { json: expired } = await add('alice', late)
  assert.equal(expired.expires_at, '2024-01-02T00:00:00Z')
  assert.equal((await alice.must('GET', '/user/gpg_keys')).json.length, 3)
})

test('repoGetSingleCommit, GetAnnotatedTag: SSH signatures are verified by keys of accounts', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  using folder = new SshFolder(forge)
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const kinds = [[], ['-t', 'ecdsa', '-b', '256'], ['-t', 'ecdsa', '-b', '521'], ['-t', 'rsa', '-b', '3072']]
  for (const [index, kind] of kinds.entries()) {
    const key = await folder.newKey(...kind)
    const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key.file}`]
    await clone.must(...signing, 'commit', '-q', '-S', '--allow-empty', '-m', `by ${kind.join(' ')}`)
    await clone.must(...signing, 'tag', '-s', '-m', 'a tag', `v${index}`)
    await clone.must('push', '-q', 'origin', 'HEAD', `v${index}`)
    const commit = await clone.must('rev-parse', 'HEAD')
    assert.equal((await verificationOf(forge, repo, commit)).reason, 'gpg.error.no_gpg_keys_found')
    const { json } = await forge.as('alice').must('POST', '/user/keys', { title: `k${index}`, key: key.content })
    const { verified, reason } = await verificationOf(forge, repo, commit)
    assert.deepEqual([verified, reason], [true, `alice / ${json.fingerprint}`])
    const tag = await clone.must('rev-parse', `v${index}`)
    const { verification } = (await forge.as('alice').must('GET', `${repo.api}/git/tags/${tag}`)).json
    assert.deepEqual([verification.verified, verification.reason], [true, `alice / ${json.fingerprint}`])
    await clone.must(
      '-c',
      'user.email=bob@example.com',
      ...signing,
      'commit',
      '-q',
      '-S',
      '--allow-empty',
      '-m',
      'x',
      '--author=b <b@x>',
    )
  }
})

test('repoCreateBranchProtection: a branch that requires signatures accepts only good ones in a push', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const [key, strangers] = [await newKey('alice@example.com'), await newKey('alice@example.com')]
  await forge.as('alice').must('POST', '/user/gpg_keys', { armored_public_key: key.toPublic().armor() })
  const good = await signedCommit(clone, key, 'alice@example.com')
  const strange = await signedCommit(clone, strangers, 'alice@example.com')
  const plain = await clone.commit('a.txt')
  const rule = { rule_name: 'strict*', enable_push: true, require_signed_commits: true }
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, rule)
  // Existing commits need no signature: the branch starts at another one.
  assert.notEqual((await push(clone, plain, 'strict1')).code, 0)
  assert.notEqual((await push(clone, strange, 'strict2')).code, 0)
  assert.equal((await push(clone, good, 'strict3')).code, 0)
})

test('repoGetAllCommits: malformed and oversized signatures have their reasons', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const tree = await clone.must('rev-parse', 'HEAD^{tree}')
  const who = 'alice <alice@example.com> 1714564800 +0000'
  const texts = [
    'not a signature',
    '-----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----',
    `-----BEGIN PGP SIGNATURE-----\n \n ${'A'.repeat(20_000)}\n -----END PGP SIGNATURE-----`,
    '-----BEGIN SSH SIGNATURE-----\n U1NIU0lHAAAAAQAAAAA=\n -----END SSH SIGNATURE-----',
  ]
  for (const [index, text] of texts.entries()) {
    const file = join(clone.folder, 'commit')
    writeFileSync(file, `tree ${tree}\nauthor ${who}\ncommitter ${who}\ngpgsig ${text}\n\nx${index}\n`)
    const commit = await clone.must('hash-object', '-t', 'commit', '-w', file)
    assert.equal((await push(clone, commit, `b${index}`)).code, 0)
    assert.equal((await verificationOf(forge, repo, commit)).reason, 'gpg.error.extract_sign', text.slice(0, 40))
  }
})
