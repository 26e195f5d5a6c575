import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateKey } from 'openpgp'
import { insertTwoFactor } from '../../auth/two-factor.store.ts'
import { ConfigError } from '../../config/config-error.ts'
import { transaction } from '../../db/database.ts'
import type { Unix } from '../../lib/time.ts'
import {
  beginSigning,
  forgetSigningKey,
  getSigningKeys,
  openedKeys,
  renewOwnKey,
} from '../../site/signing-key.service.ts'
import { Clone } from '../../testing/clone.ts'
import { startForge, type Forge, type ForgeOptions } from '../../testing/forge.ts'
import { commitFiles, givenPull } from '../../testing/given-pull.ts'
import { runProgram } from '../../testing/program.ts'
import { signedAs, signingConditions, trustModelOf } from './signing.rules.ts'

const always = { INITIAL_COMMIT: 'always', CRUD_ACTIONS: 'always', WIKI: 'always', MERGES: 'always' }
const signing = (more: Readonly<Record<string, string>> = {}): NonNullable<ForgeOptions['settings']> => ({
  'repository.signing': {
    SIGNING_KEY: 'generate',
    SIGNING_NAME: 'Our Forge',
    SIGNING_EMAIL: 'forge@localhost',
    ...more,
  },
})

const contents = (text: string, more: object = {}) => ({ content: Buffer.from(text).toString('base64'), ...more })

/** The verification of the newest commit of a branch in an answer. */
async function newest(forge: Forge, api: string, branch = 'main') {
  const { json } = await forge.as('alice').must('GET', `${api}/commits?sha=${branch}&limit=1`)
  return json[0] as {
    sha: string
    parents: { sha: string }[]
    commit: {
      message: string
      author: { name: string; email: string }
      committer: { name: string; email: string }
      verification: { verified: boolean; reason: string; signer: object | null; signature: string }
    }
  }
}

const isSigned = async (forge: Forge, api: string, branch = 'main'): Promise<boolean> =>
  (await newest(forge, api, branch)).commit.verification.verified

/** A folder of the test, removed with it. */
function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'ingot-sign-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

for (const format of ['openpgp', 'ssh'] as const) {
  test(`repoMergePullRequest, repoCreateFile, repoCreateWikiPage, getSigningKey: all that the instance commits is signed, as git says too (${format})`, async () => {
    await using forge = await startForge({ users: ['alice'], settings: signing({ FORMAT: format, ...always }) })
    using folder = newFolder()
    const { api, fullName, ...repo } = await forge.given.repo()
    const alice = forge.as('alice')
    await alice.must('POST', `${api}/contents/b.txt`, contents('b\n'))
    await alice.must('POST', `${api}/contents/c.txt`, contents('c\n', { new_branch: 'side' }))
    for (const style of format === 'ssh' ? ['merge'] : ['merge', 'squash', 'rebase', 'rebase-merge']) {
      const pull = await givenPull(forge, { repo: { api, fullName, ...repo } })
      // The base advances, so that commits must be rebased.
      await commitFiles(forge, { api, fullName, ...repo }, 'main', { [`${style}.txt`]: 'x\n' })
      await alice.must('POST', `${pull.api}/merge`, { Do: style })
    }
    for (const style of format === 'ssh' ? [] : ['merge', 'rebase']) {
      const pull = await givenPull(forge, { repo: { api, fullName, ...repo } })
      await commitFiles(forge, { api, fullName, ...repo }, 'main', { [`update-${style}.txt`]: 'x\n' })
      await alice.must('POST', `${pull.api}/update?style=${style}`)
    }
    const { commit, sha } = await newest(forge, api)
    const key = format === 'openpgp' ? 'gpg' : 'ssh'
    const { text: publicKey } = await forge.guest.must('GET', `/signing-key.${key}`)
    const [known] = await getSigningKeys(forge.services.db)
    assert.ok(known)
    const name = format === 'openpgp' ? known.fingerprint.slice(-16) : known.fingerprint
    assert.deepEqual(
      [commit.verification.verified, commit.verification.reason, commit.verification.signer],
      [true, `Our Forge / ${name}`, { name: 'Our Forge', email: 'forge@localhost', username: '' }],
    )
    assert.equal(commit.committer.email, 'alice@example.com', 'the committer stays the caller')

    using clone = await Clone.of(forge, 'alice', fullName)
    const trust = await trusting(folder.path, format, publicKey)
    const made = (await clone.must('rev-list', '--all')).split('\n')
    assert.ok(made.length > (format === 'ssh' ? 5 : 15), `${made.length} commits`)
    await clone.must(...trust, 'verify-commit', ...made)
    const log = await clone.must(...trust, 'log', '--format=%G?', '--all')
    assert.deepEqual([...new Set(log.split('\n'))], ['G'])
    const { json: list } = await alice.must('GET', `${api}/commits?sha=main&limit=50`)
    assert.ok(
      list.every((each: { commit: { verification: { verified: boolean } } }) => each.commit.verification.verified),
    )

    await alice.must('POST', `${api}/wiki/new`, { title: 'Home', content_base64: contents('hello').content })
    using wiki = await Clone.of(forge, 'alice', `${fullName}.wiki`)
    await wiki.must(...(await trusting(folder.path, format, publicKey)), 'verify-commit', 'HEAD')
    await alice.must('POST', `${api}/git/notes/${sha}`, {
      message: 'n',
    })
    await clone.must('fetch', '-q', 'origin', 'refs/notes/commits')
    await clone.must(...trust, 'verify-commit', 'FETCH_HEAD')

    if (format === 'openpgp') {
      assert.equal((await forge.guest.must('GET', `${api}/signing-key.gpg`)).text, publicKey, 'repoSigningKey')
      assert.equal((await forge.guest.get('/signing-key.ssh')).status, 404, 'getSSHSigningKey')
    } else {
      assert.equal((await forge.guest.must('GET', '/signing-key.gpg')).text, '')
    }
  })
}

