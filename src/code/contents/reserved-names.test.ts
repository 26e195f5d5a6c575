import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDisguisedGitModules, isDotGit } from '../../git/objects/dot-git.ts'
import { startForge, testPassword } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'

/** Names that HFS+ or NTFS reads as `.git`. */
const dotGits = [
  '.git',
  '.GIT',
  '.g\u200cit',
  '.\ufeffgIt\u206f',
  '.git.',
  '.git . .',
  '.git::$INDEX_ALLOCATION',
  'git~1',
  'GIT~1 ',
  'a\\.git',
]

/** Names that HFS+ or NTFS reads as `.gitmodules`. */
const modules = ['.g\u200citmodules', '.gitmodules.', '.GITMODULES', 'gitmod~1', 'gi7eba~1', 'GI7EB~12']

/** Similar names that no file system confuses. */
const harmless = [
  '.github',
  '.gitignore',
  '.gitx',
  'git',
  'git~2',
  'x.git',
  '.git-blame',
  'gitmod~5',
  'g\u200cit',
  'git.',
]

test('names that file systems read as git files are recognized, similar ones are not', () => {
  for (const name of dotGits) assert.ok(isDotGit(name), JSON.stringify(name))
  for (const name of modules) assert.ok(isDisguisedGitModules(name), JSON.stringify(name))
  for (const name of [...harmless, '.gitmodules']) {
    assert.ok(!isDotGit(name) && !isDisguisedGitModules(name), JSON.stringify(name))
  }
})

test('repoCreateFile, repoChangeFiles, repoUpdateFile, repoApplyDiffPatch: a path that a file system reads as .git is refused', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents/there`, { content: '' })
  const { sha } = (await alice.must('GET', `${repo.api}/contents/there`)).json
  for (const name of [...dotGits, ...modules]) {
    const path = `${name}/config`
    const inUrl = `${repo.api}/contents/${encodeURIComponent(name)}/config`
    const label = JSON.stringify(name)
    assert.equal((await alice.post(inUrl, { content: '' })).status, 422, label)
    assert.equal((await alice.put(inUrl, { content: '', sha, from_path: 'there' })).status, 422, label)
    const files = [{ operation: 'create', path, content: '' }]
    assert.equal((await alice.post(`${repo.api}/contents`, { files })).status, 422, label)
  }
  for (const name of dotGits.filter((each) => !each.includes('\\'))) {
    const path = `${name}/config`
    const content = `diff --git "a/${path}" "b/${path}"\nnew file mode 100644\n--- /dev/null\n+++ "b/${path}"\n@@ -0,0 +1 @@\n+x\n`
    const patched = await alice.post(`${repo.api}/diffpatch`, { content, sha })
    assert.equal(patched.status, 422, JSON.stringify(name))
  }
  for (const name of harmless) {
    assert.equal(
      (await alice.post(`${repo.api}/contents/${encodeURIComponent(name)}`, { content: '' })).status,
      201,
      name,
    )
  }
})

test('a push of a tree with a name that a file system reads as .git is refused for code and wiki', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', files: { there: 'x' } })
  await forge.as('alice').must('POST', `${repo.api}/wiki/new`, { title: 'Home', content_base64: '' })
  const folder = mkdtempSync(join(tmpdir(), 'ingot-names-'))
  try {
    const git = async (args: readonly string[], input?: string) =>
      runProgram('git', ['-C', folder, ...args], input === undefined ? {} : { input })
    await git(['init', '-q', '--bare'])
    const blob = (await git(['hash-object', '-w', '--stdin'], 'x')).out.trim()
    for (const name of dotGits) {
      const tree = (await git(['mktree', '-z'], `100644 blob ${blob}\t${name}\0`)).out.trim()
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
      const commit = (await git([...who, 'commit-tree', '-m', 'names', tree])).out.trim()
      for (const address of [repo.fullName, `${repo.fullName}.wiki`]) {
        const remote = new URL(`${forge.url}/${address}.git`)
        Object.assign(remote, { username: 'alice', password: testPassword })
        const pushed = await git(['push', remote.href, `${commit}:refs/heads/names`])
        assert.notEqual(pushed.code, 0, `${JSON.stringify(name)} was pushed to ${address}`)
        assert.match(pushed.err, /hasDotgit|contains '\.git'/, JSON.stringify(name))
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
