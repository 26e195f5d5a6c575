import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../../testing/forge.ts'

test('commitPage: references, people and addresses in a message are links, and everything else is text', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/issues`, { title: 'one' })
  const { json: first } = await alice.must('GET', `${repo.api}/commits?limit=1`)
  const [{ sha }] = first
  const message = [
    'Fix #1 with `#2 <b>` by @bob <i>x</i>',
    '',
    `  indented, see https://ex.org/a?b=c&d: and ${forge.url}/${repo.fullName}/issues/1`,
    `after ${sha.slice(0, 12)}, not @nobody and javascript:alert(1)`,
    '',
    'Closes alice/other!7 <script>alert(1)</script>',
    'Co-authored-by: Bob <bob@example.com>',
  ].join('\n')
  const { json } = await alice.must('POST', `${repo.api}/contents/a.txt`, { content: 'YQ==', message })
  const { text } = await forge.guest.get(`/${repo.fullName}/commit/${json.commit.sha}`, { site: true })
  const head = /<h1>(.*?)<\/h1>/s.exec(text)?.[1] ?? ''
  const body = /<pre class="commit-message">(.*?)<\/pre>/s.exec(text)?.[1] ?? ''
  assert.match(head, new RegExp(`Fix</span> <a [^>]*href="${forge.url}/${repo.fullName}/issues/1"[^>]*>#1</a> with`))
  assert.match(head, /<code class="in-title">#2 &lt;b&gt;<\/code> by <a [^>]*class="mention"[^>]*>@bob<\/a> &lt;i&gt;x/)
  assert.match(
    body,
    /see <a href="https:\/\/ex\.org\/a\?b=c&amp;d"[^>]*>https:\/\/ex\.org\/a\?b=c&amp;d<\/a>: and <a [^>]*>#1<\/a>\nafter/,
  )
  assert.match(body, new RegExp(`<a href="[^"]*/commit/${sha.slice(0, 12)}"[^>]*><code>${sha.slice(0, 10)}</code></a>`))
  assert.match(body, /not @nobody and javascript:alert\(1\)\n\n/)
  assert.match(body, /<a href="[^"]*\/alice\/other\/pulls\/7"[^>]*>alice\/other!7<\/a> &lt;script&gt;/)
  assert.match(body, /<a href="mailto:bob@example\.com"/)
})
