/** What the proxy in front makes of refusals: one that all processes give to a request is not an outage of the others. */
import assert from 'node:assert/strict'
import { freePort } from './free-port.mjs'
import { statusOf, statusesOf } from './replica-client.mjs'

/** More than processes, so that each is asked several times. */
const rounds = 4

export async function playProxy({ world, say }) {
  const { root, ask, any, organization } = world
  const { name } = await organization()
  await ask('PUT', `/packages/${name}/-/upstreams/npm`, { url: `http://127.0.0.1:${await freePort()}/` })
  for (let round = 0; round < rounds; round++) {
    const { status, json } = await any.site(root, 'GET', `/api/packages/${name}/npm/away`)
    assert.equal(status, 503, `a package of an upstream that is away: ${status} ${JSON.stringify(json)}`)
    const others = Array.from({ length: 6 }, () => any.api(root, 'GET', '/version'))
    assert.deepEqual(
      await statusesOf(...others),
      [200, 200, 200, 200, 200, 200],
      'other requests after a 503 of all processes',
    )
  }
  assert.equal(
    await statusOf(any.site(undefined, 'GET', '/assets/forge-00000000.css')),
    404,
    'a file that no process has',
  )
  say('a request that every process refuses with 503 stops no other request')
}
