import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'

test('repoEdit: strangers, writers and guests are refused before the body is checked', async () => {
  await using forge = await startForge({ users: ['writer', 'stranger'] })
  const repo = await forge.given.repo()
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/writer`, { permission: 'write' })
  const patch = async (who: string) => (await forge.as(who).patch(repo.api, { name: 'a b' })).status
  assert.deepEqual([await patch('writer'), await patch('stranger'), await patch('alice')], [403, 403, 422])
  assert.equal((await forge.guest.patch(repo.api, {})).status, 401)
})

test('repoEdit: a renamed repository redirects with 301 until the name is taken, a change of case does not', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  await alice.must('POST', '/user/repos', { name: 'first' })
  await alice.must('POST', '/user/repos', { name: 'other' })
  assert.equal((await alice.patch('/repos/alice/first', { name: 'Other' })).status, 422)
  assert.equal((await alice.patch('/repos/alice/first', { name: 'FIRST' })).json.name, 'FIRST')
  assert.equal((await alice.patch('/repos/alice/first', { name: 'second' })).json.full_name, 'alice/second')
  const moved = await alice.get('/repos/alice/first?x=1')
  assert.deepEqual([moved.status, moved.headers.get('location')], [301, '/api/v1/repos/alice/second?x=1'])
  await alice.must('POST', '/user/repos', { name: 'first' })
  assert.equal((await alice.get('/repos/alice/first')).json.name, 'first')
})

test('repoEdit: an invalid edit changes nothing', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const reply = await alice.patch(repo.api, {
    description: 'new',
    has_issues: true,
    external_tracker: { external_tracker_url: 'nope' },
  })
  assert.equal(reply.status, 422)
  assert.equal((await alice.get(repo.api)).json.description, '')
})

test('repoEdit: switching units off and on loses pull request settings and keeps the tracker', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const patch = async (body: object) => (await forge.as('alice').must('PATCH', repo.api, body)).json
  assert.equal((await patch({ default_merge_style: 'squash' })).default_merge_style, 'squash')
  const off = await patch({ has_pull_requests: false, has_issues: false, has_wiki: false })
  assert.deepEqual([off.has_pull_requests, off.allow_merge_commits, off.default_merge_style], [false, false, 'merge'])
  assert.deepEqual([off.has_issues, off.internal_tracker, off.has_wiki], [false, undefined, false])
  const on = await patch({ has_pull_requests: true, has_issues: true, has_wiki: true })
  assert.deepEqual([on.default_merge_style, on.allow_merge_commits], ['merge', true])
  assert.equal(on.internal_tracker.enable_time_tracker, true)
  const external = await patch({
    external_tracker: {
      external_tracker_url: 'https://bugs.example.com',
      external_tracker_format: 'https://bugs.example.com/{index}',
    },
  })
  assert.deepEqual(
    [external.has_issues, external.internal_tracker, external.external_tracker.external_tracker_style],
    [true, undefined, 'numeric'],
  )
  const { external_tracker: kept } = await patch({ description: 'more' })
  assert.equal(kept.external_tracker_url, 'https://bugs.example.com', 'an edit without a tracker leaves the tracker')
  assert.equal(
    (await patch({ has_issues: true })).external_tracker,
    undefined,
    'has_issues alone sets the internal one',
  )
})

test('repoEdit: external trackers and wikis stay in the reply when the internal units are disabled, and the reverse', async () => {
  const elsewhere = {
    has_issues: true,
    external_tracker: { external_tracker_url: 'https://bugs.example.com' },
    has_wiki: true,
    external_wiki: { external_wiki_url: 'https://wiki.example.com' },
  }
  const edited = async (disabled: string) => {
    await using forge = await startForge({ settings: { repository: { DISABLED_REPO_UNITS: disabled } } })
    const { api } = await forge.given.repo()
    const alice = forge.as('alice')
    await alice.must('PATCH', api, elsewhere)
    const { json } = await alice.must('PATCH', api, { description: 'moved' })
    const { has_issues: hasIssues, has_wiki: hasWiki } = json
    return {
      hasIssues,
      hasWiki,
      tracker: json.external_tracker?.external_tracker_url,
      wiki: json.external_wiki?.external_wiki_url,
      isInternal: json.internal_tracker !== undefined,
    }
  }
  assert.deepEqual(await edited('repo.issues,repo.wiki'), {
    hasIssues: true,
    hasWiki: true,
    tracker: 'https://bugs.example.com',
    wiki: 'https://wiki.example.com',
    isInternal: false,
  })
  assert.deepEqual(await edited('repo.ext_issues,repo.ext_wiki'), {
    hasIssues: true,
    hasWiki: true,
    tracker: undefined,
    wiki: undefined,
    isInternal: true,
  })
})

test('repoEdit: forks follow the visibility of their base and cannot change it', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = `/repos/bob/${repo.name}`
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await forge.as('bob').get(fork)).json.private, true)
  assert.equal((await forge.as('bob').patch(fork, { private: false })).json.private, true)
})

test('repoEdit: archiving shows its time and can be undone', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const archived = (await alice.patch(repo.api, { archived: true })).json
  assert.equal(archived.archived, true)
  assert.notEqual(archived.archived_at, '1970-01-01T00:00:00Z')
  assert.deepEqual((await alice.patch(repo.api, { archived: false })).json.archived_at, '1970-01-01T00:00:00Z')
})

test('repoEdit: the default branch changes to an existing branch; an unknown one is ignored', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'dev' })
  assert.equal((await alice.patch(repo.api, { default_branch: 'dev' })).json.default_branch, 'dev')
  assert.equal((await alice.patch(repo.api, { default_branch: 'nothere' })).json.default_branch, 'dev')
  const row = await forge.services.db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  assert.equal((await forge.services.git.readHead(row.git_key)).branch, 'dev')
})