/** Makes git of a clone trust the key; returns the options for verification. */
async function trusting(folder: string, format: string, publicKey: string): Promise<string[]> {
  const file = join(folder, 'key')
  writeFileSync(file, format === 'ssh' ? `* ${publicKey}` : publicKey)
  if (format === 'ssh') return ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${file}`]
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const gpg = (args: string[], input = '') => runProgram('gpg', ['--homedir', home, '--batch', ...args], { input })
  const imported = await gpg(['--import', file])
  assert.equal(imported.code, 0, imported.err)
  const [, fingerprint = ''] = /^fpr:+([0-9A-F]{40}):/m.exec((await gpg(['--list-keys', '--with-colons'])).out) ?? []
  assert.equal((await gpg(['--import-ownertrust'], `${fingerprint}:6:\n`)).code, 0)
  const program = join(folder, 'gpg.sh')
  writeFileSync(program, `#!/bin/sh\nexec gpg --homedir '${home}' --batch "$@"\n`)
  chmodSync(program, 0o755)
  return ['-c', `gpg.program=${program}`]
}

test('repoCreateFile: a key file signs; an unusable key is reported at the start', async () => {
  using folder = newFolder()
  const file = join(folder.path, 'key')
  const newKey = async (more: object = {}): Promise<{ privateKey: string; publicKey: string }> => {
    const userIDs = [{ name: 'From the File', email: 'file@example.com' }]
    const { privateKey, publicKey } = await generateKey({ userIDs, ...more, format: 'object' })
    return { privateKey: privateKey.armor(), publicKey: publicKey.armor() }
  }
  const pair = await newKey()
  writeFileSync(file, pair.privateKey, { mode: 0o600 })
  await using forge = await startForge({
    users: ['alice'],
    settings: { 'repository.signing': { SIGNING_KEY: file, ...always } },
  })
  const { api } = await forge.given.repo()
  const { signer, verified } = (await newest(forge, api)).commit.verification
  assert.deepEqual([verified, signer], [true, { name: 'From the File', email: 'file@example.com', username: '' }])
  const rows = await forge.services.db.selectFrom('signing_key').selectAll().execute()
  assert.deepEqual(
    rows.map(({ sealed, name }) => [sealed, name]),
    [['', 'From the File']],
    'the private key stays in its file',
  )
  await assert.rejects(renewOwnKey(forge.services, { forgets: false }), /signs with no key of its own/)

  const { config } = forge.services
  const refused = async (more: Partial<typeof config.repositorySigning> = {}): Promise<string> => {
    const repositorySigning = { ...config.repositorySigning, signingKey: `${file}2`, ...more }
    const own = new Map([[openedKeys, openedKeys.open(forge.services)]])
    const error = await beginSigning({ ...forge.services, own, config: { ...config, repositorySigning } }).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    assert.ok(error instanceof ConfigError, String(error))
    return error.message
  }
  const write = (text: string): void => writeFileSync(`${file}2`, text, { mode: 0o600 })
  assert.match(await refused(), /repository\.signing\] SIGNING_KEY: there is no file .*key2/)
  assert.match(await refused({ signingKey: '5D3A8C7E0F1B2D49' }), /gpg --armor --export-secret-keys/)
  assert.match(await refused({ signingKey: folder.path }), /is no file of a key/)
  write('hello\n')
  assert.match(await refused(), /is not a single armoured private OpenPGP key/)
  assert.match(await refused({ format: 'ssh' }), /is not a private SSH key/)
  write((await newKey({ passphrase: 'secret' })).privateKey)
  assert.match(await refused(), /protected by a passphrase/)
  const dayMs = 86_400_000
  write((await newKey({ date: new Date(Date.now() - 2 * dayMs), keyExpirationTime: 86_400 })).privateKey)
  assert.match(await refused(), /cannot sign or has expired/)
  write(pair.publicKey)
  assert.match(await refused(), /is not a single armoured private OpenPGP key/)
  write(pair.privateKey)
  chmodSync(`${file}2`, 0o644)
  assert.match(await refused(), /open to everybody/)
})

