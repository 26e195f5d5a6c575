import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitFiles as commitTogether, TestRunner, workflow } from '../src/actions/actions.test-support.ts'
import { cacheCalls } from '../src/actions/caches/caches.test-support.ts'
import { isBytes } from '../src/http/operation.ts'
import { Clone } from '../src/testing/clone.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { commitFiles, givenPull } from '../src/testing/given-pull.ts'
import { base64 } from '../src/testing/samples.ts'
import { keyOf } from './belongings.ts'

/** Parameters that choose a part, an order or a form of an answer and filter nothing. */
const notFilters = new Set(['page', 'limit', 'per_page', 'cursor', 'sort', 'order', 'order_by', 'wait', 'from'])

/** An address, whose query holds what the operation demands, and the value of each filter that must change its answer. */
interface Tried {
  readonly path: string
  readonly filters: Readonly<Record<string, string>>
}

const past = '2001-01-01T00:00:00Z'
const future = '2999-01-01T00:00:00Z'
const since = { since: future, before: past }
const tool = '/repos/alice/tool'
const threads = { all: 'true', 'status-types': 'pinned', 'subject-type': 'commit', ...since }
const day = { date: '2001-01-01' }
const marks = { verification: 'false', files: 'false' }
const failed = { state: 'failed' }
const labels = { labels: 'ubuntu-latest' }

