import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startForge } from '../forge.ts'

test('startForge: a git that its own process waits for fails with the reason, and the forge goes on', async () => {
  await using forge = await startForge({ users: ['alice'], stallMs: 1500 })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const address = await forge.gitUrl('alice', repo.fullName)
  const startedMs = performance.now()
  let output = ''
  try {
    execFileSync('git', ['ls-remote', address], { encoding: 'utf8', stdio: 'pipe', timeout: 100_000 })
  } catch (error) {
    output = String((error as { readonly stderr: unknown }).stderr)
  }
  assert.match(output, /the forge runs in the process that waits for this request/)
  assert.match(output, /503/)
  assert.ok(performance.now() - startedMs < 10_000)
  const { stdout } = await promisify(execFile)('git', ['ls-remote', address])
  assert.match(stdout, /refs\/heads\/main/)
  assert.equal((await forge.as('alice').get(repo.api)).status, 200)
})

test('startForge: bodies, streams and addresses pass the watched port as they are', async () => {
  await using forge = await startForge({ users: ['alice'], stallMs: 1500 })
  const { port } = new URL(forge.url)
  const repo = await forge.given.repo({ owner: 'alice' })
  const content = Buffer.alloc(3 << 20, 'abc').toString('base64')
  await forge.as('alice').must('POST', `${repo.api}/contents/big.bin`, { content })
  const reply = await fetch(`${forge.url}/${repo.fullName}/raw/branch/main/big.bin`)
  assert.equal((await reply.arrayBuffer()).byteLength, 3 << 20)
  const { json } = await forge.guest.get(repo.api)
  assert.equal(new URL(json.clone_url).port, port)
})
