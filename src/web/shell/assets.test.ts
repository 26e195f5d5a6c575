import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { assetPath } from './assets.ts'

/** Asks without decompressing the answer. */
async function ask(url: string, acceptEncoding: string) {
  const reply = await fetch(url, { headers: { 'accept-encoding': acceptEncoding } })
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

test('webAsset: a file that the build did not make is missing and not kept as missing, and so is its compressed form', async () => {
  await using forge = await startForge()
  const [, css] = assetPath(forge.app.services.config, 'forge.css').split('/assets/')
  for (const name of [
    'forge-00000000.js',
    `${css}.br`,
    'manifest.json',
    '..%2Fmanifest.json',
    '..%2F..%2Fpackage.json',
  ]) {
    const reply = await fetch(`${forge.url}/assets/${name}`)
    assert.deepEqual([reply.status, reply.headers.get('cache-control')], [404, 'no-store'], name)
  }
})

test('webAsset: a file is kept for good and arrives in the smallest form that the client takes', async () => {
  await using forge = await startForge()
  const names = [
    'forge.css',
    'further.css',
    'forge.js',
    'editor.js',
    'icons.svg',
    'icons-further.svg',
    'icons-large.svg',
  ] as const
  const types = ['text/css;charset=utf-8', 'text/javascript;charset=utf-8', 'image/svg+xml']
  for (const name of names) {
    const url = forge.url + assetPath(forge.app.services.config, name)
    const plain = await ask(url, 'identity')
    assert.equal(plain.status, 200, name)
    assert.ok(types.includes(plain.headers.get('content-type') ?? ''), name)
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(plain.headers.get('vary'), 'Accept-Encoding')
    assert.equal(plain.headers.get('content-encoding'), null)
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip;q=1.0, br;q=0', 'gzip'],
      ['gzip', 'gzip'],
    ] as const) {
      const reply = await ask(url, accepted)
      assert.equal(reply.headers.get('content-encoding'), encoding, accepted)
      assert.equal(reply.text, plain.text, 'fetch decompresses')
    }
  }
})
