import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { finishMove, noteMove } from '../../admin/identity/identity.service.ts'
import { startGit } from '../../git/start-git.ts'
import { openBlobs } from '../../storage/open-blobs.ts'
import { withFolder } from '../../storage/blobs.test-support.ts'
import { Clone } from '../../testing/clone.ts'
import { removeCopies } from '../../testing/copies.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'
import { bringRepositories, checkRepositories, storeRepositories, verifyPacks } from './move-repositories.service.ts'
import { refSource } from './ref-source.ts'

/** A git layer as the command has it: beside the server, on the same folder. */
async function movingWith({ services }: Forge, packFolder: string) {
  const packs = await openBlobs({ type: 'local', path: packFolder })
  const { config, db } = services
  const git = await startGit({
    repositoriesRoot: config.paths.repositories,
    source: refSource(db),
    packs,
    durable: false,
  })
  return {
    move: { db, git, packs, onProgress: () => undefined },
    async [Symbol.asyncDispose]() {
      await git.close()
      packs.close()
    },
  }
}

test('repositories move to a storage of packs and back, while a server works with them', async () => {
  await using database = await openTestDatabase()
  await withFolder(async (folder) => {
    const packFolder = join(folder, 'packs')
    const start = (storage: 'blobs' | 'local'): Promise<Forge> =>
      startForge({
        users: ['alice', 'bob'],
        dataFolder: join(folder, 'data'),
        database: database.options,
        settings: {
          repository: { STORAGE: storage },
          'storage.repositories': { PATH: packFolder },
          security: { SECRET_KEY: 'a key of all processes' },
        },
      })
    const tips = new Map<string, string>()
    /** Commits by the API, by a push and to the wiki of two repositories, one of which is a fork. */
    const work = async (forge: Forge, name: string): Promise<void> => {
      await forge.as('alice').must('POST', '/repos/alice/r/wiki/new', { title: name, content_base64: base64(name) })
      for (const [login, repo] of [
        ['alice', 'alice/r'],
        ['bob', 'bob/r'],
      ] as const) {
        await forge.as(login).must('POST', `/repos/${repo}/contents/${name}`, { content: base64(name) })
        using clone = await Clone.of(forge, login, repo)
        await clone.commit(`${name} pushed`)
        await clone.must('push', '-q', await forge.gitUrl(login, repo), 'HEAD:main', `HEAD:refs/tags/${name}`)
        tips.set(repo, await clone.must('rev-parse', 'HEAD'))
      }
    }
    const checkAll = async (forge: Forge): Promise<void> => {
      for (const [repo, tip] of tips) {
        using clone = await Clone.of(forge, 'alice', repo)
        assert.equal(await clone.must('rev-parse', 'HEAD'), tip)
        await clone.must('fsck', '--strict')
      }
      await forge.as('alice').must('GET', '/repos/alice/r/wiki/page/first')
      await forge.settle()
      assert.deepEqual(await examined(forge.services), [])
    }

    {
      await using forge = await start('local')
      await forge.as('alice').must('POST', '/user/repos', { name: 'r', auto_init: true, default_branch: 'main' })
      await forge.as('bob').must('POST', '/repos/alice/r/forks', {})
      await work(forge, 'first')
      {
        await using moving = await movingWith(forge, packFolder)
        await noteMove(forge.services.db)
        const all = await storeRepositories(moving.move, false)
        assert.equal(all.repositories, 3)
        assert.ok(all.packs >= 3)
        assert.equal((await storeRepositories(moving.move, false)).packs, 0)
      }
      await work(forge, 'second')
      await checkAll(forge)
    }
    await assert.rejects(start('blobs'), /are being moved to \[storage\.repositories\]; finish it/)
    {
      await using forge = await start('local')
      await using moving = await movingWith(forge, packFolder)
      assert.ok((await storeRepositories(moving.move, true)).packs >= 3)
      assert.deepEqual((await verifyPacks(moving.move)).problems, [])
      await finishMove(forge.services, 'blobs')
    }
    await assert.rejects(start('local'), /are stored as packs; set \[repository\]\.STORAGE = blobs/)
    {
      await using forge = await start('blobs')
      removeCopies(forge.services.config.paths.repositories)
      await checkAll(forge)
      await work(forge, 'third')
      await forge.as('alice').must('DELETE', '/repos/alice/r/tags/first')
      removeCopies(forge.services.config.paths.repositories)
      await using moving = await movingWith(forge, packFolder)
      assert.equal((await bringRepositories(moving.move)).repositories, 3)
      assert.deepEqual((await checkRepositories(moving.move)).problems, [])
      await work(forge, 'fourth')
      await forge.settle()
    }
    {
      await using forge = await start('blobs')
      await using moving = await movingWith(forge, packFolder)
      await bringRepositories(moving.move)
      await finishMove(forge.services, 'local')
    }
    rmSync(packFolder, { recursive: true })
    await using forge = await start('local')
    await checkAll(forge)
    await work(forge, 'fifth')
    await checkAll(forge)
    assert.ok(!existsSync(packFolder))
  })
})

test('verifying names packs that are lost or changed', async () => {
  await withFolder(async (folder) => {
    const packFolder = join(folder, 'packs')
    await using forge = await startForge({
      users: ['alice'],
      settings: { repository: { STORAGE: 'blobs' }, 'storage.repositories': { PATH: packFolder } },
    })
    await forge.given.repo({ owner: 'alice' })
    await forge.settle()
    await using moving = await movingWith(forge, packFolder)
    const keys: string[] = []
    for await (const { key } of moving.move.packs.list('')) if (/\.(?:pack|idx)$/.test(key)) keys.push(key)
    assert.deepEqual((await verifyPacks(moving.move)).problems, [])
    const pack = keys.find((key) => key.endsWith('.pack'))!
    await moving.move.packs.delete(pack)
    const { problems } = await verifyPacks(moving.move)
    assert.equal(problems.length, 1)
    assert.match(problems[0]!, /: the storage lacks \S+\.pack$/)
  })
})
