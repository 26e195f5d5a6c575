import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Clone } from '../../testing/clone.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

const rootOf = (forge: Forge): string => forge.services.config.paths.repositories

/** A bare repository with one commit, created directly below the root. */
async function lay(forge: Forge, path: string, ...more: string[]): Promise<string> {
  const folder = join(rootOf(forge), `${path}.git`)
  using clone = await Clone.begin('alice', 'trunk')
  await clone.commit('a.txt')
  await clone.must('tag', '-a', '-m', 'x', 'v1')
  await mkdir(join(folder, '..'), { recursive: true })
  await clone.must('clone', '-q', '--bare', ...more, clone.path, folder)
  return folder
}

test('adminUnadoptedList: lists folders of accounts that are not repositories, by glob and page', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const root = forge.as('root')
  await lay(forge, 'alice/one')
  await lay(forge, 'alice/two')
  await lay(forge, 'nobody/three')
  await mkdir(join(rootOf(forge), 'alice', 'empty.git'))
  await symlink(join(rootOf(forge), 'alice', 'one.git'), join(rootOf(forge), 'alice', 'link.git'))
  await forge.given.repo({ name: 'two' })
  await forge.given.repo({ name: 'else' })
  const list = async (query = '') => {
    const { json, headers } = await root.must('GET', `/admin/unadopted${query}`)
    return [json, headers.get('x-total-count')]
  }
  assert.deepEqual(await list(), [['alice/one'], '1'])
  assert.deepEqual(await list('?query=al*/o*'), [['alice/one'], '1'])
  assert.deepEqual(await list('?query=ALICE'), [[], '0'])
  assert.deepEqual(await list('?query=alice/t*'), [[], '0'])
  assert.deepEqual(await list('?page=2&limit=1'), [[], '1'])
  assert.equal((await forge.as('alice').get('/admin/unadopted')).status, 403)
  assert.equal((await forge.guest.get('/admin/unadopted')).status, 401)
})

test('adminAdoptRepository: creates a private repository with branches and tags, without foreign settings and hooks', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const folder = await lay(forge, 'alice/old')
  const mark = join(folder, '..', 'ran')
  await writeFile(
    join(folder, 'config'),
    `[core]\n\tbare = true\n\tfsmonitor = touch ${mark}\n[uploadpack]\n\thideRefs = refs\n`,
  )
  await mkdir(join(folder, 'hooks'), { recursive: true })
  await writeFile(join(folder, 'hooks/post-receive'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
  const root = forge.as('root')
  for (const path of ['alice/none', 'nobody/old', 'alice/..%2Fold', 'alice/.old', '..%2Falice/old']) {
    assert.equal((await root.post(`/admin/unadopted/${path}`)).status, 404, path)
  }
  assert.equal((await forge.as('alice').post('/admin/unadopted/alice/old')).status, 403)
  assert.equal((await root.post('/admin/unadopted/Alice/Old')).status, 204)
  const { json } = await forge.as('alice').must('GET', '/repos/alice/old')
  assert.deepEqual([json.private, json.default_branch, json.empty], [true, 'trunk', false])
  const tags = (await forge.as('alice').must('GET', '/repos/alice/old/tags')).json
  assert.deepEqual(
    tags.map((tag: { name: string }) => tag.name),
    ['v1'],
  )
  using clone = await Clone.of(forge, 'alice', 'alice/old')
  await clone.commit('b.txt')
  await clone.must('push', '-q', 'origin', 'HEAD')
  assert.equal(existsSync(folder), false)
  assert.equal(existsSync(mark), false)
  assert.equal((await root.post('/admin/unadopted/alice/old')).status, 404, 'it is a repository now')
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
})

test('adminAdoptRepository: an incomplete repository stays in place; one of concurrent calls adopts', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const root = forge.as('root')
  const borrowing = await lay(forge, 'alice/borrowing')
  await mkdir(join(borrowing, 'objects/info'), { recursive: true })
  await writeFile(join(borrowing, 'objects/info/alternates'), '/elsewhere/objects\n')
  const linked = await lay(forge, 'alice/linked')
  await symlink('/etc', join(linked, 'extra'))
  for (const name of ['borrowing', 'linked']) {
    assert.equal((await root.post(`/admin/unadopted/alice/${name}`)).status, 422, name)
    assert.equal((await forge.as('alice').get(`/repos/alice/${name}`)).status, 404)
  }
  assert.ok(existsSync(borrowing) && existsSync(linked))
  await lay(forge, 'alice/wanted')
  const all = await Promise.all([1, 2, 3, 4].map(() => root.post('/admin/unadopted/alice/wanted')))
  assert.equal(all.filter(({ status }) => status === 204).length, 1)
  assert.deepEqual(await examined(forge.services), [])
})

test('adminDeleteUnadoptedRepository: deletes an unadopted folder, never a repository', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const root = forge.as('root')
  const folder = await lay(forge, 'alice/old')
  await forge.given.repo({ name: 'known' })
  await cp(folder, join(rootOf(forge), 'alice', 'known.git'), { recursive: true })
  for (const path of ['alice/none', 'nobody/old', 'alice/known', 'alice/..%2F..']) {
    assert.equal((await root.delete(`/admin/unadopted/${path}`)).status, 404, path)
  }
  assert.ok(existsSync(join(rootOf(forge), 'alice', 'known.git')))
  assert.equal((await root.delete('/admin/unadopted/alice/old')).status, 204)
  assert.equal(existsSync(folder), false)
  assert.equal((await root.delete('/admin/unadopted/alice/old')).status, 404)
})
