/**
 * Changes through one replica that the next request to each replica must obey: a revoked right, another name, other
 * contents. A process that keeps an answer across such a change shows it here.
 *
 * A row of the tables prepares what it needs and returns
 * - `read`, which returns a value that a replica shows, and its values `before` and `after` the change. `before` is omitted
 *   where reading changes something;
 * - `change`, which makes the change at a replica. `done` is its status; by default, any success.
 */
import { isDeepStrictEqual } from 'node:util'
import { changesOfContents } from './replica-changes-of-contents.mjs'
import { changesOfPeople } from './replica-changes-of-people.mjs'

/** How many changes are played at once. */
const lanes = 4

const changes = { ...changesOfPeople, ...changesOfContents }

/** Plays all changes, each at another replica in turn. Returns the differences. */
export async function playChanges({ world, say }) {
  const { doors } = world
  const problems = []

  /** Reads a value at all replicas at once. */
  async function expect(what, read, expected) {
    const values = await Promise.all(doors.map((at) => read(at).catch((error) => error.message)))
    for (const [index, value] of values.entries()) {
      if (isDeepStrictEqual(value, expected)) continue
      const [found, wanted] = [value, expected].map((each) => JSON.stringify(each))
      problems.push(`${what}: replica ${index + 1} shows ${found}, not ${wanted}`)
    }
  }

  async function play(what, prepare, at) {
    const { read, before, change, done, after } = await prepare(world)
    if (before !== undefined) await expect(`before ${what}`, read, before)
    const { status, text } = await change(at)
    if (done === undefined ? status < 200 || status > 299 : status !== done) {
      problems.push(`${what}: ${status} ${text?.slice(0, 300)}`)
    }
    await expect(`after ${what}`, read, after)
  }

  const rows = Object.entries(changes).entries()
  const lane = async () => {
    for (const [index, [what, prepare]] of rows) {
      await play(what, prepare, doors[index % doors.length]).catch((error) => problems.push(`${what}: ${error.stack}`))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  say(`${Object.keys(changes).length} changes through one replica hold at once at each`)
  return problems
}
