import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startForge, testPassword } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { base64 } from '../../testing/samples.ts'

const modules = (url: string, more = '', name = 'a'): string =>
  `[submodule "${name}"]\n\tpath = a\n\turl = ${url}\n${more}`

const refused: readonly string[] = [
  modules('-x'),
  modules('"-u./payload"'),
  modules('https://example.com/%0ahost=x'),
  modules('../../%0a/x'),
  modules('../../../:x'),
  modules('.././/example.com/x'),
  modules('https:///example.com/x'),
  modules('https::https:///x'),
  modules('https://example.com/x', '\tpath = -x\n'),
  modules('https://example.com/x', '\tupdate = !touch x\n'),
  modules('https://example.com/x', '', '../x'),
  modules('https://example.com/x', '', 'a/../../x'),
  modules('https://example.com/x', '', 'a\\\\..\\\\x'),
]

const accepted: readonly string[] = [
  modules('https://example.com/x'),
  modules('../x.git'),
  modules('./x'),
  modules('../../x/..'),
  modules('git@example.com:x/y.git'),
  modules('ssh://git@example.com/x'),
  modules('https://example.com/a%20b', '\tupdate = rebase\n\tbranch = -x\n'),
  modules('x', '', 'a..b'),
  '[submodule "a"\n\turl = -x\n',
  '',
]

test('repoCreateFile, repoChangeFiles, repoApplyDiffPatch: a .gitmodules file is accepted exactly when a push of it is accepted', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', files: { there: 'x' } })
  const alice = forge.as('alice')
  const folder = mkdtempSync(join(tmpdir(), 'ingot-modules-'))
  const remote = new URL(`${forge.url}/${repo.fullName}.git`)
  Object.assign(remote, { username: 'alice', password: testPassword })
  try {
    const git = async (args: readonly string[], input?: string) =>
      runProgram('git', ['-C', folder, ...args], input === undefined ? {} : { input })
    await git(['init', '-q', '--bare'])
    const found: string[] = []
    for (const [index, text] of [...refused, ...accepted].entries()) {
      const blob = (await git(['hash-object', '-w', '--stdin'], text)).out.trim()
      const tree = (await git(['mktree'], `100644 blob ${blob}\t.gitmodules\n`)).out.trim()
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
      const commit = (await git([...who, 'commit-tree', '-m', 'modules', tree])).out.trim()
      const isPushed = (await git(['push', remote.href, `${commit}:refs/heads/push-${index}`])).code === 0
      const content = base64(text)
      const created = await alice.post(`${repo.api}/contents/.gitmodules`, { content, new_branch: `one-${index}` })
      const files = [{ operation: 'create', path: 'deep/.gitmodules', content }]
      const changed = await alice.post(`${repo.api}/contents`, { files, new_branch: `more-${index}` })
      const isRefused = index < refused.length
      const wanted = isRefused ? [false, 422, 422] : [true, 201, 201]
      const got = [isPushed, created.status, changed.status]
      if (got.join() !== wanted.join()) found.push(`${JSON.stringify(text)}: ${got.join()}`)
    }
    assert.deepEqual(found, [])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const content =
    'diff --git a/.gitmodules b/.gitmodules\nnew file mode 100644\n--- /dev/null\n+++ b/.gitmodules\n@@ -0,0 +1,2 @@\n+[submodule "a"]\n+\turl = -x\n'
  assert.equal((await alice.post(`${repo.api}/diffpatch`, { content, new_branch: 'patch' })).status, 422)
  const link = content.replace('100644', '120000')
  assert.equal((await alice.post(`${repo.api}/diffpatch`, { content: link, new_branch: 'link' })).status, 422)
})
