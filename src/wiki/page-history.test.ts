import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { transaction } from '../db/database.ts'
import type { Oid } from '../lib/ids.ts'
import type { Clone } from '../testing/clone.ts'
import { examined } from '../testing/doctor.ts'
import { eventsNamed } from '../testing/events.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'
import { commitFiles, pushFiles, pushWiki, wikiClone } from './wiki.test-support.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Returns the last commit and the number of commits of each page from the API. */
async function histories(forge: Forge, repo: GivenRepo): Promise<Record<string, [sha: string, count: number]>> {
  const { json } = await forge.guest.get(`${repo.api}/wiki/pages?limit=100`)
  const found: Record<string, [string, number]> = {}
  for (const { title, sub_url: subUrl, last_commit: last } of json) {
    const page = await forge.guest.get(`${repo.api}/wiki/page/${subUrl}`)
    assert.equal(page.json.last_commit.sha, last.sha)
    found[title] = [last.sha, page.json.commit_count]
  }
  return found
}

/** Returns the same as git counts it in a clone. */
async function counted(clone: Clone): Promise<Record<string, [sha: string, count: number]>> {
  const files = (await clone.must('ls-files', '*.md')).split('\n').filter((file) => !file.includes('/'))
  const found: Record<string, [string, number]> = {}
  for (const file of files) {
    const shas = (await clone.must('log', '--format=%H', '--', file)).split('\n')
    found[file.replace('.md', '')] = [shas[0] as string, shas.length]
  }
  return found
}

const indexedHead = async (forge: Forge): Promise<Oid | undefined> =>
  (await forge.services.db.selectFrom('wiki_index').select('head_oid').executeTakeFirst())?.head_oid

test('repoGetWikiPages, repoGetWikiPage: last commits and counts match git, with and without the index', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  using clone = await wikiClone(forge, repo)
  await commitFiles(clone, { 'A.md': 'a', 'B.md': 'b', 'below/C.md': 'c', 'D.md': 'd' })
  await commitFiles(clone, { 'A.md': 'a2' })
  await clone.must('checkout', '-q', '-b', 'side')
  await commitFiles(clone, { 'B.md': 'side' })
  await clone.must('checkout', '-q', 'main')
  await commitFiles(clone, { 'D.md': 'd2' })
  await clone.must('merge', '-q', '--no-edit', 'side')
  rmSync(join(clone.path, 'A.md'))
  await commitFiles(clone, {})
  await commitFiles(clone, { 'A.md': 'again' })
  await pushWiki(clone)
  const expected = await counted(clone)
  assert.deepEqual(await histories(forge, repo), expected, 'the index may be incomplete')
  await forge.settle()
  assert.equal(await indexedHead(forge), await clone.must('rev-parse', 'HEAD'))
  assert.deepEqual(await histories(forge, repo), expected, 'from the index')
  assert.equal((await forge.guest.get(`${repo.api}/wiki/page/below%2FC`)).json.commit_count, 1)

  // An outdated index: later commits are added from git.
  const head = (await indexedHead(forge)) as Oid
  const rows = await forge.services.db.selectFrom('wiki_page').selectAll().execute()
  for (let index = 0; index < 3; index++) {
    await alice.must('PATCH', `${repo.api}/wiki/page/A`, { content_base64: base64(`${index}`) })
  }
  await alice.must('POST', `${repo.api}/wiki/new`, { title: 'New', content_base64: '' })
  await forge.settle()
  await clone.must('pull', '-q', 'origin', 'main')
  const later = await counted(clone)
  assert.deepEqual(await histories(forge, repo), later)
  await transaction(forge.services.db, async (tx) => {
    await tx.updateTable('wiki_index').set({ head_oid: head }).execute()
    await tx.deleteFrom('wiki_page').execute()
    await tx.insertInto('wiki_page').values(rows).execute()
  })
  assert.deepEqual(await histories(forge, repo), later, 'from the index and git together')

  // A rewritten history replaces the index.
  await clone.must('reset', '-q', '--hard', 'HEAD~2')
  await commitFiles(clone, { 'B.md': 'rewritten' })
  await pushWiki(clone, '--force')
  const rewritten = await counted(clone)
  assert.deepEqual(await histories(forge, repo), rewritten)
  await forge.settle()
  assert.deepEqual(await histories(forge, repo), rewritten)
  assert.deepEqual(await examined(forge.services), [])
})

