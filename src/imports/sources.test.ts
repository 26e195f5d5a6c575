import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { Oid } from '../lib/ids.ts'
import type { Forge } from '../testing/forge.ts'
import { withServer } from '../testing/server.ts'
import { everything, inFrontOf, openForge } from './imports.test-support.ts'

/** Answers by path, as the public documentation of an API describes them; lists are given a page at a time. */
type Answers = Readonly<Record<string, unknown>>

const pageSize = 1

/** Plays an API: who asks without the token is refused, and lists of more than one page have `Link` headers. */
function play(base: string, answers: Answers, requests: string[]) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`)
    if (!url.pathname.startsWith(base)) return false
    response.setHeader('content-type', 'application/json')
    const path = url.pathname.slice(base.length)
    requests.push(path)
    if (request.headers.authorization !== 'Bearer secret') {
      response.writeHead(401).end('{"message":"Requires authentication"}')
      return true
    }
    const answer = answers[path]
    if (answer === undefined) response.writeHead(404).end('{"message":"Not Found"}')
    else if (!Array.isArray(answer)) response.end(JSON.stringify(answer))
    else {
      const page = Number(url.searchParams.get('page') ?? 1)
      if (page * pageSize < answer.length) {
        url.searchParams.set('page', String(page + 1))
        response.setHeader('link', `<${url.href}>; rel="next", <${url.href}>; rel="last"`)
      }
      response.end(JSON.stringify(answer.slice((page - 1) * pageSize, page * pageSize)))
    }
    return true
  }
}

/** A repository whose branch `topic` is one commit ahead. */
async function withTopic(source: Forge) {
  const repo = await source.given.repo()
  const alice = source.as('alice')
  await alice.must('POST', `${repo.api}/contents/a.txt`, {
    content: Buffer.from('a\n').toString('base64'),
    new_branch: 'topic',
    message: 'a',
  })
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'v1' })
  const head = (await alice.must('GET', `${repo.api}/branches/topic`)).json.commit.id as Oid
  const base = (await alice.must('GET', `${repo.api}/branches/main`)).json.commit.id as Oid
  const { git_key: key } = await source.services.db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  return { repo, head, base, key }
}

test('repoMigrate: an import from GitHub uses its REST API', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  const { repo, head, base, key } = await withTopic(source)
  // The branch of a fork is gone there; what GitHub keeps of it is this.
  await source.services.git.updateRefs(key, [{ ref: 'refs/pull/2/head', old: undefined, new: head }])
  await source.as('alice').must('DELETE', `${repo.api}/branches/topic`)
  const [octo, hubot] = [
    { id: 1, login: 'octocat' },
    { id: 2, login: 'hubot' },
  ]
  const at = (minute: number) => ({
    created_at: `2011-04-10T20:0${minute}:00Z`,
    updated_at: `2011-04-10T20:0${minute + 1}:00Z`,
  })
  const root = `/repos/${repo.fullName}`
  const issue = {
    user: octo,
    labels: [{ name: 'bug', color: 'f29513', description: 'wrong' }],
    locked: false,
    ...at(1),
  }
  const pullOnly = { pull_request: { url: 'x' }, number: 2, title: 'new-feature', state: 'closed' }
  const requests: string[] = []
  let home = ''
  const answers = (): Answers => ({
    '/user': octo,
    [root]: { description: 'mine', homepage: 'https://example.com', topics: ['octocat', 'atom'], archived: false },
    [`${root}/labels`]: [
      { name: 'bug', color: 'f29513', description: 'wrong' },
      { name: 'enhancement', color: 'a2eeef', description: null },
    ],
    [`${root}/milestones`]: [
      { title: 'v1.0', description: 'track', state: 'open', due_on: '2012-10-09T23:39:01Z', ...at(1) },
    ],
    [`${root}/releases`]: [
      {
        tag_name: 'v1',
        target_commitish: 'main',
        name: 'v1.0.0',
        body: 'of the release',
        draft: false,
        prerelease: false,
        published_at: '2013-02-27T19:35:32Z',
        author: hubot,
        assets: [{ name: 'example.zip', url: `${home}/api/v3${root}/releases/assets/1`, size: 5, download_count: 42 }],
      },
    ],
    [`${root}/issues`]: [
      {
        ...issue,
        number: 1,
        title: 'Found a bug',
        body: 'a problem',
        state: 'open',
        milestone: { title: 'v1.0' },
        assignees: [octo, hubot],
        reactions: { total_count: 1 },
      },
      { ...issue, ...pullOnly },
      {
        ...issue,
        number: 3,
        title: 'third',
        body: null,
        state: 'closed',
        closed_at: '2011-04-12T00:00:00Z',
        reactions: { total_count: 0 },
      },
    ],
    [`${root}/issues/1/reactions`]: [{ id: 1, user: hubot, content: 'heart' }],
    [`${root}/issues/comments`]: [
      {
        id: 7,
        issue_url: `${home}/api/v3${root}/issues/1`,
        user: hubot,
        body: 'Me too',
        ...at(2),
        reactions: { total_count: 0 },
      },
      {
        id: 8,
        issue_url: `${home}/api/v3${root}/issues/2`,
        user: octo,
        body: 'great',
        ...at(3),
        reactions: { total_count: 0 },
      },
    ],
    [`${root}/pulls`]: [
      {
        ...issue,
        ...pullOnly,
        merged_at: '2011-04-11T00:00:00Z',
        merge_commit_sha: base,
        closed_at: '2011-04-11T00:00:00Z',
        base: { ref: 'main', sha: base, repo: { id: 10 } },
        head: { ref: 'topic', sha: head, repo: { id: 11 } },
      },
    ],
    [`${root}/issues/2/reactions`]: [],
    [`${root}/pulls/2/reviews`]: [
      {
        id: 80,
        user: hubot,
        body: 'looks fine',
        commit_id: head,
        state: 'APPROVED',
        submitted_at: '2011-04-10T21:00:00Z',
      },
    ],
    [`${root}/pulls/2/comments`]: [
      {
        id: 90,
        pull_request_review_id: 80,
        user: hubot,
        body: 'nice',
        path: 'a.txt',
        line: 1,
        side: 'RIGHT',
        diff_hunk: '@@ -0,0 +1 @@\n+a',
        commit_id: head,
        ...at(2),
      },
    ],
  })
  const listener = inFrontOf(source, (request, response) => {
    home = `http://${request.headers.host}`
    if (request.url === `/api/v3${root}/releases/assets/1` && request.headers.accept === 'application/octet-stream') {
      response.end('bytes')
      return true
    }
    return play('/api/v3', answers(), requests)(request, response)
  })
  const bob = forge.as('bob')
  await forge.account('bob')
  await withServer(listener, async (url) => {
    const body = { clone_addr: `${url}/${repo.fullName}.git`, service: 'github', repo_name: 'copy', ...everything }
    const guest = await bob.post('/repos/migrate', body)
    assert.deepEqual([guest.status, guest.json.message], [422, 'the source server does not accept the credentials'])
    // The server of the git data knows no such token and is public; that of the API wants it.
    const made = await bob.post('/repos/migrate', { ...body, auth_token: 'secret' })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(
      [made.json.description, made.json.website, made.json.topics],
      ['mine', 'https://example.com', ['octocat', 'atom']],
    )
  })
  const get = async (path: string) => (await bob.must('GET', `/repos/bob/copy${path}`)).json
  const issues = await get('/issues?state=all&type=issues&sort=oldest')
  assert.deepEqual(
    issues.map((each: Record<string, unknown>) => [each['number'], each['title'], each['body'], each['state']]),
    [
      [1, 'Found a bug', 'a problem', 'open'],
      [3, 'third', '', 'closed'],
    ],
  )
  const [first] = issues
  assert.deepEqual(
    [first.user.login, first.labels[0].name, first.milestone.title, first.created_at],
    ['bob', 'bug', 'v1.0', '2011-04-10T20:01:00Z'],
  )
  assert.deepEqual(
    first.assignees.map((each: { login: string }) => each.login),
    ['bob'],
  )
  assert.equal((await get('/issues/1/reactions'))[0].user.full_name, 'hubot')
  assert.deepEqual(
    (await get('/issues/1/comments')).map((each: Record<string, unknown>) => [each['body'], each['original_author']]),
    [['Me too', 'hubot']],
  )
  const pull = await get('/pulls/2')
  assert.deepEqual(
    [pull.merged, pull.merged_at, pull.merge_commit_sha, pull.base.ref, pull.user.login],
    [true, '2011-04-11T00:00:00Z', base, 'main', 'bob'],
  )
  assert.deepEqual(
    (await get('/pulls/2/files')).map((each: { filename: string }) => each.filename),
    ['a.txt'],
  )
  const [review] = await get('/pulls/2/reviews')
  assert.deepEqual([review.state, review.user.full_name, review.comments_count], ['APPROVED', 'hubot', 1])
  const [release] = await get('/releases')
  assert.deepEqual([release.tag_name, release.author.full_name, release.assets[0].download_count], ['v1', 'hubot', 42])
  const file = await bob.get(new URL(release.assets[0].browser_download_url).pathname, { site: true })
  assert.equal(file.text, 'bytes')
  assert.equal(requests.includes(`${root}/issues/3/reactions`), false, 'nobody is asked about none')
})

