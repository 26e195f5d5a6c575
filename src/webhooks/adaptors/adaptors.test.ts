import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { Receiver, type Received } from '../receiver.test-support.ts'

test('adaptors: each service gets its message format, and texts of users become neither tags nor links', async () => {
  await using forge = await startForge()
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const types = ['discord', 'matrix', 'packagist', 'telegram', 'slack', 'sourcehut_builds']
  const hooks = new Map<string, string>()
  for (const type of types) {
    const config = { url: `${receiver.url}/${type}`, content_type: 'form', channel: 'room', secret: 's' }
    const body = { type, active: true, events: ['issues_only', 'push'], config }
    const { json } = await alice.must('POST', `${repo.api}/hooks`, body)
    hooks.set(type, `${repo.api}/hooks/${json.id}`)
  }
  const title = '<b onclick="x">& <https://evil.example|here>'
  await alice.must('POST', `${repo.api}/issues`, { title, body: '<script>1</script> <!channel>' })
  await forge.settle()
  const of = (type: string): Received => {
    const found = receiver.got.find(({ path }) => path.startsWith(`/hook/${type}`))
    assert.ok(found, `${type} got a message`)
    return found
  }

  const discord = of('discord')
  const [embed] = discord.json.embeds
  assert.deepEqual([embed.title.includes(title), embed.color, embed.author.name], [true, 0xeb6420, 'alice'])
  assert.ok(!('username' in discord.json) && !('avatar_url' in discord.json), 'Discord refuses empty ones')
  assert.equal(discord.headers['content-type'], 'application/json', 'forms are for payloads alone')

  const matrix = of('matrix')
  assert.equal(matrix.method, 'PUT')
  const hash = createHash('sha1').update(matrix.body).digest('hex')
  assert.equal(matrix.path, `/hook/matrix/${hash}`)
  assert.equal(matrix.headers['x-gitea-event'], undefined)
  assert.deepEqual([matrix.json.msgtype, matrix.json.format], ['m.notice', 'org.matrix.custom.html'])
  for (const html of [matrix.json.formatted_body, of('telegram').json.text]) {
    assert.ok(!/<(?:b |script|!)/.test(html), html)
  }
  assert.ok(!of('slack').json.text.includes('<https://evil'))
  assert.ok(!of('slack').json.attachments[0].text.includes('<!channel>'))
  assert.deepEqual(of('packagist').json, { repository: { url: `${forge.url}/${repo.fullName}` } })
  const [skipped] = (await alice.get(`${hooks.get('sourcehut_builds')}/deliveries`)).json
  assert.deepEqual([skipped.state, skipped.attempts], ['skipped', 0])

  const [delivered] = (await alice.get(`${hooks.get('discord')}/deliveries`)).json
  const details = (await alice.get(`${hooks.get('discord')}/deliveries/${delivered.id}`)).json
  assert.equal(details.last_attempts[0].request.body, discord.body, 'what was sent is shown')
})