/** What each filter of each operation is tried with, by the ids of operations. A name in braces is a value of the world. */
const tried: Readonly<Record<string, Tried>> = {
  userSearch: { path: '/users/search', filters: { q: 'bo', uid: '{bob}' } },
  userCurrentListKeys: { path: '/user/keys', filters: { fingerprint: 'SHA256:nothing' } },
  userListKeys: { path: '/users/alice/keys', filters: { fingerprint: 'SHA256:nothing' } },
  teamSearch: {
    path: '/orgs/guild/teams/search',
    filters: { q: 'smiths', include_desc: '?q=heavy&include_desc=false' },
  },
  repoSearch: {
    path: '/repos/search',
    filters: {
      q: 'mould',
      topic: '?q=tool&topic=true',
      includeDesc: '?q=described&includeDesc=true',
      uid: '{bob}',
      priority_owner_id: '{bob}',
      team_id: '{team}',
      starredBy: '{bob}',
      private: 'false',
      is_private: 'true',
      template: 'true',
      archived: 'true',
      mode: 'fork',
      exclusive: '?uid={alice}&exclusive=true',
    },
  },
  repoListKeys: { path: `${tool}/keys`, filters: { key_id: '999', fingerprint: 'SHA256:nothing' } },
  topicSearch: { path: '/topics/search', filters: { q: 'blue' } },
  repoListStatuses: { path: `${tool}/statuses/main`, filters: { state: 'success' } },
  repoListStatusesByRef: { path: `${tool}/commits/main/statuses`, filters: { state: 'success' } },
  repoGetEditorConfig: { path: `${tool}/editorconfig/a.ts`, filters: { ref: 'side' } },
  repoGetNote: { path: `${tool}/git/notes/main`, filters: marks },
  repoGetRawFile: { path: `${tool}/raw/README.md`, filters: { ref: 'side' } },
  repoGetRawFileOrLFS: { path: `${tool}/media/README.md`, filters: { ref: 'side' } },
  repoCompareDiff: { path: `${tool}/compare/main...side`, filters: marks },
  repoGetAllCommits: {
    path: `${tool}/commits`,
    filters: { sha: 'side', path: 'README.md', not: 'side', stat: 'false', ...marks },
  },
  repoGetSingleCommit: { path: `${tool}/git/commits/main`, filters: { stat: 'false', ...marks } },
  repoGetContents: { path: `${tool}/contents/README.md`, filters: { ref: 'side' } },
  repoGetContentsList: { path: `${tool}/contents`, filters: { ref: 'side' } },
  getTree: { path: `${tool}/git/trees/main`, filters: { recursive: 'true' } },
  issueGetComments: { path: `${tool}/issues/1/comments`, filters: since },
  issueGetRepoComments: { path: `${tool}/issues/comments`, filters: since },
  issueGetCommentsAndTimeline: { path: `${tool}/issues/1/timeline`, filters: since },
  issueListIssues: {
    path: `${tool}/issues`,
    filters: {
      state: 'closed',
      labels: 'bug',
      q: 'hammer',
      type: 'pulls',
      milestones: 'first',
      ...since,
      created_by: 'bob',
      assigned_by: 'bob',
      mentioned_by: 'carol',
    },
  },
  issueSearchIssues: {
    path: '/repos/issues/search',
    filters: {
      state: 'closed',
      labels: 'bug',
      milestones: 'first',
      q: 'hammer',
      type: 'pulls',
      ...since,
      assigned: 'true',
      created: 'true',
      mentioned: 'true',
      review_requested: 'true',
      reviewed: 'true',
      owner: 'guild',
      team: '?owner=guild&team=smiths',
    },
  },
  repoListViewIssues: { path: `${tool}/views/{repoView}/issues`, filters: { column: 'closed' } },
  orgListViewIssues: { path: '/orgs/guild/views/{orgView}/issues', filters: { column: 'closed' } },
  userListViewIssues: { path: '/user/views/{userView}/issues', filters: { column: 'closed' } },
  issueGetMilestonesList: { path: `${tool}/milestones`, filters: { state: 'closed', name: 'fir' } },
  issueTrackedTimes: { path: `${tool}/issues/1/times`, filters: { user: 'bob', ...since } },
  repoTrackedTimes: { path: `${tool}/times`, filters: { user: 'bob', ...since } },
  userCurrentTrackedTimes: { path: '/user/times', filters: since },
  repoDownloadPullDiffOrPatch: { path: `${tool}/pulls/{pull}.diff`, filters: { binary: 'true' } },
  repoGetPullRequestCommits: { path: `${tool}/pulls/{pull}/commits`, filters: marks },
  repoGetPullRequestFiles: {
    path: `${tool}/pulls/{pull}/files`,
    filters: { 'skip-to': 'spaced.txt', whitespace: 'ignore-all' },
  },
  repoListPullRequests: {
    path: `${tool}/pulls`,
    filters: { state: 'closed', milestone: '{milestone}', labels: '{label}', poster: 'alice' },
  },
  repoListReleases: { path: `${tool}/releases`, filters: { draft: 'true', 'pre-release': 'true', q: 'steel' } },
  listPackages: { path: '/packages/alice', filters: { type: 'npm', q: 'anvil' } },
  orgCheckQuota: { path: '/orgs/guild/quota/check?subject=size:all', filters: { subject: 'size:wiki' } },
  userCheckQuota: { path: '/user/quota/check?subject=size:all', filters: { subject: 'size:wiki' } },
  adminSearchRunJobs: { path: '/admin/runners/jobs', filters: labels },
  orgSearchRunJobs: { path: '/orgs/guild/actions/runners/jobs', filters: labels },
  repoSearchRunJobs: { path: `${tool}/actions/runners/jobs`, filters: labels },
  userSearchRunJobs: { path: '/user/actions/runners/jobs', filters: labels },
  listActionRuns: {
    path: `${tool}/actions/runs`,
    filters: { event: 'schedule', status: 'success', run_number: '999', head_sha: '0'.repeat(40) },
  },
  userListWorkflowRuns: { path: '/user/actions/runs', filters: { event: 'schedule', status: 'success' } },
  orgListWorkflowRuns: { path: '/orgs/guild/actions/runs', filters: { event: 'schedule', status: 'success' } },
  adminListWorkflowRuns: { path: '/admin/actions/runs', filters: { event: 'schedule', status: 'success' } },
  userListWorkflowJobs: { path: '/user/actions/jobs', filters: { status: 'success' } },
  orgListWorkflowJobs: { path: '/orgs/guild/actions/jobs', filters: { status: 'success' } },
  adminListWorkflowJobs: { path: '/admin/actions/jobs', filters: { status: 'success' } },
  listDeployments: { path: `${tool}/deployments`, filters: { environment: 'nothing', sha: '0'.repeat(40) } },
  listRepoArtifacts: { path: `${tool}/actions/artifacts`, filters: { name: 'nothing' } },
  listArtifactsOfRun: { path: `${tool}/actions/runs/{run}/artifacts`, filters: { name: 'nothing' } },
  listRepoCaches: { path: `${tool}/actions/caches`, filters: { key: 'nothing' } },
  adminReadEvents: {
    path: '/admin/events/log?after=0',
    filters: { after: '30', name: 'issue.opened', repo_id: '{forge}', owner_id: '{bob}' },
  },
  adminListJobs: { path: '/admin/jobs', filters: failed },
  adminSearchEmails: { path: '/admin/emails/search', filters: { q: 'bob' } },
  adminSearchUsers: { path: '/admin/users', filters: { source_id: '999', login_name: 'bob' } },
  adminUnadoptedList: { path: '/admin/unadopted', filters: { query: 'alice/l*' } },
  adminReadAuditLog: {
    path: '/admin/audit',
    filters: {
      before: '2',
      action: 'token.created',
      outcome: 'refused',
      actor: 'bob',
      address: '192.0.2.1',
      object_kind: 'org',
      object_id: '999',
      since: future,
      until: past,
    },
  },
  orgListActivityFeeds: { path: '/orgs/guild/activities/feeds', filters: day },
  orgListTeamActivityFeeds: { path: '/teams/{team}/activities/feeds', filters: day },
  repoListActivityFeeds: { path: `${tool}/activities/feeds`, filters: day },
  userListActivityFeeds: { path: '/users/alice/activities/feeds', filters: { 'only-performed-by': 'true', ...day } },
  listEvents: {
    path: '/events?after=oldest',
    filters: { after: '{cursor}', kind: 'issue.opened', repo: 'guild/forge', owner: 'bob' },
  },
  orgListEvents: { path: '/orgs/guild/events?after=oldest', filters: { after: '{cursor}', kind: 'issue.closed' } },
  repoListEvents: { path: `${tool}/events?after=oldest`, filters: { after: '{cursor}', kind: 'issue.closed' } },
  notifyGetList: { path: '/notifications', filters: threads },
  notifyGetRepoList: { path: `${tool}/notifications`, filters: threads },
  adminListHookDeliveries: { path: '/admin/hooks/{adminHook}/deliveries', filters: failed },
  orgListHookDeliveries: { path: '/orgs/guild/hooks/{orgHook}/deliveries', filters: failed },
  repoListHookDeliveries: { path: `${tool}/hooks/{repoHook}/deliveries`, filters: failed },
  userListHookDeliveries: { path: '/user/hooks/{userHook}/deliveries', filters: failed },
}