test('repoCreateFile: by default signing requires a second factor, a key and a signed parent', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: signing() })
  const { api } = await forge.given.repo()
  const alice = forge.as('alice')
  assert.equal(await isSigned(forge, api), true, 'the first commit is signed')
  let count = 0
  const write = async (more: object = {}): Promise<boolean> => {
    await alice.must('POST', `${api}/contents/f${++count}.txt`, contents('x', { branch: 'side', ...more }))
    return isSigned(forge, api, 'side')
  }
  await alice.must('POST', `${api}/branches`, { new_branch_name: 'side' })
  await givenSecondFactor(forge, 'alice')
  assert.equal(await write(), false, 'no key')
  await alice.must('POST', `${api}/branches`, { new_branch_name: 'other' })
  const { publicKey } = await generateKey({ userIDs: [{ email: 'alice@example.com' }], format: 'armored' })
  await alice.must('POST', '/user/gpg_keys', { armored_public_key: publicKey })
  assert.equal(await write(), false, 'the parent is not signed')
  await alice.must('DELETE', `${api}/branches/side`)
  await alice.must('POST', `${api}/branches`, { new_branch_name: 'side', old_branch_name: 'main' })
  assert.equal(await write(), true)
  const stranger = {
    author: { name: 'Bob', email: 'bob@example.com' },
    committer: { name: 'Bob', email: 'bob@example.com' },
  }
  assert.equal(await write(stranger), false, 'a commit of another committer is not signed')
  await alice.must('DELETE', `${api}/branches/side`)
  await alice.must('POST', `${api}/branches`, { new_branch_name: 'side', old_branch_name: 'main' })
  assert.equal(
    await write({ ...stranger, committer: { name: 'x', email: 'alice@example.com' } }),
    true,
    'the author may be another person',
  )
  await transaction(forge.services.db, (tx) => tx.deleteFrom('two_factor').execute())
  assert.equal(await write(), false, 'no second factor')
  await alice.must('POST', `${api}/wiki/new`, { title: 'Home', content_base64: contents('hello').content })
  const { json } = await alice.must('GET', `${api}/wiki/revisions/Home`)
  assert.equal(json.commits.length, 1)
  using wiki = await Clone.of(forge, 'alice', `${api.slice('/repos/'.length)}.wiki`)
  assert.equal((await wiki.git('verify-commit', 'HEAD')).code, 1, 'wikis are not signed')
})

async function givenSecondFactor(forge: Forge, login: string): Promise<void> {
  const { user } = await forge.account(login)
  const values = {
    user_id: user.id,
    sealed: '',
    scratch_hash: '',
    last_step: 0,
    failures: 0,
    failed_unix: 0,
    created_unix: 1 as Unix,
  }
  await transaction(forge.services.db, (tx) => insertTwoFactor(tx, values))
}

