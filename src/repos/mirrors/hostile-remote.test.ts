import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { repositoryPath } from '../../git/git-key.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

/** Runs git without object checks in the folder of a repository. */
async function carelessGit(forge: Forge, name: string): Promise<(input: string | Buffer, ...args: string[]) => string> {
  const { db, config } = forge.services
  const { git_key: key } = await db
    .selectFrom('repo')
    .select('git_key')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  const folder = repositoryPath(config.paths.repositories, key)
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  return (input, ...args) =>
    execFileSync('git', [...identity, '-c', 'core.protectHFS=false', '-c', 'core.protectNTFS=false', ...args], {
      cwd: folder,
      input,
    })
      .toString()
      .trim()
}

/** Returns an entry of a tree object. */
const entry = (mode: string, name: string, oid: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])

type Git = Awaited<ReturnType<typeof carelessGit>>
const blobOf = (git: Git, text: string): string => git(text, 'hash-object', '-w', '--stdin')
const treeOf = (git: Git, ...entries: Buffer[]): string =>
  git(Buffer.concat(entries), 'hash-object', '-t', 'tree', '--literally', '-w', '--stdin')
const modules = (git: Git, text: string): string => treeOf(git, entry('100644', '.gitmodules', blobOf(git, text)))

const harmful: Readonly<Record<string, (git: Git) => string>> = {
  'a folder .git': (git) =>
    treeOf(git, entry('40000', '.git', treeOf(git, entry('100644', 'config', blobOf(git, 'x'))))),
  'a folder that HFS+ takes for .git': (git) => treeOf(git, entry('100644', '.g\u200cit', blobOf(git, 'x'))),
  'a path that leaves the folder': (git) =>
    treeOf(git, entry('40000', '..', treeOf(git, entry('100644', 'x', blobOf(git, 'x'))))),
  'a name with a slash': (git) => treeOf(git, entry('100644', '../x', blobOf(git, 'x'))),
  'an address that is an option': (git) => modules(git, '[submodule "a"]\n\tpath = a\n\turl = -u./x\n'),
  'a name that leaves the folder of submodules': (git) =>
    modules(git, '[submodule "../../x"]\n\tpath = a\n\turl = http://a/b\n'),
}

test('repoMigrate, repoMirrorSync: objects of a remote are checked like those of a push', async () => {
  await using source = await startForge({ users: ['alice'] })
  await using forge = await startForge({ settings: { migrations: { ALLOW_LOCALNETWORKS: true } } })
  const original = await source.given.repo({ owner: 'alice', name: 'original' })
  const git = await carelessGit(source, 'original')
  const bob = forge.as('bob')
  await forge.account('bob')
  const wanted = { clone_addr: `${source.url}/${original.fullName}.git` }
  await bob.must('POST', '/repos/migrate', { ...wanted, repo_name: 'mirror', mirror: true })
  const commitOf = (tree: string): string => git('', 'commit-tree', '-m', 'bad', tree)
  const found: string[] = []
  for (const [index, [what, make]] of Object.entries(harmful).entries()) {
    git('', 'update-ref', 'refs/heads/bad', commitOf(make(git)))
    const copied = await bob.post('/repos/migrate', { ...wanted, repo_name: `copy-${index}` })
    if (copied.status !== 422) found.push(`${what}: copied with ${copied.status}`)
    await bob.must('POST', '/repos/bob/mirror/mirror-sync')
    await forge.settle()
    const { json } = await bob.must('GET', '/repos/bob/mirror/branches')
    if (json.some(({ name }: { name: string }) => name === 'bad')) found.push(`${what}: mirrored`)
    git('', 'update-ref', '-d', 'refs/heads/bad')
  }
  assert.deepEqual(found, [])
  // Known harmless faults are accepted.
  git(
    '',
    'update-ref',
    'refs/heads/old',
    commitOf(treeOf(git, entry('040000', 'a', treeOf(git, entry('100644', 'x', blobOf(git, 'x')))))),
  )
  await bob.must('POST', '/repos/migrate', { ...wanted, repo_name: 'old' })
  assert.equal((await bob.get('/repos/bob/old/branches/old')).status, 200)
})