/** Parameters that filter nothing, as `operation parameter`. */
const elsewhere: Readonly<Record<string, string>> = {
  'previewPackageCleanupRule after': 'it continues a list',
  'adminUnadoptedList pattern': 'the contract gives it no effect',
  'issueSearchIssues priority_repo_id': 'the contract gives it no effect',
}

async function makeWorld(forge: Forge): Promise<Readonly<Record<string, string | number>>> {
  const [alice, bob, root] = ['alice', 'bob', 'root'].map((name) => forge.as(name))
  assert.ok(alice && bob && root)
  const idOf = async (login: string) => Number((await root.get(`/users/${login}`)).json.id)
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  await alice.must('PATCH', tool, { description: 'a described thing' })
  await alice.must('PUT', `${tool}/topics`, { topics: ['red', 'blue'] })
  await forge.given.repo({ owner: 'alice', name: 'hidden', private: true })
  await forge.given.repo({ owner: 'alice', name: 'mould', template: true })
  await forge.given.repo({ owner: 'alice', name: 'old' })
  await alice.must('PATCH', '/repos/alice/old', { archived: true })
  await bob.must('POST', `${tool}/forks`, {})
  await bob.must('PUT', '/user/starred/alice/tool')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const team = await alice.must('POST', '/orgs/guild/teams', {
    name: 'smiths',
    description: 'heavy work',
    permission: 'read',
    units: ['repo.code', 'repo.issues'],
  })
  const made = await alice.must('POST', '/orgs/guild/repos', { name: 'forge', auto_init: true })
  await alice.must('PUT', `/teams/${team.json.id}/members/alice`)
  await alice.must('PUT', `/teams/${team.json.id}/repos/guild/forge`)
  await alice.must('POST', '/orgs/guild/repos', { name: 'cellar', auto_init: true })
  await alice.must('POST', '/repos/guild/cellar/issues', { title: 'of no team' })
  await alice.must('PUT', `${tool}/collaborators/bob`, { permission: 'write' })
  await alice.must('POST', '/user/keys', { title: 'mine', key: keyOf('alice', 1) })
  await alice.must('POST', `${tool}/keys`, { title: 'theirs', key: keyOf('alice', 2), read_only: true })

  const config = { url: 'http://127.0.0.1:9/', content_type: 'json' }
  const hooks = await Promise.all(
    ['/admin', '/orgs/guild', tool, '/user'].map(async (base) => {
      const { json } = await (base === '/admin' ? root : alice).must('POST', `${base}/hooks`, {
        type: 'forgejo',
        config: base === '/admin' ? { ...config, is_system_webhook: 'true' } : config,
        events: ['issues', 'push'],
        active: true,
      })
      return Number(json.id)
    }),
  )

  await alice.must('POST', `${tool}/issues`, { title: 'plain' })
  const label = (await alice.must('POST', `${tool}/labels`, { name: 'bug', color: '#ff0000' })).json.id
  const milestone = (await alice.must('POST', `${tool}/milestones`, { title: 'first' })).json.id
  await alice.must('POST', `${tool}/milestones`, { title: 'last', state: 'closed' })
  await bob.must('POST', `${tool}/issues`, {
    title: 'hammer',
    body: 'for @carol and @alice',
    labels: [label],
    milestone,
    assignees: ['bob', 'alice'],
  })
  await alice.must('POST', `${tool}/issues`, { title: 'done', closed: true })
  await alice.must('POST', '/repos/guild/forge/issues', { title: 'of the guild' })
  await bob.must('POST', `${tool}/issues/1/comments`, { body: 'a remark' })
  await alice.must('POST', `${tool}/issues/1/times`, { time: 60 })
  await bob.must('POST', `${tool}/issues/1/times`, { time: 60 })

  await commitTogether(forge, tool, {
    'spaced.txt': 'one\ntwo\n',
    '.editorconfig': 'root = true\n[*]\nindent_size = 2\n',
    '.forgejo/workflows/a.yml': workflow(
      'push',
      'build: { runs-on: ubuntu-latest, environment: test, steps: [{ run: x }] }',
    ),
  })
  await commitFiles(forge, repo, 'side', {
    '.editorconfig': 'root = true\n[*]\nindent_size = 4\n',
    'README.md': 'side',
  })
  await commitTogether(forge, '/repos/guild/forge', { '.forgejo/workflows/a.yml': workflow('push') })
  const pull = await givenPull(forge, { repo, poster: 'bob' })
  await bob.must('POST', `${tool}/pulls/${pull.number}/requested_reviewers`, { reviewers: ['alice'] })
  const second = await givenPull(forge, { repo, poster: 'bob' })
  await alice.must('POST', `${tool}/pulls/${second.number}/reviews`, { event: 'COMMENT', body: 'seen' })
  const mine = await givenPull(forge, { repo, poster: 'alice' })
  await alice.must('PATCH', `${tool}/issues/${mine.number}`, { milestone })
  await alice.must('POST', `${tool}/issues/${mine.number}/labels`, { labels: [label] })
  await commitTogether(forge, tool, { 'picture.bin': '\0\u0001\u0002' }, { branch: pull.branch, as: 'bob' })
  const spaced = (await bob.must('GET', `${tool}/contents/spaced.txt?ref=${pull.branch}`)).json.sha
  await bob.must('PUT', `${tool}/contents/spaced.txt`, {
    content: base64('one  \ntwo\n'),
    sha: spaced,
    branch: pull.branch,
    message: 'spaces',
  })

  const head = (await alice.must('GET', `${tool}/branches/main`)).json.commit.id
  for (const state of ['success', 'failure']) {
    await alice.must('POST', `${tool}/statuses/${head}`, { state, context: state })
  }
  await alice.must('POST', `${tool}/git/notes/${head}`, { message: 'noted' })
  for (const [tag, more] of Object.entries({ steel: {}, wood: { prerelease: true }, clay: { draft: true } })) {
    await alice.must('POST', `${tool}/releases`, { tag_name: tag, name: tag, ...more })
  }
  for (const name of ['anvil', 'tongs']) {
    await alice.must('PUT', `/api/packages/alice/generic/${name}/1/file`, 'x', { site: true })
  }
  using clone = await Clone.begin('alice', 'trunk')
  await clone.commit('a.txt')
  for (const name of ['lost', 'other']) {
    const folder = join(forge.services.config.paths.repositories, 'alice', `${name}.git`)
    await clone.must('clone', '-q', '--bare', clone.path, folder)
  }
  await forge.settle()
  const [thread] = (await alice.must('GET', '/notifications')).json
  await alice.must('PATCH', `/notifications/threads/${thread.id}`)
  const { cursor } = (await alice.must('GET', '/events?limit=50&after=oldest')).json
  const runner = await TestRunner.register(forge, `${tool}/actions/runners`)
  const task = await runner.must()
  assert.ok(await cacheCalls(forge, task).save('a', 'abc'))
  const run = Number(task.context['run_id'])
  const asJob = { site: true, headers: { authorization: `Bearer ${task.context.gitea_runtime_token}` } }
  const artifacts = '/twirp/github.actions.results.api.v1.ArtifactService'
  const about = { workflow_run_backend_id: String(run), workflow_job_run_backend_id: '1', name: 'bundle' }
  const { json: begun } = await alice.must('POST', `${artifacts}/CreateArtifact`, { ...about, version: 4 }, asJob)
  await forge.guest.must('PUT', begun.signedUploadUrl.slice(forge.url.length), undefined, { site: true, raw: 'abc' })
  await alice.must('POST', `${artifacts}/FinalizeArtifact`, { ...about, size: '3' }, asJob)
  const rules = [{ name: 'no-code', limit: 0, subjects: ['size:repos:all'] }]
  await root.must('POST', '/admin/quota/groups', { name: 'none', rules })
  for (const name of ['alice', 'guild']) await root.must('PUT', `/admin/quota/groups/none/users/${name}`)
  const views: number[] = []
  for (const holder of [tool, '/orgs/guild', '/user']) {
    views.push(
      (await alice.must('POST', `${holder}/views`, { title: 'v', layout: 'board', grouping: 'state' })).json.id,
    )
  }
  const [repoView, orgView, userView] = views as [number, number, number]
  const [adminHook, orgHook, repoHook, userHook] = hooks as [number, number, number, number]
  return {
    alice: await idOf('alice'),
    bob: await idOf('bob'),
    team: team.json.id,
    forge: made.json.id,
    label,
    milestone,
    pull: pull.number,
    cursor,
    run,
    repoView,
    orgView,
    userView,
    adminHook,
    orgHook,
    repoHook,
    userHook,
  }
}