test('repoMergePullRequest, repoCreateFile, repoUpdatePullRequest: signatures of the instance satisfy a required signature', async () => {
  await using forge = await startForge({ users: ['alice'], settings: signing(always) })
  const repo = await forge.given.repo()
  const { api } = repo
  const alice = forge.as('alice')
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const [one, two] = [await givenPull(forge, { repo }), await givenPull(forge, { repo })]
  await clone.must('checkout', '-q', '-b', 'plain')
  await clone.commit('plain.txt')
  await clone.must('push', '-q', 'origin', 'plain')
  const open = async (head: string): Promise<string> => {
    const { json } = await alice.must('POST', `${api}/pulls`, { title: head, head, base: 'main' })
    return `${api}/pulls/${json.number}`
  }
  const unsigned = await open('plain')
  await alice.must('POST', `${api}/branch_protections`, {
    rule_name: 'main',
    enable_push: true,
    require_signed_commits: true,
  })
  await alice.must('POST', `${api}/branch_protections`, {
    rule_name: 'strict/*',
    enable_push: true,
    require_signed_commits: true,
  })

  const rebased = await alice.post(`${unsigned}/merge`, { Do: 'rebase' })
  assert.equal(rebased.status, 405, 'a commit that stays as pushed is unsigned')
  assert.match(rebased.json.message, /takes signed commits only/)
  await alice.must('POST', `${api}/contents/a.txt`, contents('a\n'))
  const merged = await alice.post(`${unsigned}/merge`, { Do: 'merge' })
  assert.equal(merged.status, 405, 'the merge would add an unsigned commit')
  assert.match(merged.json.message, /takes signed commits only; [0-9a-f]{40} is not/)
  await alice.must('POST', `${one.api}/merge`, { Do: 'merge' })
  await alice.must('POST', `${two.api}/merge`, { Do: 'rebase-merge' })
  await alice.must('POST', `${unsigned}/merge`, { Do: 'squash' })
  assert.equal(await isSigned(forge, api), true)
  assert.notEqual((await clone.git('push', '-q', 'origin', 'plain:strict/plain')).code, 0)
  const begun = await alice.post(
    `${api}/contents/x.txt`,
    contents('x', { branch: 'plain', new_branch: 'strict/below' }),
  )
  assert.equal(begun.status, 403, 'the history of the new branch is unsigned')
  await alice.must('POST', `${api}/contents/x.txt`, contents('x', { branch: 'main', new_branch: 'strict/good' }))
  const patch = 'diff --git a/p.txt b/p.txt\nnew file mode 100644\n--- /dev/null\n+++ b/p.txt\n@@ -0,0 +1 @@\n+p\n'
  await alice.must('POST', `${api}/diffpatch`, { content: patch, branch: 'main', sha: 'any' })
  assert.equal(await isSigned(forge, api), true)
})

test('repoMergePullRequest: merges are signed by the conditions on base, head, commits and approval', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: signing(always) })
  const { services } = forge
  const { config } = services
  const merges = async (words: string, given: { signedHead?: boolean; approved?: boolean; pushedBase?: boolean }) => {
    const repositorySigning = { ...config.repositorySigning, merges: words.split(' ') }
    Object.assign(services, { config: { ...config, repositorySigning } })
    const repo = await forge.given.repo()
    const alice = forge.as('alice')
    const pull = await givenPull(forge, { repo })
    using clone = await Clone.of(forge, 'alice', repo.fullName)
    if (given.signedHead === false) {
      await clone.must('checkout', '-q', pull.branch)
      await clone.commit('unsigned.txt')
      await clone.must('push', '-q', 'origin', pull.branch)
      // The head is signed again, its ancestors are not.
      await commitFiles(forge, repo, pull.branch, { 'signed.txt': 'x\n' })
    }
    if (given.pushedBase) {
      await clone.must('checkout', '-q', 'main')
      await clone.commit('base.txt')
      await clone.must('push', '-q', 'origin', 'main')
    }
    if (given.approved) {
      await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
      await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'main', enable_push: true })
      await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'APPROVED' })
    }
    // The merge uses the head that the pull request records.
    await forge.settle()
    await alice.must('POST', `${pull.api}/merge`, { Do: 'merge' })
    return await isSigned(forge, repo.api)
  }
  assert.equal(await merges('basesigned commitssigned headsigned', {}), true)
  assert.equal(await merges('basesigned', { pushedBase: true }), false)
  assert.equal(await merges('headsigned', { signedHead: false }), true)
  assert.equal(await merges('commitssigned', { signedHead: false }), false)
  assert.equal(await merges('approved', {}), false)
  assert.equal(await merges('approved', { approved: true }), true)
  assert.equal(await merges('never', { approved: true }), false)
})

test('repoMergePullRequest, repoCreateFile: with a committer trust model the instance is the committer and names the person', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: signing({ ...always, DEFAULT_TRUST_MODEL: 'committer' }),
  })
  const repo = await forge.given.repo()
  const first = await newest(forge, repo.api)
  assert.deepEqual([first.commit.author.name, first.commit.committer.name], ['alice', 'Our Forge'])
  assert.doesNotMatch(first.commit.message, /committed-by/i)
  const trustingRepo = await forge.given.repo({ trust_model: 'collaboratorcommitter' })
  const pull = await givenPull(forge, { repo: trustingRepo })
  await forge.as('alice').must('POST', `${pull.api}/merge`, { Do: 'squash' })
  const { commit } = await newest(forge, trustingRepo.api)
  assert.deepEqual([commit.verification.verified, commit.committer.email], [true, 'forge@localhost'])
  assert.match(
    commit.message,
    /\n\nCo-authored-by: alice <alice@example.com>\nCo-committed-by: alice <alice@example.com>\n?$/,
  )
})