test('doctor: a wrong index of wiki pages is found and rebuilt', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await pushFiles(forge, repo, { 'A.md': 'a', 'B.md': 'b' })
  await forge.settle()
  const right = await histories(forge, repo)
  await transaction(forge.services.db, (tx) =>
    tx.updateTable('wiki_page').set({ commit_count: 7 }).where('file', '=', 'A.md').execute(),
  )
  const only = ['wikis']
  assert.match((await examined(forge.services, { only })).join(), /wiki's pages is wrong \(fixable\)/)
  assert.match((await examined(forge.services, { only, fix: true })).join(), /\(fixed\)/)
  assert.deepEqual(await examined(forge.services, { only }), [])
  assert.deepEqual(await histories(forge, repo), right)
})

test('git over HTTP: a push to a wiki publishes one event for each changed page', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const { id: repoId } = (await forge.as('alice').get(repo.api)).json
  const { id: doerId } = (await forge.as('alice').get('/user')).json
  using clone = await wikiClone(forge, repo)
  await commitFiles(
    clone,
    { 'A.md': 'a', 'B.md': 'b', 'C.md': 'c', 'image.png': 'i', 'below/D.md': 'd' },
    'first\n\nmore',
  )
  await pushWiki(clone)
  await clone.must('mv', 'B.md', 'Better.md')
  await clone.must('rm', '-q', 'C.md')
  await commitFiles(clone, { 'A.md': 'a1' }, 'not the last')
  await commitFiles(clone, { 'A.md': 'a2', 'image.png': 'j' }, 'last')
  await pushWiki(clone)
  // A push to another branch than the wiki's publishes no events.
  await commitFiles(clone, { 'A.md': 'a3' }, 'elsewhere')
  await clone.must('push', '-q', 'origin', 'HEAD:elsewhere')
  const about = (message: string, page: string) => ({ repoId, doerId, page, message })
  assert.deepEqual(
    await eventsNamed(forge, 'wiki.pageCreated'),
    ['A', 'B', 'C'].map((page) => about('first\n\nmore', page)),
  )
  assert.deepEqual(await eventsNamed(forge, 'wiki.pageEdited'), [
    about('last', 'A'),
    { ...about('last', 'Better'), oldPage: 'B' },
  ])
  assert.deepEqual(await eventsNamed(forge, 'wiki.pageDeleted'), [about('', 'C')])
})

test('git over HTTP: a push to a wiki publishes at most a hundred events', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await pushFiles(forge, repo, Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`P${index}.md`, ''])))
  const { count } = await forge.services.db
    .selectFrom('event')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('name', '=', 'wiki.pageCreated')
    .executeTakeFirstOrThrow()
  assert.equal(`${count}`, '100')
})

test('git over HTTP: a push to a very large wiki is accepted and publishes no events', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await wikiClone(forge, repo)
  const blob = await clone.must('hash-object', '-w', '--stdin')
  const lines = Array.from({ length: 40_000 }, (_, index) => `100644 blob ${blob}\t${'long'.repeat(45)}${index}.md`)
  writeFileSync(join(clone.folder, 'tree'), `${lines.join('\n')}\n`)
  const tree = await clone.must('-c', `alias.many=!git mktree < '${join(clone.folder, 'tree')}'`, 'many')
  const commit = await clone.must('commit-tree', '-m', 'very many', tree)
  await clone.must('push', '-q', 'origin', `${commit}:refs/heads/main`)
  assert.equal((await forge.guest.get(`${repo.api}/wiki/pages`)).headers.get('x-total-count'), '40000')
  assert.deepEqual(await eventsNamed(forge, 'wiki.pageCreated'), [])
})