test('repoMigrate: an import from GitLab uses its REST API; numbers of merge requests follow those of issues', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  const { repo, head, base, key } = await withTopic(source)
  await source.services.git.updateRefs(key, [{ ref: 'refs/merge-requests/1/head', old: undefined, new: head }])
  const [ann, ben] = [
    { id: 1, username: 'ann' },
    { id: 2, username: 'ben' },
  ]
  const times = { created_at: '2016-01-04T15:31:39.788Z', updated_at: '2016-01-04T15:31:46.176Z' }
  const root = `/projects/${encodeURIComponent(repo.fullName)}`
  const answers: Answers = {
    '/user': ann,
    [root]: { description: 'a project', topics: ['lab'], archived: true },
    [`${root}/labels`]: [{ name: 'bug', color: '#d9534f', description: 'of a bug' }],
    [`${root}/milestones`]: [{ title: '10.0', description: 'v', state: 'closed', due_date: '2013-11-29', ...times }],
    [`${root}/releases`]: [
      {
        tag_name: 'v1',
        name: 'Awesome',
        description: 'notes',
        released_at: '2019-01-03T01:56:19.539Z',
        author: ben,
        assets: { links: [{ name: 'elsewhere', url: 'https://example.com/a.zip', external: true }] },
      },
    ],
    [`${root}/issues`]: [
      {
        iid: 4,
        title: 'Ut commodi',
        description: 'Omnis',
        state: 'closed',
        author: ben,
        labels: ['bug'],
        milestone: { title: '10.0' },
        due_date: '2016-07-22',
        user_notes_count: 1,
        closed_at: '2016-01-05T15:31:46.176Z',
        ...times,
      },
    ],
    [`${root}/issues/4/award_emoji`]: [
      { id: 1, name: 'thumbsup', user: ben },
      { id: 2, name: 'microphone', user: ann },
    ],
    [`${root}/issues/4/notes`]: [
      { id: 302, body: 'closed', system: true, author: ben, ...times },
      { id: 303, body: 'for members', internal: true, author: ben, ...times },
      { id: 305, body: 'Text of the comment', system: false, author: ann, ...times },
    ],
    [`${root}/issues/4/notes/305/award_emoji`]: [],
    [`${root}/merge_requests`]: [
      {
        iid: 1,
        title: 'test1',
        description: 'fixed',
        state: 'opened',
        author: ann,
        labels: [],
        source_branch: 'topic',
        target_branch: 'main',
        source_project_id: 2,
        target_project_id: 2,
        sha: head,
        user_notes_count: 2,
        ...times,
      },
    ],
    [`${root}/merge_requests/1/award_emoji`]: [],
    [`${root}/merge_requests/1/notes`]: [
      { id: 400, body: 'general', author: ben, ...times },
      {
        id: 401,
        body: 'this line',
        type: 'DiffNote',
        author: ben,
        position: { new_path: 'a.txt', old_path: 'a.txt', new_line: 1, head_sha: head },
        ...times,
      },
    ],
    [`${root}/merge_requests/1/notes/400/award_emoji`]: [],
    [`${root}/merge_requests/1/approvals`]: { approved_by: [{ user: ben }] },
  }
  const bob = forge.as('bob')
  await forge.account('bob')
  await withServer(inFrontOf(source, play('/api/v4', answers, [])), async (url) => {
    const made = await bob.post('/repos/migrate', {
      clone_addr: `${url}/${repo.fullName}.git`,
      auth_token: 'secret',
      service: 'gitlab',
      repo_name: 'copy',
      ...everything,
    })
    assert.equal(made.status, 201, made.text)
  })
  const get = async (path: string) => (await bob.must('GET', `/repos/bob/copy${path}`)).json
  const issue = await get('/issues/4')
  assert.deepEqual(
    [issue.title, issue.state, issue.original_author, issue.labels[0].color, issue.milestone.title, issue.due_date],
    ['Ut commodi', 'closed', 'ben', 'd9534f', '10.0', '2016-07-22T23:59:59Z'],
  )
  assert.deepEqual(
    (await get('/issues/4/comments')).map((each: { body: string }) => each.body),
    ['Text of the comment'],
  )
  assert.deepEqual(
    (await get('/issues/4/reactions')).map((each: { content: string }) => each.content),
    ['+1'],
  )
  const pull = await get('/pulls/5')
  assert.deepEqual(
    [pull.title, pull.state, pull.head.ref, pull.head.sha, pull.merge_base, pull.user.login],
    ['test1', 'open', 'topic', head, base, 'bob'],
  )
  const reviews = await get('/pulls/5/reviews')
  assert.deepEqual(
    reviews.map((each: { state: string; comments_count: number }) => [each.state, each.comments_count]),
    [
      ['COMMENT', 1],
      ['APPROVED', 0],
    ],
  )
  const [release] = await get('/releases')
  assert.deepEqual([release.name, release.assets[0].browser_download_url], ['Awesome', 'https://example.com/a.zip'])
  const [listed] = (await bob.must('GET', '/user/imports')).json
  assert.deepEqual(listed.notes, [
    'the source server has no wiki',
    'the repository is archived on the source server; here it is writable',
  ])
})
