/** Processes with settings that do not belong to the instance: they must not start, and must leave the others in peace. */
import assert from 'node:assert/strict'
import { statusOf } from './replica-client.mjs'

/** Settings of a process, and the line with which it must end. */
const refused = {
  'another instance key': {
    settings: { INGOT__security__SECRET_KEY: 'another secret key of the test' },
    line: /the instance key is not the one of this database/,
  },
  'another place in the bucket': {
    settings: { INGOT__storage__MINIO_BASE_PATH: 'elsewhere/' },
    line: /is not the one of this database: it is empty or incomplete/,
  },
  'repositories in its folder': {
    settings: { INGOT__repository__STORAGE: 'local' },
    line: /the repositories of this database are stored as packs; set \[repository\]\.STORAGE = blobs/,
  },
}

export async function playStarts({ set, world, say }) {
  // A database without packs tells nothing about their place.
  await world.repo()
  const countBefore = await set.countProcesses()
  await Promise.all(
    Object.entries(refused).map(async ([what, { settings, line }], index) => {
      const { code, out, err } = await set.startOther(`other-${index}`, settings)
      assert.equal(code, 1, `${what}: ${out}${err}`)
      assert.match(err, line, what)
    }),
  )
  assert.equal(await set.countProcesses(), countBefore, 'a refused process leaves no lease')
  for (const at of world.doors) assert.equal(await statusOf(at.site(undefined, 'GET', '/api/healthz')), 200)
  say(`${Object.keys(refused).length} processes with foreign settings did not start`)
}
