/** A small team's data for pictures of pages: made through the API, the same on every run. */
import { makeDemoPackages } from './demo-packages.mjs'
import { makeDemoRuns } from './demo-runs.mjs'

/** Password of all demo accounts. */
export const demoPassword = 'Passw0rd!'

const people = [
  ['alice', 'Alice Novak'],
  ['bob', 'Bob Tanaka'],
  ['carol', 'Carol Okafor'],
]

const encoded = (text) => Buffer.from(text).toString('base64')

const readme = `# Anvil

Anvil shapes *structured logs* into metrics, one line at a time. It reads from standard input, keeps no state on disk and
fits into a shell pipeline.

\`\`\`sh
tail -F access.log | anvil --by status --every 10s
\`\`\`

## Why

- **Small**: one binary, no configuration file.
- **Predictable**: memory is bounded by the number of groups, not by the number of lines.
- **Honest**: lines that cannot be read are counted and shown.

| option | meaning | default |
| --- | --- | --- |
| \`--by\` | field to group by | none |
| \`--every\` | interval of a report | \`60s\` |
| \`--top\` | groups to show | \`20\` |

See [the guide](docs/guide.md) and [how to contribute](CONTRIBUTING.md).
`

const groups = `import { parseLine, type Line } from './line.ts'

/** Counts of one group. */
export interface Group {
  readonly name: string
  count: number
  bytes: number
}

/** Groups lines by a field, and keeps the largest ones. */
export class Groups {
  readonly #groups = new Map<string, Group>()
  #unreadable = 0

  constructor(
    readonly field: string,
    /** Groups beyond this number are counted together. */
    readonly limit = 1000,
  ) {}

  add(text: string): void {
    const line = parseLine(text)
    if (line === undefined) {
      this.#unreadable += 1
      return
    }
    const group = this.#groupOf(line)
    group.count += 1
    group.bytes += text.length
  }

  /** Returns the largest groups, the first being the largest. */
  top(count: number): readonly Group[] {
    return [...this.#groups.values()].toSorted((a, b) => b.count - a.count).slice(0, count)
  }

  #groupOf(line: Line): Group {
    const name = line.fields.get(this.field) ?? '(none)'
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const isFull = this.#groups.size >= this.limit
    const group = { name: isFull ? '(other)' : name, count: 0, bytes: 0 }
    this.#groups.set(group.name, group)
    return group
  }
}
`

const line = `/** A line of a log as fields. */
export interface Line {
  readonly fields: ReadonlyMap<string, string>
}

const pair = /([a-z_]+)=("[^"]*"|\\S+)/g

/** Returns the fields of a line; undefined when it has none. */
export function parseLine(text: string): Line | undefined {
  const fields = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(pair)) {
    fields.set(name, value.startsWith('"') ? value.slice(1, -1) : value)
  }
  return fields.size === 0 ? undefined : { fields }
}
`

const workflow = `name: Checks
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
      - run: npm test
`

/** Content and message of the commit that adds a file, the oldest first. */
const files = {
  'package.json': ['{\n  "name": "anvil",\n  "version": "1.4.0",\n  "type": "module"\n}\n', 'Describe the package'],
  'src/line.ts': [line, 'Read the fields of a line'],
  'src/groups.ts': [groups, 'Count lines by a field, and keep the largest groups'],
  'src/main.ts': [
    `import { Groups } from './groups.ts'\n\nconst groups = new Groups('status')\nfor await (const line of lines(process.stdin)) groups.add(line)\nconsole.table(groups.top(20))\n`,
    'Print a report when the input ends',
  ],
  'test/groups.test.ts': [
    `import { test } from 'node:test'\n\ntest('the largest group comes first', () => {})\n`,
    'Test that the largest group comes first',
  ],
  'docs/guide.md': ['# Guide\n\nPipe a log into `anvil` and choose a field.\n', 'Write a guide'],
  'CONTRIBUTING.md': ['# Contributing\n\nOpen an issue before a large change.\n', 'Say how to contribute'],
  '.gitea/workflows/checks.yml': [workflow, 'Run the tests on each push'],
}

const day = 24 * 60 * 60 * 1000

/** The dates of a commit that is some days old. */
const daysAgo = (days) => {
  const date = new Date(Date.now() - days * day).toISOString()
  return { dates: { author: date, committer: date } }
}

