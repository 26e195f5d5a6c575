import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { transaction } from '../../db/database.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { Clone, packetLine } from '../../testing/clone.ts'

/** The bytes of a push that creates a branch at HEAD, or moves it there from another commit. */
async function pushRequest(
  clone: Clone,
  branch: string,
  capabilities = 'report-status',
  old = '0'.repeat(40),
): Promise<Buffer> {
  const head = await clone.must('rev-parse', 'HEAD')
  const line = `${old} ${head} refs/heads/${branch}\0 ${capabilities}`
  const pack = execFileSync('git', ['-C', clone.path, 'pack-objects', '--stdout', '--revs', '-q'], { input: 'HEAD\n' })
  return Buffer.concat([Buffer.from(`${packetLine(line)}0000`), pack])
}

/** Sends bytes or a part of them to a service; returns status and body, or `cut` when the connection broke. */
async function send(
  forge: Forge,
  path: string,
  body: Buffer,
  options: { readonly as?: string; readonly headers?: Record<string, string>; readonly vanishAfter?: number } = {},
): Promise<{ status: number | 'cut'; text: string }> {
  const service = path.split('/').at(-1)
  const token = options.as === undefined ? undefined : (await forge.account(options.as)).token
  return new Promise((resolve) => {
    const sent = request(
      `${forge.url}/${path}`,
      {
        method: 'POST',
        headers: {
          'content-type': `application/x-${service}-request`,
          ...(token ? { authorization: `token ${token}` } : {}),
          ...(options.vanishAfter === undefined ? {} : { 'content-length': body.length }),
          ...options.headers,
        },
      },
      (response) => {
        let text = ''
        response.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
        response.on('close', () =>
          resolve({ status: response.complete ? (response.statusCode as number) : 'cut', text }),
        )
      },
    )
    sent.on('error', () => resolve({ status: 'cut', text: '' }))
    if (options.vanishAfter === undefined) sent.end(body)
    else sent.write(body.subarray(0, options.vanishAfter), () => setTimeout(() => sent.destroy(), 100))
  })
}

const branchesOf = async (forge: Forge, api: string): Promise<string[]> =>
  (await forge.as('alice').get(`${api}/branches`)).json.map((branch: { name: string }) => branch.name).sort()

