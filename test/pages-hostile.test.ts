import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../src/testing/browser.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { base64 } from '../src/testing/samples.ts'
import { crawl } from './pages.test-support.ts'

/** Ends attributes and elements, turns the direction of text, and would run as a script. */
const marker = `x'"></a></td></textarea></title><script>planted()</script><img src=x onerror=planted()>\u202E`

/** What no page may contain: the marker where it is not text. A sanitised picture without a handler is allowed. */
const brokenOut = /<script>planted|<img[^>]*onerror|<\/title><script/

/** Writes the marker into every field of the API that takes a text. */
async function plant(forge: Forge): Promise<void> {
  const alice = forge.as('alice')
  const post = async (path: string, body: object) => (await alice.must('POST', path, body)).json
  await alice.must('PATCH', '/user/settings', {
    full_name: marker,
    description: marker,
    location: marker.slice(-50),
  })
  await post('/orgs', { username: 'guild', full_name: marker, description: marker, location: marker.slice(-50) })
  await post('/orgs/guild/teams', { name: 'planted', description: marker, permission: 'read', units: ['repo.code'] })
  await post('/user/repos', { name: 'home', description: marker, auto_init: true })
  const repo = '/repos/alice/home'
  await post(`${repo}/labels`, { name: marker.slice(0, 45), color: '#ff0000', description: marker })
  const milestone = await post(`${repo}/milestones`, { title: marker, description: marker })
  const issue = await post(`${repo}/issues`, { title: marker, body: marker, milestone: milestone.id })
  await alice.must('PUT', `${repo}/issues/${issue.number}/labels`, { labels: [1] })
  await post(`${repo}/issues/${issue.number}/comments`, { body: `\`\`\`${marker}\n${marker}\n\`\`\`\n${marker}` })
  const name = `a${marker.replaceAll('/', '_')}b\n.md`
  await post(`${repo}/contents/${encodeURIComponent(name)}`, {
    content: base64(`# ${marker}\n\n${marker}`),
    message: `${marker}\n\n${marker}`,
    new_branch: 'topic',
  })
  await post(`${repo}/contents/README.txt`, { content: base64(marker), message: marker, branch: 'topic' })
  const pull = await post(`${repo}/pulls`, { head: 'topic', base: 'main', title: marker, body: marker })
  await post(`${repo}/pulls/${pull.number}/reviews`, {
    event: 'COMMENT',
    body: marker,
    comments: [{ path: 'README.txt', new_position: 1, body: marker }],
  })
  await post(`${repo}/statuses/${pull.head.sha}`, { state: 'failure', context: marker, description: marker })
  await post(`${repo}/releases`, { tag_name: 'v1', name: marker, body: marker })
  await post(`${repo}/wiki/new`, { title: `x ${marker.slice(0, -1)}`, content_base64: base64(marker), message: marker })
  await post(`${repo}/contents/.gitea/workflows/a.yml`, {
    content: base64(
      `name: ${JSON.stringify(marker)}\non: push\njobs:\n  a:\n    name: ${JSON.stringify(marker)}\n    runs-on: x\n    steps:\n      - run: "true"\n`,
    ),
    message: 'add a workflow',
  })
  await post(`${repo}/hooks`, {
    type: 'gitea',
    config: { url: 'https://example.com/?<script>planted()', content_type: 'json' },
  })
  await post('/user/applications/oauth2', {
    name: marker,
    redirect_uris: ['https://example.com/'],
    confidential_client: true,
  })
  await alice.must('PUT', '/api/packages/alice/npm/planted', undefined, {
    site: true,
    headers: { 'content-type': 'application/json' },
    raw: JSON.stringify({
      name: 'planted',
      'dist-tags': { latest: '1.0.0' },
      versions: {
        '1.0.0': {
          name: 'planted',
          version: '1.0.0',
          description: marker,
          author: { name: marker },
          keywords: [marker],
          license: marker,
          readme: marker,
        },
      },
      _attachments: { 'planted-1.0.0.tgz': { data: base64('x') } },
    }),
  })
}

test('pages: text from people stays text on every page', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await plant(forge)
  await forge.settle()
  const wrong: string[] = []
  let count = 0
  for (const who of ['alice', 'root']) {
    const visits = await crawl(await Browser.of(forge, who), ['/', '/alice/home', '/alice', '/guild', '/explore/repos'])
    count += visits.length
    for (const { path, status, text } of visits) {
      if (brokenOut.test(text)) wrong.push(`${who}: ${path}: ${brokenOut.exec(text)?.[0]}`)
      if (status >= 500) wrong.push(`${who}: ${path}: ${status}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(count > 80, `${count} pages were opened`)
  assert.deepEqual(forge.defects, [])
})