const issues = [
  [
    'Lines longer than 64 KB are cut without a word',
    'bug',
    'bob',
    'A line of 80 KB is counted, but its fields after the cut are lost.\n\n```\nanvil --by status < long.log\n```\n\nI would expect a warning, or a setting.',
  ],
  [
    'Show rates beside counts',
    'enhancement',
    'carol',
    'A column with **lines per second** would save me a calculator.\n\n- [x] count the seconds\n- [ ] show the rate\n- [ ] document it',
  ],
  ['Read gzip input', 'enhancement', 'alice', 'Rotated logs are compressed.'],
  ['An interval of 0 seconds never ends', 'bug', 'bob', '`--every 0s` prints reports as fast as it can.'],
  ['Explain groups beyond the limit in the guide', 'documentation', 'carol', 'What is `(other)`?'],
  ['Sort by bytes', 'enhancement', 'bob', 'Sometimes few lines carry most of the traffic.'],
  ['Colours on a terminal only', 'bug', 'alice', 'Escape sequences appear in files.'],
  ['Publish an arm64 binary', 'release', 'carol', 'Half of our machines are arm64.'],
]

const labels = {
  bug: ['d73a4a', 'Something does not work'],
  enhancement: ['2f7d9b', 'A new ability'],
  documentation: ['6f42c1', 'Texts for people'],
  release: ['b7791f', 'Part of the next release'],
  'good first issue': ['3f8f5b', 'Small and well described'],
}

