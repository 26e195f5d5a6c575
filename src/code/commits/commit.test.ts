import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Clone } from '../../testing/clone.ts'
import { startForge } from '../../testing/forge.ts'
import { SshFolder } from '../../testing/ssh.ts'

test('repoGetAllCommits, repoCompareDiff: cached answers never show former accounts, keys or names', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using folder = new SshFolder(forge)
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const key = await folder.newKey()
  const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key.file}`]
  const commit = ['commit', '-q', '-S', '--allow-empty', '-m', 'Signed', '--author=Bob <second@example.com>']
  await clone.must('tag', 'before')
  await clone.must(...signing, ...commit)
  await clone.must('push', '-q', 'origin', 'HEAD', 'before')

  let { api } = repo
  const seen = async () => {
    const listed = (await forge.as('alice').must('GET', `${api}/commits?limit=1`)).json[0]
    const { json } = await forge.as('alice').must('GET', `${api}/compare/before...main`)
    assert.deepEqual({ ...json.commits[0], stats: null }, { ...listed, stats: null })
    const { verified } = listed.commit.verification
    return { author: listed.author?.login, by: listed.committer?.full_name, verified, url: listed.url }
  }
  const first = await seen()
  assert.deepEqual([first.author, first.by, first.verified], [undefined, '', false])

  const { json: added } = await forge.as('alice').must('POST', '/user/keys', { title: 'k', key: key.content })
  assert.equal((await seen()).verified, true)
  await forge.as('alice').must('DELETE', `/user/keys/${added.id}`)
  assert.equal((await seen()).verified, false)

  await forge.as('alice').must('PATCH', '/user/settings', { full_name: 'Alice the First' })
  assert.equal((await seen()).by, 'Alice the First')
  await forge.as('root').must('PATCH', '/admin/users/bob', { email: 'second@example.com' })
  assert.equal((await seen()).author, 'bob')

  await forge.as('alice').must('PATCH', api, { name: 'renamed' })
  api = '/repos/alice/renamed'
  assert.equal((await seen()).url, first.url.replace(`/${repo.name}/`, '/renamed/'))
})
