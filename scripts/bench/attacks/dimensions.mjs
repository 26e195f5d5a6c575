/**
 * Fills one dimension of stored text after the other to its limit, as somebody who signed up, and measures the acts that do
 * so and every read that shows it, as its owner and as a guest.
 */
import { gitDimensions } from './git.mjs'
import { Addresses, readsOf } from './reads.mjs'
import { lineOf } from './report.mjs'
import { rowDimensions } from './rows.mjs'
import { textDimensions } from './texts.mjs'
import { worldsOf } from './world.mjs'

/** Each is `{ name, limit, fill(world, size) }`; `fill` returns what parameters of addresses stand for. */
export const dimensions = [...textDimensions, ...gitDimensions, ...rowDimensions]

/** With `--quick` each dimension has this share of its limit. */
const quickShare = 0.05

/**
 * Measures dimensions.
 * @param meter of the server, from `openMeter`
 * @param report receives the rows
 */
export async function measureDimensions({ url, ask, folder, meter, report, operations, only, ids, quick }) {
  const reads = readsOf(operations, ids?.split(','))
  const [ofAdministrator, ofEverybody] = [
    reads.filter(({ isAdmin }) => isAdmin),
    reads.filter(({ isAdmin }) => !isAdmin),
  ]
  let current = 'start'
  const measured = async (id, send) => {
    const measurement = await meter.during(send)
    report.add(current, { id, path: '', who: 'owner' }, measurement)
    return measurement.result
  }
  const { createWorld, createAdministrator } = worldsOf({ url, ask, folder, measured })
  const failed = []
  const chosen = dimensions.filter(
    ({ name }) => only === undefined || only.split(',').some((each) => name.includes(each)),
  )
  for (const [at, dimension] of chosen.entries()) {
    try {
      await measureDimension(at, dimension)
    } catch (error) {
      if (meter.hasEnded()) throw error
      // The others are still worth measuring; the run fails at its end.
      failed.push(`${dimension.name}: ${error.message}`)
      console.log(`${dimension.name} FAILED: ${error.message}`)
    }
  }
  const administrator = await createAdministrator()
  if (only === undefined) {
    await measureReads({
      world: administrator,
      who: 'administrator',
      places: {},
      reads: ofAdministrator,
      meter,
      report,
      name: 'everything',
    })
  }
  return { failed, unreached: report.unreached(reads.filter(({ isMeasured }) => isMeasured)) }

  async function measureDimension(at, { name, limit, fill }) {
    current = name
    // The speed of a busy machine changes.
    await meter.calibrate()
    const beganMs = performance.now()
    const world = await createWorld(`${at}${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}x`)
    const found = await fill(world, quick ? Math.max(2, Math.ceil(limit * quickShare)) : limit)
    report.add(name, { id: 'jobs', path: '', who: 'server' }, await meter.settle())
    const filledMs = performance.now() - beganMs
    const before = report.requests
    await measureReads({
      world,
      who: 'owner',
      places: { ...world.places, ...found },
      reads: ofEverybody,
      meter,
      report,
      name,
    })
    const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
    console.log(
      `${name}: filled in ${seconds(filledMs)}, ${report.requests - before} requests in ${seconds(performance.now() - beganMs - filledMs)}`,
    )
    for (const row of report
      .above()
      .filter(({ dimension }) => dimension === name)
      .slice(0, 6)) {
      console.log(lineOf(row))
    }
  }
}

async function measureReads({ world, who, places, reads, meter, report, name }) {
  const addresses = new Addresses(reads, places)
  for (let next = addresses.take(); next !== undefined; next = addresses.take()) {
    const { read, path, isQuery } = next
    const asked = async (who, headers) => {
      const measurement = await meter.during(() => world.send('GET', path, { headers }))
      const isFile = read.isFile || /^\{.{0,2000}"encoding":"base64"/s.test(measurement.result.text)
      report.add(name, { id: read.id, path, who, isFile, isExpensive: read.isExpensive }, measurement)
      return measurement.result
    }
    const accept = { accept: read.isPage ? 'text/html' : '*/*' }
    // The guest comes first: what is kept for readers is not there yet.
    if (!isQuery) await asked('guest', accept)
    const { status, text, headers } = await asked(
      who,
      read.isPage ? { ...accept, cookie: world.cookie } : { ...accept, authorization: world.authorization },
    )
    if (status >= 300) continue
    addresses.addQueries(read, path)
    const type = headers.get('content-type') ?? ''
    if (type.startsWith('text/html')) addresses.addLinks(text, path)
    else if (type.startsWith('application/json') && /^\s*[[{]/.test(text) && text.length < 4 << 20) {
      const json = JSON.parse(text)
      const list = Array.isArray(json) ? json : Object.values(json).find(Array.isArray)
      if (list?.length > 0) addresses.addItems(path.split('?')[0], list)
    }
  }
}
