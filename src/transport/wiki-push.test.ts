import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collaborator, givenPull } from '../testing/given-pull.ts'
import { examined } from '../testing/doctor.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'
import { runProgram } from '../testing/program.ts'
import { Clone } from '../testing/clone.ts'

const wikiUrl = (forge: Forge, name: string, repo: GivenRepo): Promise<string> =>
  forge.gitUrl(name, `${repo.fullName}.wiki`)

/** References of a wiki with their commits and HEAD, as a fetch sees them. */
async function refsOf(forge: Forge, repo: GivenRepo): Promise<Record<string, string> | undefined> {
  const listed = await runProgram('git', ['ls-remote', await wikiUrl(forge, repo.owner, repo)])
  if (listed.code !== 0) return undefined
  const lines = listed.out.trim().split('\n').filter(Boolean)
  return Object.fromEntries(lines.map((line) => line.split('\t').toReversed()))
}

test('git over HTTP: a wiki accepts pushes only of callers with write access', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'reader'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/reader`, { permission: 'read' })
  using pages = await Clone.begin('alice', 'main')
  const first = await pages.commit('Home.md')
  for (const name of ['bob', 'reader']) {
    const refused = await pages.git('push', await wikiUrl(forge, name, repo), 'main')
    assert.match(refused.err, /403/, name)
  }
  assert.match(
    (await pages.git('push', `${forge.url}/${repo.fullName}.wiki.git`, 'main')).err,
    /could not read|terminal|401/i,
  )
  assert.equal(await refsOf(forge, repo), undefined, 'nothing was made')
  await forge.as('alice').must('PATCH', repo.api, { has_wiki: false })
  assert.match((await pages.git('push', await wikiUrl(forge, 'alice', repo), 'main')).err, /not found/)
  await forge.as('alice').must('PATCH', repo.api, { has_wiki: true })

  const pushed = await pages.git('push', await wikiUrl(forge, 'alice', repo), 'main')
  assert.equal(pushed.code, 0, pushed.err)
  assert.doesNotMatch(pushed.err, /pull request/)
  assert.deepEqual(await refsOf(forge, repo), { HEAD: first, 'refs/heads/main': first })
  const deletion = await pages.git('push', await wikiUrl(forge, 'alice', repo), ':main')
  assert.match(deletion.err, /the default branch cannot be deleted/)
  const behind = await pages.git('push', await wikiUrl(forge, 'alice', repo), `+${first}:refs/pull/1/head`)
  assert.match(behind.err, /pull requests cannot be pushed|hidden/)
  await forge.settle()
  assert.deepEqual(await examined(forge.services, { only: ['references'] }), [])
})

test('git over HTTP: the first push to a wiki sets its branch when it lacks the configured one', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using pages = await Clone.begin('alice', 'pages')
  const first = await pages.commit('Home.md')
  await pages.must('push', '-q', await wikiUrl(forge, 'alice', repo), 'pages')
  assert.deepEqual(await refsOf(forge, repo), { HEAD: first, 'refs/heads/pages': first })
  assert.equal((await forge.as('alice').get(repo.api)).json.wiki_branch, 'pages')
  await pages.must('push', '-q', await wikiUrl(forge, 'alice', repo), 'pages:other')
  assert.equal((await forge.as('alice').get(repo.api)).json.wiki_branch, 'pages')
  await forge.as('alice').must('PATCH', repo.api, { wiki_branch: 'renamed' })
  assert.deepEqual(await refsOf(forge, repo), { HEAD: first, 'refs/heads/other': first, 'refs/heads/renamed': first })
})

test('git over HTTP: two concurrent first pushes arrive in one wiki', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using pages = await Clone.begin('alice', 'main')
  const first = await pages.commit('Home.md')
  const url = await wikiUrl(forge, 'alice', repo)
  await Promise.all(['one', 'two', 'three'].map((branch) => pages.must('push', '-q', url, `main:${branch}`)))
  const refs = await refsOf(forge, repo)
  assert.deepEqual(
    [refs?.['refs/heads/one'], refs?.['refs/heads/two'], refs?.['refs/heads/three']],
    [first, first, first],
  )
})

test('git over HTTP: a push to a wiki does not affect branches, protections and pull requests of the code', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const pull = await givenPull(forge, { repo })
  await collaborator(forge, repo, 'bob')
  const issue = await forge.given.issue({ repo })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: pull.branch })
  const before = (await alice.must('GET', `${repo.api}/branches`)).json
  await forge.settle()
  using pages = await Clone.begin('alice', pull.branch)
  await pages.commit('Home.md')
  await pages.must('commit', '-q', '--allow-empty', '-m', `fixes #${issue.number}`)
  const url = await wikiUrl(forge, 'bob', repo)
  await pages.must('push', '-q', url, `${pull.branch}:main`, pull.branch)
  await pages.must('commit', '-q', '--amend', '--allow-empty', '-m', 'rewritten')
  await pages.must('push', '-q', '--force', url, pull.branch)
  await pages.must('push', '-q', url, `:${pull.branch}`)
  await forge.settle()
  assert.deepEqual((await alice.must('GET', `${repo.api}/branches`)).json, before)
  const shown = (await alice.must('GET', pull.api)).json
  assert.deepEqual([shown.state, shown.head.sha, shown.mergeable], ['open', pull.head, true])
  assert.equal((await alice.must('GET', issue.api)).json.state, 'open')
  const found = await alice.must('GET', repo.api)
  assert.equal(found.json.empty, false)
})