test('git over HTTP: hostile and malformed requests are refused, change nothing and hold no resources', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { ingot: { MAX_GIT_FETCHES: 1, MAX_GIT_PUSHES: 1 } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('file')
  const good = await pushRequest(clone, 'pushed')
  const receive = `${repo.fullName}.git/git-receive-pack`
  const upload = `${repo.fullName}.git/git-upload-pack`
  const push = (body: Buffer, headers?: Record<string, string>) =>
    send(forge, receive, body, { as: 'alice', ...(headers ? { headers } : {}) })

  assert.equal((await forge.guest.get(`/${repo.fullName}.git/info/refs?service=git-shell`, { site: true })).status, 404)
  assert.equal((await push(good, { 'content-type': 'text/plain' })).status, 401)
  assert.equal((await push(good, { 'content-encoding': 'br' })).status, 415)
  assert.equal((await push(Buffer.from('no gzip at all'), { 'content-encoding': 'gzip' })).status, 'cut')
  assert.equal((await push(gzipSync(good).subarray(0, 60), { 'content-encoding': 'gzip' })).status, 'cut')
  const torn = await push(good.subarray(0, -30))
  assert.match(torn.text, /unpack (?!ok)/)
  for (const text of ['zzzz', 'ffff', '0003', `${packetLine('nonsense')}0000`, '', '0000']) {
    const answer = await push(Buffer.from(text))
    assert.doesNotMatch(answer.text, /ok refs/, text)
    await send(forge, upload, Buffer.from(text))
    await send(forge, upload, Buffer.from(text), { headers: { 'git-protocol': 'version=2' } })
  }
  await send(
    forge,
    upload,
    Buffer.from(packetLine(`want ${'1'.repeat(40)} no-such-capability`) + '0000' + packetLine('done')),
  )
  assert.equal((await send(forge, receive, good, { as: 'alice', vanishAfter: good.length - 40 })).status, 'cut')
  assert.equal((await send(forge, receive, good, { as: 'alice', vanishAfter: 10 })).status, 'cut')
  const endless = Array.from({ length: 20_000 }, (_, index) =>
    packetLine(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/${'x'.repeat(900)}${index}`),
  )
  assert.equal((await push(Buffer.from(endless.join('')))).status, 'cut')
  assert.deepEqual(await branchesOf(forge, repo.api), ['main'])

  const done = await push(await pushRequest(clone, 'pushed', 'report-status no-such-capability agent=x'))
  assert.match(done.text, /unpack ok.*ok refs\/heads\/pushed/s)
  assert.deepEqual(await branchesOf(forge, repo.api), ['main', 'pushed'])
  assert.deepEqual(await examined(forge.services, { only: ['references'] }), [])
})

test('git over HTTP: a push is recorded and measured at once, and settled when its client disconnects', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.settle()
  const sizeBefore = (await forge.as('alice').get(repo.api)).json.size
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('big', Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256)))
  const body = await pushRequest(clone, 'whole')
  // Everything was sent and the client leaves: git completes the push or makes no change.
  await send(forge, `${repo.fullName}.git/git-receive-pack`, body, { as: 'alice', vanishAfter: body.length })
  await clone.must('push', '-q', 'origin', 'main')
  const branch = await forge.as('alice').get(`${repo.api}/branches/main`)
  assert.equal(branch.json.commit.id, await clone.must('rev-parse', 'HEAD'))
  await forge.settle()
  const sizeAfter = (await forge.as('alice').get(repo.api)).json.size
  assert.ok(sizeAfter >= sizeBefore + 250, `${sizeBefore} ${sizeAfter}`)
  assert.deepEqual(await examined(forge.services, { only: ['references'] }), [])
})

test('git over HTTP: a full disk refuses a push and leaves nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-full-'))
  try {
    // For git a limit on file sizes is a full disk.
    const limited = join(folder, 'git')
    writeFileSync(limited, '#!/bin/sh\nulimit -f 64\ntrap "" XFSZ\nexec git "$@"\n')
    chmodSync(limited, 0o755)
    await using forge = await startForge({ users: ['alice'], settings: { git: { PATH: limited } } })
    const repo = await forge.given.repo({ owner: 'alice' })
    using clone = await Clone.of(forge, 'alice', repo.fullName)
    await clone.commit('big', Buffer.from(Array.from({ length: 200_000 }, () => Math.random() * 256)))
    const full = await clone.git('push', 'origin', 'main:refs/heads/big')
    assert.notEqual(full.code, 0)
    assert.deepEqual(await branchesOf(forge, repo.api), ['main'])
    await clone.must('reset', '-q', '--hard', 'origin/main')
    await clone.commit('small')
    await clone.must('push', '-q', 'origin', 'main:refs/heads/small')
    assert.deepEqual(await branchesOf(forge, repo.api), ['main', 'small'])
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})

test('git over HTTP: a push larger than the limit is refused', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { ingot: { MAX_PUSH_SIZE: 100_000 } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('big', Buffer.from(Array.from({ length: 200_000 }, () => Math.random() * 256)))
  const pushed = await clone.git('push', 'origin', 'main')
  assert.notEqual(pushed.code, 0)
  assert.match(pushed.err, /maximum allowed size|exceed/)
})

test('git over HTTP: a protected reference refuses the push with its reason, and one that nobody may change itself', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { quota: { ENABLED: true } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('file')
  const refusedPush = async (reason: RegExp, ...args: string[]): Promise<void> => {
    const ended = await clone.git('push', ...args)
    assert.notEqual(ended.code, 0)
    assert.match(ended.err, reason)
  }
  await refusedPush(
    /remote: Ingot: the default branch cannot be deleted/,
    'origin',
    '--atomic',
    ':main',
    'HEAD:refs/heads/other',
  )
  await refusedPush(/refs\/pull/, 'origin', 'HEAD:refs/pull/9/head')
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, { rule_name: 'kept', enable_push: false })
  await refusedPush(
    /remote: Ingot: refs\/heads\/kept: /,
    'origin',
    '--atomic',
    'HEAD:refs/heads/kept',
    'HEAD:refs/heads/other',
  )
  await refusedPush(
    /remote: Ingot: permission denied/,
    await forge.gitUrl('bob', repo.fullName),
    'HEAD:refs/heads/other',
  )
  const byOther = await forge.gitUrl('bob', repo.fullName)
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  await refusedPush(
    /remote: Ingot: options validation failed/,
    '-o',
    'repo.private=true',
    byOther,
    'HEAD:refs/heads/other',
  )
  assert.deepEqual(await branchesOf(forge, repo.api), ['main'])
  const refs = ['HEAD:refs/heads/one', ':main', 'HEAD:refs/heads/HEAD', 'HEAD:refs/pull/9/head', 'HEAD:refs/tags/v1']
  const partly = await clone.git('push', '--porcelain', 'origin', ...refs)
  assert.notEqual(partly.code, 0)
  assert.match(partly.out, /!\tHEAD:refs\/heads\/HEAD\t\[remote rejected\] \(a branch cannot be named HEAD\)/)
  assert.match(partly.out, /!\t:refs\/heads\/main\t\[remote rejected\] \(the default branch cannot be deleted\)/)
  assert.match(partly.out, /!\tHEAD:refs\/pull\/9\/head\t\[remote rejected\] \(deny updating a hidden ref/)
  assert.match(partly.out, /\*\tHEAD:refs\/tags\/v1\t\[new tag\]/)
  assert.deepEqual(await branchesOf(forge, repo.api), ['main', 'one'])
  const tags = (await forge.as('alice').get(`${repo.api}/tags`)).json
  assert.deepEqual(
    tags.map((tag: { name: string }) => tag.name),
    ['v1'],
  )
  assert.notEqual((await clone.git('push', 'origin', ':main', 'HEAD:refs/heads/HEAD')).code, 0)
  await clone.must('push', '-q', '-o', 'repo.private', 'origin', 'HEAD:refs/heads/other')
  assert.equal((await forge.as('alice').get(repo.api)).json.private, true)
})

test('git over HTTP: over quota pushes are refused, deletions are allowed', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: '1 MiB' } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('file')
  await clone.must('push', '-q', 'origin', 'HEAD:refs/heads/extra')
  await forge.settle()
  await transaction(forge.services.db, (tx) =>
    tx
      .updateTable('usage')
      .set({ size_bytes: 2 << 20 })
      .execute(),
  )
  const full = await clone.git('push', 'origin', 'HEAD:refs/heads/more')
  assert.match(full.err, /remote: Ingot: quota exceeded by alice/)
  await clone.must('push', '-q', 'origin', ':refs/heads/extra')
})

test('git over HTTP: former addresses redirect; archived repositories and mirrors refuse pushes', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'old' })
  using clone = await Clone.of(forge, 'alice', 'alice/old')
  await clone.commit('file')
  await forge.as('alice').must('PATCH', repo.api, { name: 'new' })
  const moved = await forge.guest.get('/alice/old.git/info/refs?service=git-upload-pack', { site: true })
  assert.deepEqual(
    [moved.status, new URL(moved.headers.get('location') ?? '', forge.url).pathname],
    [301, '/alice/new/info/refs'],
  )
  await clone.must('push', '-q', 'origin', 'main')
  await forge.as('alice').must('PATCH', '/repos/alice/new', { archived: true })
  const answer = await forge.as('alice').get('/alice/new.git/info/refs?service=git-receive-pack', { site: true })
  assert.equal(answer.status, 403)
  await clone.must('fetch', '-q')
})

test('git over HTTP: a dumb client clones loose objects and packs', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  for (const file of ['one', 'two']) await clone.commit(file)
  await clone.must('tag', '-a', 'v1', '-m', 'first')
  await clone.must('push', '-q', 'origin', 'main', 'v1')
  const dumbClone = async (name: string): Promise<void> => {
    const url = await forge.gitUrl('alice', repo.fullName)
    const made = await runProgram('git', ['clone', '-q', url, join(clone.folder, name)], {
      env: { GIT_SMART_HTTP: '0' },
    })
    assert.equal(made.code, 0, made.err)
    assert.match((await runProgram('git', ['-C', join(clone.folder, name), 'log', '--oneline', 'v1'])).out, /adds two/)
  }
  await dumbClone('loose')
  const row = await forge.services.db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  await forge.services.git.maintain(row.git_key, ['repack'], { force: true })
  await dumbClone('packed')
  const packs = await forge.as('alice').get(`/${repo.fullName}/objects/info/packs`, { site: true })
  const name = /^P (\S+)$/m.exec(packs.text)?.[1]
  const pack = await forge.as('alice').get(`/${repo.fullName}/objects/pack/${name}`, { site: true })
  assert.deepEqual(
    [pack.status, pack.headers.get('cache-control'), pack.bytes.subarray(0, 4).toString()],
    [200, 'private, max-age=31536000', 'PACK'],
  )
  assert.equal((await forge.guest.get(`/${repo.fullName}/objects/pack/${name}`, { site: true })).status, 401)
  for (const path of [
    'objects/12/34',
    'objects/pack/..%2f..%2fconfig',
    'objects/info/alternates',
    'config',
    'objects/..%2f/HEAD',
  ]) {
    assert.equal((await forge.as('alice').get(`/${repo.fullName}/${path}`, { site: true })).status, 404, path)
  }
})

test('git over HTTP: the first push sets the default branch, and branches determine emptiness', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', auto_init: false })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('file')
  await clone.must('push', '-q', 'origin', 'HEAD:refs/heads/work', 'HEAD:refs/heads/master')
  const after = (await forge.as('alice').get(repo.api)).json
  assert.deepEqual([after.empty, after.default_branch], [false, 'master'])
  await clone.must('push', '-q', 'origin', 'HEAD:refs/heads/main')
  assert.equal((await forge.as('alice').get(repo.api)).json.default_branch, 'master')
  assert.match(await clone.must('ls-remote', '--symref', 'origin', 'HEAD'), /ref: refs\/heads\/master/)
})

test('goGet: the page names the repository at any address and does not reveal whether it exists', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.given.repo({ owner: 'alice', name: 'open', default_branch: 'trunk' })
  await forge.given.repo({ owner: 'alice', name: 'hidden', private: true, default_branch: 'trunk' })
  const host = new URL(forge.url).host
  const ask = async (path: string): Promise<string> => {
    const answer = await forge.guest.get(`${path}?go-get=1`, { site: true })
    assert.equal(answer.status, 200, path)
    return answer.text
  }
  assert.match(
    await ask('/alice/open/deep/package'),
    new RegExp(`content="${host}/alice/open git ${forge.url}/alice/open.git"`),
  )
  assert.match(await ask('/Alice/OPEN.git/info/refs'), /alice\/open\/src\/branch\/trunk\{\/dir\}/)
  const hidden = await ask('/alice/hidden')
  assert.equal(hidden.replaceAll('hidden', 'nothing'), await ask('/alice/nothing'))
  assert.doesNotMatch(await ask('/alice/%22%3E%3Cscript%3E'), /<script>/)
})

test('git over HTTP: a push creates a repository of the caller where the settings allow it', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { repository: { ENABLE_PUSH_CREATE_USER: true } },
  })
  await using closed = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.must('push', '-q', await forge.gitUrl('alice', 'alice/fresh'), 'main')
  const made = (await forge.as('alice').get('/repos/alice/fresh')).json
  assert.deepEqual([made.private, made.empty, made.default_branch], [true, false, 'main'])
  assert.match((await clone.git('push', await forge.gitUrl('bob', 'alice/theirs'), 'main')).err, /403/)
  assert.match((await clone.git('push', await closed.gitUrl('alice', 'alice/fresh'), 'main')).err, /403/)
  assert.equal((await forge.as('alice').get('/repos/alice/theirs')).status, 404)
})

test('git over HTTP: reactions to pushes complete, also after deletions of branches and tags', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const issue = await forge.given.issue({ repo })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.must('tag', 'gone')
  await clone.must('push', '-q', 'origin', 'HEAD:refs/heads/gone', 'gone')
  await clone.must('push', '-q', 'origin', ':refs/heads/gone', ':refs/tags/gone')
  await clone.commit('file')
  await clone.must('push', '-q', 'origin', 'HEAD:refs/heads/new', 'HEAD:refs/heads/gone')
  await clone.must('commit', '-q', '--allow-empty', '-m', `Fixes #${issue.number}`)
  await clone.must('push', '-q', 'origin', 'main')
  await forge.settle()
  const failed = await forge.services.db
    .selectFrom('job')
    .select(['name', 'last_error'])
    .where('last_error', 'is not', null)
    .execute()
  assert.deepEqual(failed, [])
  assert.equal((await forge.as('alice').get(issue.api)).json.state, 'closed')
  assert.deepEqual(await branchesOf(forge, repo.api), ['gone', 'main', 'new'])
})

test('git over HTTP: one of several concurrent pushes to a branch succeeds, the others are told to fetch first', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const old = await clone.must('rev-parse', 'HEAD')
  const heads: string[] = []
  const bodies: Buffer[] = []
  for (const name of ['one', 'two', 'three']) {
    await clone.must('reset', '-q', '--hard', old)
    heads.push(await clone.commit(name))
    bodies.push(await pushRequest(clone, 'main', 'report-status side-band-64k', old))
  }
  const push = (body: Buffer) => send(forge, `${repo.fullName}.git/git-receive-pack`, body, { as: 'alice' })
  const answers = await Promise.all(bodies.map(push))
  const done = answers.map(({ text }) => text.includes('ok refs/heads/main'))
  assert.equal(done.filter(Boolean).length, 1)
  for (const [index, { text }] of answers.entries()) {
    if (!done[index]) assert.match(text, /Ingot: refs\/heads\/main was changed meanwhile: fetch first/)
  }
  const branch = await forge.as('alice').get(`${repo.api}/branches/main`)
  assert.equal(branch.json.commit.id, heads[done.indexOf(true)])
  // A push based on an older commit and a push that creates an existing branch get the same message.
  assert.match((await push(bodies[done.indexOf(false)] as Buffer)).text, /fetch first/)
  assert.match((await push(await pushRequest(clone, 'main', 'report-status side-band-64k'))).text, /fetch first/)
  assert.deepEqual(await examined(forge.services, { only: ['references'] }), [])
})

test('git over HTTP: unknown push options and invalid values are reported', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('a')
  const options = ['other.thing=1', 'repo.private=maybe', 'topic=known', 'constructor', 'bad\u001b[31m=1']
  const pushed = await clone.git('push', ...options.flatMap((option) => ['-o', option]), 'origin', 'main')
  assert.equal(pushed.code, 0, pushed.err)
  const hints = pushed.err.split('\n').filter((line) => line.includes('push option'))
  assert.deepEqual(
    hints.map((line) => line.replace(/^remote: /, '').trim()),
    [
      'Ingot: push option other.thing is not known here and changes nothing',
      'Ingot: push option repo.private is true or false; maybe changes nothing',
      'Ingot: push option constructor is not known here and changes nothing',
      'Ingot: push option bad?[31m is not known here and changes nothing',
    ],
  )
  await clone.commit('b')
  const quiet = await clone.git('push', '-o', 'repo.template', 'origin', 'main')
  assert.doesNotMatch(quiet.err, /push option/)
  assert.equal((await forge.as('alice').get(repo.api)).json.template, true)
})

