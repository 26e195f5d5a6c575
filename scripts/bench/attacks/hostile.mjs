/** Hostile texts, one by one: the longest read of others meanwhile, and the memory of the server. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { administrator } from '../../lib/forge.mjs'
import { hostileTexts } from '../../lib/hostile-texts.mjs'

/** Longest wait for a read while a text is parsed, in milliseconds; beyond it the server hangs. */
const hangMs = 10_000
/** Longest wait for a read that does not count as a stall, in milliseconds. */
const maxWaitMs = 200

/** Memory of the server, in MiB. */
const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Reads repeatedly until a piece of work ends; returns the longest read and the peak memory. */
async function duringReads({ url, pid }, work) {
  let isOver = false
  const working = work().finally(() => (isOver = true))
  let [longestMs, memory] = [0, 0]
  const read = async () => {
    const beganMs = performance.now()
    const path = `${url}/api/healthz`
    await (await fetch(path, { signal: AbortSignal.timeout(hangMs) })).arrayBuffer()
    longestMs = Math.max(longestMs, performance.now() - beganMs)
    memory = Math.max(memory, memoryOf(pid))
    await sleep(5)
  }
  while (!isOver) await read()
  await working
  // Jobs continue after the request that caused them.
  for (const endMs = performance.now() + 1000; performance.now() < endMs;) await read()
  return { longestMs, memory }
}

/** Prints a row for each text. */
export async function measureHostileTexts({ forge, ask }) {
  const { login } = administrator
  let count = 0
  const idle = await duringReads(forge, () => sleep(1000))
  const slow = []
  console.log('nobody'.padEnd(60), `longest read ${idle.longestMs.toFixed(0)} ms, ${idle.memory.toFixed(0)} MiB`)
  for (const [title, send] of Object.entries(await hostileTexts(forge.url))) {
    const { longestMs, memory } = await duringReads(forge, () => send(ask, login, `text-${++count}`))
    const isSlow = longestMs > maxWaitMs
    if (isSlow) slow.push(title)
    const row = `longest read ${longestMs.toFixed(0)} ms, ${memory.toFixed(0)} MiB${isSlow ? '  SLOW' : ''}`
    console.log(title.padEnd(60), row)
  }
  console.log(`${slow.length} texts kept a read waiting for more than ${maxWaitMs} ms`)
}
