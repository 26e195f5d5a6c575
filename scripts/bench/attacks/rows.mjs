/** Dimensions of rows: how many things an account, an organization, a repository, an issue or a run has. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import { overflowing } from './git.mjs'
import { base64, commit, many } from './world.mjs'

const long = (at, length = 200) => `${at} ${'name '.repeat(length / 5)}`.trim().slice(0, length)
/** Sends requests in turn; the first refusal ends it. */
async function each(count, send) {
  for (let at = 0; at < count; at++) {
    const reply = await send(at)
    if (reply.status >= 300) return at
  }
  return count
}
const rows = (name, limit, send) => ({
  name,
  limit,
  async fill(world, size) {
    if ((await each(size, (at) => send(world, at))) === 0) throw new Error(`${name}: the first one is refused`)
    return {}
  },
})
const issueFirst = (name, limit, send) => ({
  name,
  limit,
  async fill(world, size) {
    await world.must('POST', `${world.repo}/issues`, { title: 'a', body: 'a' })
    await each(size, (at) => send(world, at))
    return { index: [1] }
  },
})

/** A black square. */
function pngOf(side) {
  const part = (type, data) => {
    const [body, ends] = [Buffer.concat([Buffer.from(type), data]), Buffer.alloc(8)]
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const pixels = deflateSync(Buffer.alloc(side * (3 * side + 1)))
  return Buffer.concat([signature, part('IHDR', head), part('IDAT', pixels), part('IEND', Buffer.alloc(0))])
}

/** Lets a runner report one job of the repository. `log` sends rows. */
async function runJob(world, workflow, log) {
  await world.push([...commit({ files: { '.gitea/workflows/a.yml': workflow } })], 'main:main')
  const { token } = await world.must('GET', `${world.repo}/actions/runners/registration-token`)
  const call = async (method, body, headers = {}) => {
    const reply = await world.send('POST', `/api/actions/runner.v1.RunnerService/${method}`, {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (reply.status !== 200) throw new Error(`${method}: ${reply.status} ${reply.text.slice(0, 300)}`)
    return JSON.parse(reply.text)
  }
  const { runner } = await call('Register', { name: 'r', token, labels: ['x'] })
  const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token }
  for (let attempt = 0; attempt < 80; attempt++) {
    const { task } = await call('FetchTask', { tasksVersion: '0' }, headers)
    if (task === undefined) {
      // A job of the server starts the run after the push.
      await sleep(250)
      continue
    }
    const count = await log((index, contents) =>
      call(
        'UpdateLog',
        {
          taskId: task.id,
          index: String(index),
          rows: contents.map((content) => ({ time: '2026-01-01T00:00:00Z', content })),
          noMore: false,
        },
        headers,
      ),
    )
    await call('UpdateLog', { taskId: task.id, index: String(count), rows: [], noMore: true }, headers)
    const steps = [
      {
        id: '0',
        logIndex: '0',
        logLength: String(count),
        startedAt: '2026-01-01T00:00:00Z',
        stoppedAt: '2026-01-01T00:01:00Z',
        result: 'RESULT_SUCCESS',
      },
    ]
    await call('UpdateTask', { state: { id: task.id, steps, result: 'RESULT_SUCCESS' } }, headers)
    return
  }
  throw new Error('no job waits')
}
const workflow = 'on: push\njobs: {a: {runs-on: x, steps: [{run: echo}]}}\n'
const logOf = (name, limit, lineBytes) => ({
  name,
  limit,
  async fill(world, size) {
    const line = 'l'.repeat(lineBytes)
    await runJob(world, workflow, async (send) => {
      const step = Math.max(1, Math.min(20_000, Math.floor(2_000_000 / (lineBytes + 60))))
      for (let at = 0; at < size; at += step) {
        await send(
          at,
          many(Math.min(step, size - at), () => line),
        )
      }
      return size
    })
    return { 'runs.run_id': [1], number: [1], position: [0], '?q': ['nothing', 'l'] }
  },
})

const npm = (name, version, readme) => {
  const tarball = 'x'
  return JSON.stringify({
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: {
      [version]: {
        name,
        version,
        description: readme,
        readme,
        keywords: many(100, () => 'a'),
        dist: { shasum: createHash('sha1').update(tarball).digest('hex'), tarball: '' },
      },
    },
    _attachments: {
      [`${name}-${version}.tgz`]: { content_type: 'application/octet-stream', data: base64(tarball), length: 1 },
    },
  })
}
const publish = (world, name, version, readme = 'a') =>
  world.tryTo('PUT', `/api/packages/${world.login}/npm/${name}`, undefined, {
    raw: npm(name, version, readme),
    site: true,
  })

export const rowDimensions = [
  rows('issues', 1500, (world, at) =>
    world.tryTo('POST', `${world.repo}/issues`, { title: long(at, 250), body: long(at, 2000) }),
  ),
  rows('labels', 1500, (world, at) =>
    world.tryTo('POST', `${world.repo}/labels`, { name: long(at, 45), color: '#ff0000', description: long(at) }),
  ),
  rows('labels of an organization', 1500, (world, at) =>
    world.tryTo('POST', `/orgs/${world.org}/labels`, { name: long(at, 45), color: '#ff0000' }),
  ),
  rows('milestones', 1000, (world, at) =>
    world.tryTo('POST', `${world.repo}/milestones`, { title: long(at), description: long(at, 2000) }),
  ),
  rows('topics', 100, (world, at) => world.tryTo('PUT', `${world.repo}/topics/t${at}${'x'.repeat(30)}`)),
  issueFirst('comments', 2000, (world, at) =>
    world.tryTo('POST', `${world.repo}/issues/1/comments`, { body: `comment ${at} *a* #1 @root` }),
  ),
  issueFirst('long comments', 100, (world, at) =>
    world.tryTo('POST', `${world.repo}/issues/1/comments`, { body: `${at} ${'word *a* '.repeat(7000)}` }),
  ),
  {
    name: 'edits of a text',
    limit: 100,
    async fill(world, size) {
      await world.must('POST', `${world.repo}/issues`, { title: 'a', body: 'a' })
      const { id } = await world.must('POST', `${world.repo}/issues/1/comments`, { body: 'a' })
      const text = (at) => `${at}\n${many(6000, (line) => `line ${line * at}\n`).join('')}`
      await each(size, (at) => world.tryTo('PATCH', `${world.repo}/issues/1`, { body: text(at) }))
      await each(size, (at) => world.tryTo('PATCH', `${world.repo}/issues/comments/${id}`, { body: text(at) }))
      return { index: [1], 'comments.id': [id] }
    },
  },
  issueFirst('attachments', 200, (world, at) => {
    const form = new FormData()
    form.append('attachment', new Blob(['a']), `${at}${'n'.repeat(150)}.txt`)
    return world.tryForm(`${world.repo}/issues/1/assets`, form)
  }),
  issueFirst('reactions', 8, (world, at) =>
    world.tryTo('POST', `${world.repo}/issues/1/reactions`, {
      content: ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'][at],
    }),
  ),
  issueFirst('times', 1000, (world, at) => world.tryTo('POST', `${world.repo}/issues/1/times`, { time: at + 1 })),
  issueFirst('labels of an issue', 500, async (world, at) => {
    const { id } = await world.must('POST', `${world.repo}/labels`, { name: long(at, 45), color: '#ff0000' })
    return world.tryTo('POST', `${world.repo}/issues/1/labels`, { labels: [id] })
  }),
  issueFirst('dependencies', 300, async (world, at) => {
    const { number } = await world.must('POST', `${world.repo}/issues`, { title: long(at, 250) })
    return world.tryTo('POST', `${world.repo}/issues/1/dependencies`, { owner: world.login, name: 'r', index: number })
  }),
  {
    name: 'review comments',
    limit: 1000,
    async fill(world, size) {
      await world.must('POST', `${world.repo}/contents/a`, {
        content: base64('line\n'.repeat(200)),
        new_branch: 'topic',
      })
      await world.must('POST', `${world.repo}/pulls`, { head: 'topic', base: 'main', title: 'a' })
      await each(size / 100, (at) =>
        world.tryTo('POST', `${world.repo}/pulls/1/reviews`, {
          event: 'COMMENT',
          body: 'a',
          comments: many(100, (n) => ({ path: 'a', new_position: n + 1, body: `comment ${at} **a**` })),
        }),
      )
      await world.tryTo('POST', `${world.repo}/pulls/1/merge`, { do: 'merge' })
      return { index: [1] }
    },
  },
  {
    name: 'suggestions',
    limit: 100,
    async fill(world, size) {
      await world.must('POST', `${world.repo}/contents/a`, {
        content: base64('line\n'.repeat(200)),
        new_branch: 'topic',
      })
      await world.must('POST', `${world.repo}/pulls`, { head: 'topic', base: 'main', title: 'a' })
      const body = `\`\`\`suggestion\n${'words of a line\n'.repeat(3000)}\`\`\`\n`
      await each(size, (at) =>
        world.tryTo('POST', `${world.repo}/pulls/1/reviews`, {
          event: 'COMMENT',
          body: 'a',
          comments: [{ path: 'a', new_position: at + 1, body }],
        }),
      )
      return { index: [1] }
    },
  },
  {
    name: 'files of a review',
    limit: 100,
    async fill(world, size) {
      await world.push(
        [
          ...commit({ files: { a: 'a' }, mark: 1 }),
          ...commit({
            branch: 'topic',
            from: ':1',
            files: Object.fromEntries(many(size, (at) => [`f${at}`, 'a line\n'.repeat(40_000)])),
          }),
        ],
        'main:main',
        'topic:topic',
      )
      await world.must('POST', `${world.repo}/pulls`, { head: 'topic', base: 'main', title: 'a' })
      await world.tryTo('POST', `${world.repo}/pulls/1/reviews`, {
        event: 'COMMENT',
        body: 'a',
        comments: many(size, (at) => ({ path: `f${at}`, new_position: 39_000, body: 'a' })),
      })
      return { index: [1] }
    },
  },
  rows('pull requests', 300, async (world, at) => {
    await world.must('POST', `${world.repo}/contents/p${at}`, { content: base64('a'), new_branch: `p${at}` })
    return world.tryTo('POST', `${world.repo}/pulls`, { head: `p${at}`, base: 'main', title: long(at, 250) })
  }),
  rows('releases', 500, (world, at) =>
    world.tryTo('POST', `${world.repo}/releases`, { tag_name: `v${at}`, name: long(at), body: long(at, 5000) }),
  ),
  {
    name: 'assets of a release',
    limit: 300,
    async fill(world, size) {
      const { id } = await world.must('POST', `${world.repo}/releases`, { tag_name: 'v1' })
      await each(size, (at) =>
        world.tryTo('POST', `${world.repo}/releases/${id}/assets?name=${at}${'n'.repeat(150)}`, undefined, {
          raw: 'a',
          type: 'application/octet-stream',
        }),
      )
      return { tag: ['v1'] }
    },
  },
  {
    name: 'pages of a wiki',
    limit: 300,
    async fill(world, size) {
      await world.must('POST', `${world.repo}/wiki/new`, { title: 'Home', content_base64: base64('a') })
      await each(size, (at) =>
        world.tryTo('POST', `${world.repo}/wiki/new`, { title: long(at, 100), content_base64: base64('a') }),
      )
      return { pageName: ['Home'] }
    },
  },
  {
    name: 'revisions of a page of a wiki',
    limit: 200,
    async fill(world, size) {
      await world.must('POST', `${world.repo}/wiki/new`, { title: 'Home', content_base64: base64('a') })
      await each(size, (at) =>
        world.tryTo('PATCH', `${world.repo}/wiki/page/Home`, {
          content_base64: base64(`${at} ${'a\n'.repeat(5000)}`),
          message: long(at, 5000),
        }),
      )
      return { pageName: ['Home'] }
    },
  },
  rows('statuses of a commit', 1000, (world, at) =>
    world.tryTo('POST', `${world.repo}/statuses/main`, {
      state: 'failure',
      context: long(at),
      description: long(at, 2000),
      target_url: `https://a.example/${'p'.repeat(500)}`,
    }),
  ),
  rows('branch rules', 480, (world, at) =>
    world.tryTo('POST', `${world.repo}/branch_protections`, {
      rule_name: `${at}${overflowing}`.slice(0, 3900),
      protected_file_patterns: overflowing,
    }),
  ),
  {
    name: 'protected file patterns',
    limit: 480,
    async fill(world, size) {
      await world.must('POST', `${world.repo}/contents/a`, { content: base64('a'), new_branch: 'topic' })
      await world.must('POST', `${world.repo}/pulls`, { head: 'topic', base: 'main', title: 'a' })
      await world.largest(size, (count) =>
        world.tryTo('POST', `${world.repo}/branch_protections`, {
          rule_name: 'main',
          enable_push: true,
          protected_file_patterns: many(count, (at) => `${overflowing}${at}`).join(';'),
        }),
      )
      await world.push([...commit({ files: { ['a'.repeat(200)]: 'a' } })], 'main:main')
      return { index: [1] }
    },
  },
  rows('tag rules', 480, (world, at) =>
    world.tryTo('POST', `${world.repo}/tag_protections`, {
      // All patterns of a repository have 50,000 characters.
      name_pattern: `${'a'.repeat(80)}{a,b}*${at}`,
      whitelist_usernames: [world.login],
    }),
  ),
  rows('hooks', 200, (world, at) =>
    world.tryTo('POST', `${world.repo}/hooks`, {
      type: 'gitea',
      config: { url: `http://127.0.0.1:9/${'p'.repeat(1000)}${at}`, content_type: 'json' },
      events: ['push'],
      active: at < 3,
    }),
  ),
  {
    name: 'payloads of hooks',
    limit: 200,
    async fill(world, size) {
      const hook = {
        type: 'gitea',
        config: { url: 'http://127.0.0.1:9/', content_type: 'json' },
        events: ['push', 'issues'],
        active: true,
      }
      await world.must('POST', `${world.repo}/hooks`, hook)
      await world.must('POST', `/orgs/${world.org}/hooks`, hook)
      await world.must('POST', '/user/hooks', hook)
      await world.push(
        many(size, (at) => [
          ...commit({
            files: Object.fromEntries(many(50, (n) => [`${'n'.repeat(150)}${at}-${n}`, 'a'])),
            message: 'm'.repeat(50_000),
          }),
        ]).flat(),
        'main:main',
      )
      await world.largest(1_000_000, (bytes) =>
        world.tryTo('POST', `${world.repo}/issues`, { title: 'a', body: 'b'.repeat(bytes) }),
      )
      return {}
    },
  },
  rows('variables', 500, (world, at) =>
    world.tryTo('POST', `${world.repo}/actions/variables/V${at}_${'N'.repeat(200)}`, { value: 'v'.repeat(30_000) }),
  ),
  rows('variables of an account', 500, (world, at) =>
    world.tryTo('POST', `/user/actions/variables/V${at}_${'N'.repeat(200)}`, { value: 'v'.repeat(30_000) }),
  ),
  rows('secrets', 500, (world, at) =>
    world.tryTo('PUT', `${world.repo}/actions/secrets/S${at}_${'N'.repeat(200)}`, { data: 'v'.repeat(30_000) }),
  ),
  {
    name: 'variables in names',
    limit: 200,
    async fill(world, size) {
      await world.must('POST', `${world.repo}/actions/variables/V`, { value: 'v'.repeat(30_000) })
      const jobs = many(
        size,
        (at) =>
          `  j${at}: {name: "${'${{ vars.V }}'.repeat(20)}", runs-on: x, steps: [{name: "${'${{ vars.V }}'.repeat(20)}", run: echo}]}\n`,
      )
      await world.push(
        [
          ...commit({
            files: {
              '.gitea/workflows/a.yml': `name: a\nrun-name: "${'${{ vars.V }}'.repeat(50)}"\non: push\njobs:\n${jobs.join('')}`,
            },
          }),
        ],
        'main:main',
      )
      return {}
    },
  },
  logOf('bytes of a log', 60_000, 2000),
  logOf('lines of a log', 400_000, 1),
  rows('versions of a package', 500, (world, at) => publish(world, 'x', `1.0.${at}`, long(at, 2000))),
  rows('packages', 500, (world, at) => publish(world, `x${at}`, '1.0.0')),
  {
    name: 'metadata of a package',
    limit: 4_000_000,
    async fill(world, size) {
      for (const at of many(20, (at) => at)) {
        await world.largest(size, (bytes) => publish(world, 'x', `1.0.${at}`, 'readme *a* '.repeat(bytes / 11)))
      }
      return {}
    },
  },
  rows('files of a package', 500, (world, at) =>
    world.tryTo('PUT', `/api/packages/${world.login}/generic/x/1.0.0/${at}${'n'.repeat(100)}`, undefined, {
      raw: 'a',
      type: 'application/octet-stream',
      site: true,
    }),
  ),
  rows('repositories', 300, (world, at) =>
    world.tryTo('POST', '/user/repos', { name: `r${at}`, description: long(at, 2000) }),
  ),
  rows('organizations', 200, (world, at) =>
    world.tryTo('POST', '/orgs', { username: `${world.login.slice(0, 20)}-${at}`, description: long(at) }),
  ),
  rows('teams', 300, (world, at) =>
    world.tryTo('POST', `/orgs/${world.org}/teams`, {
      name: `t${at}${'n'.repeat(200)}`,
      description: long(at),
      permission: 'read',
      units: ['repo.code'],
    }),
  ),
  rows('tokens', 300, (world, at) =>
    world.tryTo('POST', `/users/${world.login}/tokens`, { name: long(at), scopes: ['all'] }, { isBasic: true }),
  ),
  rows('applications', 300, (world, at) =>
    world.tryTo('POST', '/user/applications/oauth2', {
      name: long(at),
      redirect_uris: many(50, (n) => `https://a.example/${n}`),
      confidential_client: true,
    }),
  ),
  {
    name: 'pixels of an avatar',
    limit: 4096,
    async fill(world, size) {
      await world.largest(size, (side) =>
        world.tryTo('POST', '/user/avatar', { image: pngOf(side).toString('base64') }),
      )
      return {}
    },
  },
]