test('getSigningKey: after a new key, old signatures stay good until the old key is forgotten', async () => {
  await using forge = await startForge({ users: ['alice'], settings: signing(always) })
  const { api } = await forge.given.repo()
  const { services } = forge
  const [former] = await getSigningKeys(services.db)
  assert.ok(former)
  await assert.rejects(forgetSigningKey(services, former.fingerprint), /signs with this key/)
  const rows = () => services.db.selectFrom('signing_key').selectAll().orderBy('id').execute()
  assert.equal((await rows())[0]?.sealed.includes('PRIVATE'), false, 'it is sealed')
  const next = await renewOwnKey(services, { forgets: false })
  assert.notEqual(next.fingerprint, former.fingerprint)
  assert.deepEqual(
    (await rows()).map(({ sealed }) => sealed === ''),
    [true, false],
    'the former private key is deleted',
  )
  assert.equal((await forge.guest.must('GET', '/signing-key.gpg')).text, next.public_key)
  await forge.as('alice').must('POST', `${api}/contents/a.txt`, contents('a'))
  const { json } = await forge.as('alice').must('GET', `${api}/commits`)
  const reasons = (list: { commit: { verification: { reason: string } } }[]) =>
    list.map(({ commit }) => commit.verification.reason)
  assert.deepEqual(reasons(json), [
    `Our Forge / ${next.fingerprint.slice(-16)}`,
    `Our Forge / ${former.fingerprint.slice(-16)}`,
  ])
  await forgetSigningKey(services, former.fingerprint)
  await assert.rejects(forgetSigningKey(services, former.fingerprint), /does not exist/)
  const { json: after } = await forge.as('alice').must('GET', `${api}/commits`)
  assert.deepEqual(reasons(after)[1], 'gpg.error.no_gpg_keys_found')
  // Concurrent requests make one key.
  await Promise.all(Array.from({ length: 5 }, () => renewOwnKey(services, { forgets: true })))
  assert.equal((await rows()).filter(({ sealed }) => sealed !== '').length, 1)
  const { json: log } = await forge.as('root').must('GET', '/admin/audit?action=signingKey.*')
  assert.ok(log.some(({ action }: { action: string }) => action === 'signingKey.retired'))
})

test('repoGetSingleCommit: a forged signature of the instance has its reason', async () => {
  await using forge = await startForge({ users: ['alice'], settings: signing(always) })
  const { api, fullName } = await forge.given.repo()
  using clone = await Clone.of(forge, 'alice', fullName)
  const text = await clone.must('cat-file', 'commit', 'HEAD')
  const file = join(clone.folder, 'commit')
  writeFileSync(file, `${text.replace('Initial commit', 'Something else')}\n`)
  const forged = await clone.must('hash-object', '-t', 'commit', '-w', file)
  await clone.must('push', '-q', 'origin', `${forged}:refs/heads/forged`)
  const { commit } = await newest(forge, api, 'forged')
  assert.deepEqual(
    [commit.verification.verified, commit.verification.reason],
    [false, 'gpg.error.probable_bad_default_signature'],
  )
})

test('signingConditions, trustModelOf, signedAs: settings map to conditions, models and committers', () => {
  assert.equal(signingConditions([]), undefined)
  assert.equal(signingConditions(['never']), undefined)
  assert.equal(signingConditions(['always', 'never']), undefined)
  assert.deepEqual(signingConditions(['always']), [])
  assert.deepEqual(signingConditions(['pubkey', 'always', 'twofa', 'pubkey']), ['pubkey', 'twofa'])
  assert.equal(trustModelOf('default', 'committer'), 'committer')
  assert.equal(trustModelOf('collaborator', 'committer'), 'collaborator')
  const [forge, ann, bob] = ['forge', 'ann', 'bob'].map((name) => ({ name, email: `${name}@x` })) as [
    { name: string; email: string },
    { name: string; email: string },
    { name: string; email: string },
  ]
  assert.deepEqual(signedAs('collaborator', forge, { author: ann, committer: bob }), { committer: bob, trailers: [] })
  assert.deepEqual(signedAs('committer', forge, { author: ann, committer: ann }), { committer: forge, trailers: [] })
  const expected = { committer: forge, trailers: ['Co-authored-by: bob <bob@x>', 'Co-committed-by: bob <bob@x>'] }
  assert.deepEqual(signedAs('committer', forge, { author: ann, committer: bob }), expected)
})
