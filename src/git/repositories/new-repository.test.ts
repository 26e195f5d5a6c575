import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { newGitKey } from '../git-key.ts'
import type { FirstCommit, ObjectFormat } from '../git.ts'
import { client, someone, startTestGit } from '../git.test-support.ts'

const first: FirstCommit = {
  files: [
    { name: 'README.md', content: Buffer.from('# hello\n') },
    { name: '.gitignore', content: Buffer.from('build\n') },
    { name: 'COPY.md', content: Buffer.from('# hello\n') },
    { name: 'größe', content: Buffer.alloc(0) },
  ],
  author: someone,
  committer: someone,
  message: 'Begin',
}

for (const objectFormat of ['sha1', 'sha256'] satisfies ObjectFormat[]) {
  test(`git new repositories: one of ${objectFormat} is what git itself makes, without a process`, async () => {
    const commands: string[] = []
    await using test = await startTestGit({ onCommand: ({ name }) => commands.push(name), durable: true })
    const { git, root } = test
    commands.length = 0
    const [empty, filled] = [newGitKey(), newGitKey()]
    const none = await git.create(empty, { defaultBranch: 'trunk/one', objectFormat })
    const made = await git.create(filled, { objectFormat, first })
    assert.equal(none.first, undefined)
    // Reading the new repository needs no process either.
    assert.equal(await git.readRef(filled, 'refs/heads/main'), made.first)
    const tree = await git.listTreeRecursive(filled, made.first!, { sizes: true })
    assert.deepEqual(
      tree.entries.map(({ path, sizeBytes }) => [path, sizeBytes]),
      [
        ['.gitignore', 6],
        ['COPY.md', 8],
        ['README.md', 8],
        ['größe', 0],
      ],
    )
    assert.deepEqual(commands, [])
    assert.equal(none.sizeBytes, await git.sizeBytes(empty))
    assert.equal(made.sizeBytes, await git.sizeBytes(filled))

    const pathOf = (key: string): string => join(root, key.slice(0, 2), `${key}.git`)
    const reference = await test.folder('reference')
    await client(reference, 'init', '-q', '--bare', '--template=', `--object-format=${objectFormat}`, '-b', 'main', '.')
    const settings = async (folder: string) => (await client(folder, 'config', '--local', '--list')).stdout
    assert.equal(await settings(pathOf(filled)), await settings(reference))
    assert.equal((await client(pathOf(empty), 'symbolic-ref', 'HEAD')).stdout.trim(), 'refs/heads/trunk/one')
    const checked = await client(pathOf(filled), 'fsck', '--strict', '--full')
    assert.deepEqual([checked.exitCode, checked.stdout], [0, ''], checked.stderr)
    assert.equal((await git.readCommit(filled, made.first!)).message, 'Begin\n')
    assert.equal((await client(pathOf(filled), 'show', 'HEAD:COPY.md')).stdout, '# hello\n')
  })
}

test('git new repositories: one of two concurrent creations succeeds, and the other leaves nothing', async () => {
  await using test = await startTestGit()
  const { git, root } = test
  const key = newGitKey()
  const outcomes = await Promise.allSettled([git.create(key, { first }), git.create(key, { first })])
  const refused = outcomes.filter((each) => each.status === 'rejected')
  assert.deepEqual(
    refused.map(({ reason }) => (reason as Error).name),
    ['Conflict'],
  )
  const other = newGitKey()
  for (const name of ['a/b', '.git', '..', 'GIT~1', 'a\0b']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await assert.rejects(git.create(other, { first: { ...first, files: [{ name, content: Buffer.from('x') }] } }), {
      name: 'Invalid',
    })
  }
  await assert.rejects(git.create(other, { defaultBranch: '../x' }), { name: 'Invalid' })
  assert.equal(await git.exists(other), false)
  assert.deepEqual(await readdir(join(root, key.slice(0, 2))), [`${key}.git`])
})