test('each filter of each list changes the answer, and no filter is without a trial', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob', 'carol'],
    settings: { quota: { ENABLED: true }, webhook: { ALLOWED_HOST_LIST: 'loopback' } },
  })
  const world = await makeWorld(forge)
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(world[name]))
  const wrong: string[] = []
  let count = 0
  for (const operation of forge.services.operations()) {
    const isEndless = Object.values(operation.reply).some(
      (shape) => isBytes(shape) && shape.mediaTypes.includes('text/event-stream'),
    )
    if (operation.base !== 'api' || operation.method !== 'GET' || isEndless) continue
    const names = Object.keys(operation.query).filter(
      (name) => !notFilters.has(name) && !elsewhere[`${operation.id} ${name}`],
    )
    const list = tried[operation.id]
    for (const name of names) {
      const value = list?.filters[name]
      if (list === undefined || value === undefined) {
        wrong.push(`${operation.id}: ${name} is tried with no value`)
        continue
      }
      const client = forge.as(operation.path.startsWith('/admin') ? 'root' : 'alice')
      const address = new URL(filled(list.path), 'http://x')
      // Some filters mean something beside another one only.
      const beside = value.startsWith('?')
      const query = new URLSearchParams(beside ? filled(value) : `${name}=${encodeURIComponent(filled(value))}`)
      for (const [key, each] of query) if (beside && key !== name) address.searchParams.set(key, each)
      const plain = await client.get(address.pathname + address.search)
      for (const [key, each] of query) address.searchParams.set(key, each)
      const narrowed = await client.get(address.pathname + address.search)
      count += 1
      if (plain.status !== 200 || narrowed.status !== 200) {
        wrong.push(`${operation.id}: ${name}: ${plain.status}, ${narrowed.status} ${narrowed.text.slice(0, 120)}`)
      } else if (plain.text === narrowed.text) {
        wrong.push(`${operation.id}: ${name}=${value} changes nothing: ${plain.text.slice(0, 160)}`)
      }
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(count > 120, `${count} filters were tried`)
})
