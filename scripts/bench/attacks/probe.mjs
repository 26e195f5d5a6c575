/**
 * Loaded into a measured server before its program (`--import`): counts the processor time of the main thread between two
 * commands on a Unix socket. The program knows nothing of it.
 */
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const lookMs = 5
// oxlint-disable-next-line node/no-process-env -- the server is configured by its environment, and so is its probe
const { INGOT_BENCH_PROBE: address, ...others } = process.env

const workedMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A fixed piece of work as pages and replies do it: rows as JSON, a regular expression, markup, sorting. */
function fixedWork() {
  const rows = Array.from({ length: 1500 }, (_, at) => ({
    id: at,
    name: `row ${at * 7919}`,
    body: 'a **word** & <b>more</b>, #1 '.repeat(4),
  }))
  const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
  const read = JSON.parse(JSON.stringify(rows))
  read.sort((one, other) => (one.name < other.name ? -1 : 1))
  let html = ''
  for (const { id, name, body } of read) {
    const text = body.replaceAll(/[&<>]/g, (mark) => marks[mark]).replaceAll(/\*\*(\w+)\*\*/g, '<strong>$1</strong>')
    html += `<li id="row-${id}"><a href="/x/${id}">${name}</a> ${text.replaceAll(/#(\d+)/g, '<a href="/issues/$1">#$1</a>')}</li>`
  }
  return Buffer.byteLength(html)
}
/** Rounds of the fixed work that the engine needs to compile it, and measured ones. */
const [warmRounds, measuredRounds] = [10, 9]

/** Processor time of the fixed work, the median of some rounds, in milliseconds. */
function fixedWorkMs() {
  const times = Array.from({ length: warmRounds + measuredRounds }, () => {
    const beforeMs = workedMs()
    fixedWork()
    return workedMs() - beforeMs
  })
  return times.slice(warmRounds).sort((one, other) => one - other)[measuredRounds >> 1]
}

function answerOn(path) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  let [beganMs, lastMs, holdMs, looks, timer] = [0, 0, 0, 0, undefined]
  const look = () => {
    looks += 1
    const nowMs = workedMs()
    holdMs = Math.max(holdMs, nowMs - lastMs)
    lastMs = nowMs
  }
  const commands = {
    fixedWork: () => ({ ms: fixedWorkMs() }),
    /** Frees memory, so that growth is visible. */
    collect: () => collect(),
    begin: () => {
      clearInterval(timer)
      beganMs = lastMs = workedMs()
      holdMs = looks = 0
      timer = setInterval(look, lookMs)
    },
    end: () => {
      look()
      clearInterval(timer)
      return { cpuMs: lastMs - beganMs, holdMs, looks }
    },
  }
  const server = createServer((socket) => {
    socket.unref()
    socket.on('error', () => undefined)
    socket.on('data', (name) => socket.write(`${JSON.stringify(commands[String(name).trim()]?.() ?? {})}\n`))
  })
  rmSync(path, { force: true })
  server.listen(path)
  server.unref()
}

if (isMainThread && address !== undefined) {
  // Processes that the server starts are not measured.
  process.env = others
  answerOn(address)
}
