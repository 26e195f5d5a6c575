import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repositoryPath } from '../git/git-key.ts'
import type { Oid } from '../lib/ids.ts'
import { Clone } from '../testing/clone.ts'
import { startForge, type Forge } from '../testing/forge.ts'

const mebibyte = 1024 * 1024

const gitKeyOf = async (forge: Forge, name: string) =>
  (
    await forge.services.db
      .selectFrom('repo')
      .select('git_key')
      .where('lower_name', '=', name)
      .executeTakeFirstOrThrow()
  ).git_key

/** The folder of a repository. */
const folderOf = async (forge: Forge, name: string): Promise<string> =>
  repositoryPath(forge.services.config.paths.repositories, await gitKeyOf(forge, name))

const looseObjects = (folder: string): number =>
  readdirSync(join(folder, 'objects'))
    .filter((name) => name.length === 2)
    .reduce((sum, name) => sum + readdirSync(join(folder, 'objects', name)).length, 0)

test('gitReceivePack: a large push stays a pack, a small one is unpacked', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const folder = await folderOf(forge, repo.name)
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const before = looseObjects(folder)
  await clone.commit('small.txt')
  await clone.must('push', '-q', 'origin', 'main')
  assert.equal(looseObjects(folder), before + 3)
  const random = randomBytes(3 * mebibyte)
  await clone.commit('large.bin', random)
  await clone.must('push', '-q', 'origin', 'main')
  await forge.settle()
  // The pushed pack, and a pack of the earlier objects for the bitmap.
  assert.equal(readdirSync(join(folder, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length, 2)
  assert.equal(looseObjects(folder), 0)
  const raw = await fetch(`${forge.url}/${repo.fullName}/raw/branch/main/large.bin`)
  assert.ok(Buffer.from(await raw.arrayBuffer()).equals(random))
})

test('gitReceivePack, repoCreateFile: a commit or tag with a message of megabytes is refused, alone or among others', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const long = 'word '.repeat(3 * mebibyte)
  const commitWith = (message: string, parent: string): string =>
    execFileSync(
      'git',
      ['-C', clone.path, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', '-p', parent, 'HEAD^{tree}'],
      {
        input: message,
        encoding: 'utf8',
      },
    ).trim()
  const huge = commitWith(long, 'HEAD')
  const loose = await clone.git('push', 'origin', `${huge}:refs/heads/huge`)
  assert.match(loose.err, /a commit has 157\d{5} bytes; with its message it may have 1048576/)

  const later = Array.from({ length: 120 }, (_, each) => {
    const message = `number ${each}\n`
    const parent = each === 0 ? `from ${huge}\n` : ''
    return `commit refs/heads/later\ncommitter a <a@b> ${each} +0000\ndata ${message.length}\n${message}${parent}\n`
  })
  execFileSync('git', ['-C', clone.path, 'fast-import', '--quiet'], { input: later.join('') })
  const packed = await clone.git('push', 'origin', 'later:refs/heads/huge')
  assert.match(packed.err, /a commit has 157\d{5} bytes/)
  const tag = execFileSync(
    'git',
    ['-C', clone.path, '-c', 'user.name=a', '-c', 'user.email=a@b', 'tag', '-a', '-F', '-', 'v1'],
    { input: long },
  )
  assert.equal(tag.length, 0)
  assert.match((await clone.git('push', 'origin', 'v1')).err, /a tag has 157\d{5} bytes/)
  assert.equal(
    (await clone.git('push', 'origin', `${commitWith('word '.repeat(200_000), 'HEAD')}:refs/heads/long`)).code,
    0,
  )

  const written = await alice.post(`${repo.api}/contents/a.txt`, { content: '', message: long })
  assert.deepEqual([written.status, written.json.code], [413, 'git_message_too_large'])
  const branches = (await alice.get(`${repo.api}/branches`)).json.map(({ name }: { name: string }) => name)
  assert.deepEqual(branches.toSorted(), ['long', 'main'])
})

test('repoGetAllCommits, repoGetSingleCommit: imported messages of megabytes are truncated', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const folder = await folderOf(forge, repo.name)
  let tip = ''
  for (let each = 0; each < 4; each++) {
    tip = execFileSync(
      'git',
      [
        '--git-dir',
        folder,
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        'commit-tree',
        '-p',
        tip || 'main',
        'main^{tree}',
      ],
      { input: `number ${each}\n\n${'word '.repeat(6 * mebibyte)}`, encoding: 'utf8' },
    ).trim()
  }
  const gitKey = await gitKeyOf(forge, repo.name)
  await forge.services.git.updateRefs(gitKey, [{ ref: 'refs/heads/imported', old: undefined, new: tip as Oid }])
  const page = await forge.guest.get(`${repo.api}/commits?sha=imported`)
  assert.equal(page.status, 200)
  assert.equal(page.json.length, 5)
  assert.ok(page.text.length < 200_000)
  assert.match(page.json[0].commit.message, /^number 3\n\nword [^]*\n\[the rest of the message is left out\]\n$/)
  const one = (await forge.guest.get(`${repo.api}/git/commits/${tip}`)).json
  assert.deepEqual([one.sha, one.parents.length, one.commit.message.length < 40_000], [tip, 1, true])
})
