import assert from 'node:assert/strict'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Clone } from '../../testing/clone.ts'
import { startForge } from '../../testing/forge.ts'

/** More than the parameters of an SQLite statement. */
const branches = 33_000
/** More than the pooled readers let wait. */
const tags = 1200

test('many references: a repository with tens of thousands is adopted, and a push of a thousand tags is recorded', async () => {
  await using forge = await startForge({ users: ['alice'] })
  using clone = await Clone.begin('alice', 'main')
  const head = await clone.commit('a.txt')
  const folder = join(forge.services.config.paths.repositories, 'alice', 'many.git')
  await mkdir(join(folder, '..'), { recursive: true })
  await clone.must('clone', '-q', '--bare', clone.path, folder)
  const names = Array.from({ length: branches }, (_, index) => `${head} refs/heads/topic/${index % 50}/${index}\n`)
  await appendFile(join(folder, 'packed-refs'), names.join(''))
  await forge.as('root').must('POST', '/admin/unadopted/alice/many')
  const alice = forge.as('alice')
  const page = await alice.must('GET', '/repos/alice/many/branches?limit=1')
  assert.equal(page.headers.get('x-total-count'), String(branches + 1))

  // A second clone: git's client compares all names with each other.
  const few = await forge.given.repo({ owner: 'alice', name: 'few' })
  const url = await forge.gitUrl('alice', few.fullName)
  const made = Array.from(
    { length: tags },
    (_, index) => `tag t${index}\nfrom ${head}\ntagger a <a@example.com> 1700000000 +0000\ndata 1\nx\n`,
  )
  await writeFile(join(clone.folder, 'tags'), made.join(''))
  await clone.must('-c', 'alias.make-tags=!git fast-import --quiet < ../tags', 'make-tags')
  await clone.must('push', '-q', url, '+main', 'refs/tags/*:refs/tags/*')
  const { headers } = await alice.must('GET', `${few.api}/tags?limit=1`)
  assert.equal(headers.get('x-total-count'), String(tags))
  await forge.settle()
})