test('gitUploadPack: kept packs are sent only to callers who may read the repository', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
  const git = await forge.services.db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  const oid = await forge.services.git.readRef(git.git_key, 'refs/heads/main')
  const fetch = ['command=fetch', 'object-format=sha1'].map(packetLine).join('')
  const body = Buffer.from(`${fetch}0001${[`want ${oid}`, 'done'].map(packetLine).join('')}0000`)
  const clone = async (as?: string) =>
    (
      await send(forge, `${repo.fullName}.git/git-upload-pack`, body, {
        headers: { 'git-protocol': 'version=2' },
        ...(as && { as }),
      })
    ).status
  for (const name of ['alice', 'alice', 'bob']) assert.equal(await clone(name), 200)
  await forge.as('alice').must('DELETE', `${repo.api}/collaborators/bob`)
  assert.deepEqual([await clone('bob'), await clone(), await clone('alice')], [404, 401, 200])
})

test('gitReceivePack: the answer begins after the request, because nginx stops reading a request that is answered before', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const body = await pushRequest(clone, 'slow')
  const { token } = await forge.account('alice')
  const answer = Promise.withResolvers<number>()
  let isAnswered = false
  const sent = request(
    `${forge.url}/${repo.fullName}.git/git-receive-pack`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request', authorization: `token ${token}` },
    },
    (response) => {
      isAnswered = true
      response.resume().on('end', () => answer.resolve(response.statusCode as number))
    },
  )
  sent.on('error', answer.reject)
  // git starts with the commands; the pack is still to come.
  sent.write(body.subarray(0, -30))
  await wait(500)
  assert.equal(isAnswered, false)
  sent.end(body.subarray(-30))
  assert.equal(await answer.promise, 200)
  await forge.as('alice').must('GET', `${repo.api}/branches/slow`)
})