/** Sends one request as somebody; throws unless it succeeds. */
const clientOf = (url) => async (who, method, path, body) => {
  const reply = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${who}:${demoPassword}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

async function makePeople(ask) {
  for (const [login, name] of people) {
    await ask('root', 'POST', '/admin/users', {
      username: login,
      full_name: name,
      email: `${login}@example.com`,
      password: demoPassword,
      must_change_password: false,
    })
  }
  await ask('alice', 'PATCH', '/user/settings', {
    description: 'Tools for people who read logs.',
    location: 'Brno',
    website: 'https://example.com',
  })
  await ask('alice', 'POST', '/orgs', {
    username: 'acme',
    full_name: 'Acme Tools',
    description: 'Small tools, well made.',
  })
  for (const [name, description] of [
    ['rocket', 'Deploys what the team built'],
    ['handbook', 'How we work'],
  ]) {
    await ask('alice', 'POST', '/orgs/acme/repos', { name, description, auto_init: true })
  }
  const { id } = await ask('alice', 'POST', '/orgs/acme/teams', {
    name: 'makers',
    description: 'Build and release the tools',
    units_map: { 'repo.code': 'write', 'repo.issues': 'write', 'repo.pulls': 'write', 'repo.wiki': 'read' },
  })
  for (const person of ['bob', 'carol']) await ask('alice', 'PUT', `/teams/${id}/members/${person}`)
  await ask('alice', 'PUT', `/teams/${id}/repos/acme/rocket`)
  await ask('alice', 'PUT', '/orgs/acme/public_members/alice')
  for (const [name, color, description] of [
    ['priority/high', 'b3261e', 'Before everything else'],
    ['priority/low', '6b7280', 'When there is time'],
  ]) {
    await ask('alice', 'POST', '/orgs/acme/labels', { name, color, description, exclusive: true })
  }
}

async function makeCode(ask, repo) {
  await ask('alice', 'POST', '/user/repos', {
    name: 'anvil',
    description: 'Shapes structured logs into metrics, one line at a time',
    auto_init: true,
    license: 'MIT',
    default_branch: 'main',
  })
  const { sha } = await ask('alice', 'GET', `${repo}/contents/README.md`)
  await ask('alice', 'PUT', `${repo}/contents/README.md`, {
    content: encoded(readme),
    sha,
    message: 'Say what Anvil does',
    ...daysAgo(40),
  })
  const ages = [38, 33, 26, 21, 21, 12, 9, 3]
  for (const [at, [path, [text, message]]] of Object.entries(files).entries()) {
    await ask('alice', 'POST', `${repo}/contents/${path}`, { content: encoded(text), message, ...daysAgo(ages[at]) })
  }
  await ask('alice', 'PUT', `${repo}/topics`, { topics: ['logs', 'metrics', 'cli'] })
  for (const person of ['bob', 'carol']) {
    await ask('alice', 'PUT', `${repo}/collaborators/${person}`, { permission: 'write' })
    await ask(person, 'PUT', `/user/starred/alice/anvil`)
  }
}

async function makeIssues(ask, repo) {
  const ids = {}
  for (const [name, [color, description]] of Object.entries(labels)) {
    ids[name] = (await ask('alice', 'POST', `${repo}/labels`, { name, color: `#${color}`, description })).id
  }
  const milestone = await ask('alice', 'POST', `${repo}/milestones`, {
    title: '1.5',
    description: 'Rates and compressed input',
    due_on: '2027-03-01T00:00:00Z',
  })
  for (const [title, label, author, body] of issues) {
    const { number } = await ask(author, 'POST', `${repo}/issues`, { title, body })
    await ask('alice', 'PATCH', `${repo}/issues/${number}`, {
      ...(label === 'release' || label === 'enhancement' || number === 7 ? { milestone: milestone.id } : {}),
      ...(label === 'bug' ? { assignees: ['alice'] } : {}),
    })
    await ask('alice', 'POST', `${repo}/issues/${number}/labels`, { labels: [ids[label]] })
  }
  await ask('alice', 'POST', `${repo}/issues/1/comments`, {
    body: 'Confirmed. The limit comes from the reader, see `src/line.ts`. @carol, did you not hit this last week?',
  })
  await ask('carol', 'POST', `${repo}/issues/1/comments`, { body: 'Yes, with JSON in a field. Related to #4.' })
  await makeViews(ask, repo)
  await ask('bob', 'POST', `${repo}/issues/1/reactions`, { content: '+1' })
  await ask('alice', 'PATCH', `${repo}/issues/7`, { state: 'closed' })
}

const columns = { todo: '6b7280', doing: 'b7791f', done: '3f8f5b' }

/** Makes a board, a list and a timeline of the issues. */
async function makeViews(ask, repo) {
  for (const [name, color] of Object.entries(columns)) {
    await ask('alice', 'POST', `${repo}/labels`, { name: `status/${name}`, color: `#${color}`, exclusive: true })
  }
  const placed = { 1: 'doing', 2: 'todo', 3: 'doing', 4: 'todo', 5: 'done' }
  for (const [number, name] of Object.entries(placed)) {
    await ask('alice', 'POST', `${repo}/issues/${number}/labels`, { labels: [`status/${name}`] })
  }
  const views = [
    {
      title: 'Flow',
      description: 'What we do now',
      layout: 'board',
      grouping: 'label',
      label_scope: 'status',
      query: 'is:open',
    },
    { title: 'Everybody', layout: 'list', grouping: 'assignee', query: 'is:open' },
    { title: 'Releases', layout: 'timeline', grouping: 'milestone', query: 'is:issue' },
  ]
  for (const view of views) await ask('alice', 'POST', `${repo}/views`, view)
  await ask('alice', 'POST', '/orgs/acme/views', { title: 'All', layout: 'board', grouping: 'state' })
  await ask('alice', 'POST', '/user/views', { ...views[0], title: 'Mine', query: 'is:open assignee:me' })
}

async function makePull(ask, repo) {
  const current = await ask('bob', 'GET', `${repo}/contents/src/line.ts`)
  await ask('bob', 'PUT', `${repo}/contents/src/line.ts`, {
    new_branch: 'long-lines',
    branch: 'main',
    sha: current.sha,
    content: encoded(
      line
        .replace(
          'const pair',
          '/** Longest line that is read, in characters. */\nexport const maxLength = 1024 * 1024\n\nconst pair',
        )
        .replace('undefined when it has none', 'undefined when it has none or is too long')
        .replace('  const fields', '  if (text.length > maxLength) return undefined\n  const fields'),
    ),
    message: 'Count lines that are too long as unreadable',
  })
  await ask('bob', 'POST', `${repo}/contents/test/line.test.ts`, {
    branch: 'long-lines',
    content: encoded(`import { test } from 'node:test'\n\ntest('a long line is unreadable', () => {})\n`),
    message: 'Test a long line',
  })
  const pull = await ask('bob', 'POST', `${repo}/pulls`, {
    base: 'main',
    head: 'long-lines',
    title: 'Count lines that are too long as unreadable',
    body: 'Fixes #1. The limit is a constant for now.',
  })
  await ask('bob', 'POST', `${repo}/pulls/${pull.number}/requested_reviewers`, { reviewers: ['alice'] })
  await ask('alice', 'POST', `${repo}/pulls/${pull.number}/reviews`, {
    event: 'COMMENT',
    body: 'Good idea. One question.',
    comments: [
      {
        path: 'src/line.ts',
        new_position: 7,
        body: 'Should this be a setting?\n\n```suggestion\nexport const maxLength = 64 * 1024\n```',
      },
    ],
  })
  await ask('alice', 'POST', `${repo}/statuses/${pull.head.sha}`, {
    state: 'success',
    context: 'checks / test',
    description: 'Passed in 12 s',
  })
}

/** A merged pull request and a draft. */
async function makeMorePulls(ask, repo) {
  const guide = await ask('carol', 'GET', `${repo}/contents/docs/guide.md`)
  await ask('carol', 'PUT', `${repo}/contents/docs/guide.md`, {
    new_branch: 'guide-other',
    branch: 'main',
    sha: guide.sha,
    content: encoded(
      '# Guide\n\nPipe a log into `anvil` and choose a field.\n\n## Many groups\n\nGroups beyond the limit are counted together as `(other)`.\n',
    ),
    message: 'Explain groups beyond the limit',
  })
  const merged = await ask('carol', 'POST', `${repo}/pulls`, {
    base: 'main',
    head: 'guide-other',
    title: 'Explain groups beyond the limit',
    body: 'Fixes #5.',
  })
  await ask('alice', 'POST', `${repo}/pulls/${merged.number}/reviews`, { event: 'APPROVED', body: 'Clear, thank you.' })
  await ask('alice', 'POST', `${repo}/pulls/${merged.number}/merge`, { Do: 'squash' })
  await ask('alice', 'POST', `${repo}/contents/src/gzip.ts`, {
    new_branch: 'gzip',
    branch: 'main',
    content: encoded(
      `import { createGunzip } from 'node:zlib'\n\n/** Unpacks a compressed log. */\nexport const unpacked = (input) => input.pipe(createGunzip())\n`,
    ),
    message: 'Unpack compressed logs',
  })
  await ask('alice', 'POST', `${repo}/pulls`, {
    base: 'main',
    head: 'gzip',
    title: 'WIP: Read gzip input',
    body: 'For #3. Tests are missing.',
  })
}

const wikiPages = {
  Home: `Notes of the people who build Anvil.

## Where to find what

| page | content |
| --- | --- |
| [[Release checklist]] | what to do before and after a tag |
| [[Sizes of groups]] | measurements behind the default limit |

New here? Read the guide in the repository first.
`,
  'Release checklist': `1. Update the changelog
2. Wait for green checks on \`main\`
3. Tag, and let the workflow publish
4. Tell people
`,
  'Sizes of groups': `| groups | memory | time for 1 GB |
| ---: | ---: | ---: |
| 100 | 31 MB | 9.8 s |
| 1,000 | 32 MB | 9.9 s |
| 100,000 | 61 MB | 11.4 s |
`,
}

async function makeWiki(ask, repo) {
  for (const [title, text] of Object.entries(wikiPages)) {
    await ask('alice', 'POST', `${repo}/wiki/new`, { title, content_base64: encoded(text) })
  }
}

async function makeReleases(url, ask, repo, authorization) {
  const made = async (version, body) => {
    const { id } = await ask('alice', 'POST', `${repo}/releases`, { tag_name: `v${version}`, name: version, body })
    for (const platform of ['linux-x64', 'linux-arm64']) {
      const form = new FormData()
      form.set('attachment', new Blob([`anvil ${version} ${platform}\n`.repeat(4000)]), `anvil-${platform}.tar.gz`)
      const reply = await fetch(`${url}/api/v1${repo}/releases/${id}/assets?name=anvil-${version}-${platform}.tar.gz`, {
        method: 'POST',
        headers: { authorization },
        body: form,
      })
      if (!reply.ok) throw new Error(`a file of a release answered ${reply.status}: ${await reply.text()}`)
    }
  }
  await made('1.3.0', '### New\n\n- Reports at an interval, with `--every`\n- A guide')
  await made(
    '1.4.0',
    '### New\n\n- `--top` chooses how many groups are shown\n- Reports align their columns\n\n### Fixed\n\n- Colours appear on terminals only (#7)',
  )
}

/** Fills an empty server. */
export async function makeDemoData(url) {
  const ask = clientOf(url)
  const authorization = `Basic ${Buffer.from(`alice:${demoPassword}`).toString('base64')}`
  const repo = '/repos/alice/anvil'
  await makePeople(ask)
  await makeCode(ask, repo)
  await makeIssues(ask, repo)
  await makePull(ask, repo)
  await makeReleases(url, ask, repo, authorization)
  await makeMorePulls(ask, repo)
  await makeWiki(ask, repo)
  await makeDemoPackages(url, ask, authorization)
  await makeDemoRuns(url, ask, repo)
}
