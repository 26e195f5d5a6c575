/** Measures what a piece of work costs a server with a probe: processor time of its main thread, and memory. */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Above this growth since the last collection, garbage is collected before the next measurement, in MB. */
const uncollectedMb = 24
/** Idle: the main thread works less than this in a tenth of a second, in milliseconds. */
const idleMs = 3
const longestSettleMs = 60_000
/** Times for which the probe looks at an idle server, and their number: the least cost of a look counts. */
const [idleLookMs, idleLooks] = [150, 3]
/** Processor time of the probe's fixed work at the reference speed, at which limits are stated, in milliseconds. */
const referenceMs = 4

/**
 * Connects to the probe of a server. `during(work)` returns the result of the work with `cpuMs`, the processor time of the
 * main thread, `holdMs`, the longest part of it without a pause, and `memoryMb`, the growth of the process at its peak. Both times
 * are those of the reference speed: `calibrate()` measures how much slower the machine is now.
 * @param path socket of the probe
 */
export async function openMeter(pid, path) {
  const socket = connect(path)
  await once(socket, 'connect')
  let text = ''
  let received
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
    if (text.endsWith('\n')) received?.(JSON.parse(text))
  })
  const ended = new Promise((_, reject) => socket.on('close', () => reject(new Error('the server has ended'))))
  ended.catch(() => undefined)
  const tell = (command) => {
    text = ''
    const answer = new Promise((resolve) => (received = resolve))
    socket.write(command)
    return Promise.race([answer, ended])
  }
  const memoryMb = (field) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  await tell('collect')
  let collectedMb = memoryMb('VmRSS')

  /** Factors of all calibrations: the time of the fixed work beside that of the reference speed. */
  const factors = []
  /** Processor time of one look of the probe, in milliseconds: a request that waits for threads has thousands. */
  let perLookMs = 0
  async function calibrate() {
    factors.push((await tell('fixedWork')).ms / referenceMs)
    perLookMs = Infinity
    for (let at = 0; at < idleLooks; at++) {
      await tell('begin')
      await sleep(idleLookMs)
      const { cpuMs, looks } = await tell('end')
      perLookMs = Math.min(perLookMs, cpuMs / looks)
    }
  }
  await calibrate()

  async function during(work) {
    if (memoryMb('VmRSS') > collectedMb + uncollectedMb) {
      await tell('collect')
      collectedMb = memoryMb('VmRSS')
    }
    // The kernel forgets the peak.
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const beforeMb = memoryMb('VmRSS')
    await tell('begin')
    const result = await work()
    const { cpuMs, holdMs, looks } = await tell('end')
    const factor = factors.at(-1)
    return {
      result,
      cpuMs: Math.max(0, cpuMs - looks * perLookMs) / factor,
      holdMs: holdMs / factor,
      memoryMb: Math.max(0, memoryMb('VmHWM') - beforeMb),
    }
  }

  /** Waits until the server is idle. Returns the longest hold meanwhile, as `during` does. */
  const settle = () =>
    during(async () => {
      const clock = () => /^\d+ \(.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))[1].split(' ')
      const ticks = () => Number(clock()[11]) + Number(clock()[12])
      const beganMs = performance.now()
      for (let quiet = 0; quiet < 3 && performance.now() - beganMs < longestSettleMs;) {
        const before = ticks()
        await sleep(100)
        quiet = (ticks() - before) * 10 > idleMs * 5 ? 0 : quiet + 1
      }
    })
  /** What readers of figures need to know of the machine. */
  const speed = () => {
    const [least, most] = [Math.min(...factors), Math.max(...factors)].map((factor) => factor.toFixed(1))
    return `times at the reference speed (fixed work: ${referenceMs} ms); this machine took ${least} to ${most} times as long`
  }
  return { during, settle, calibrate, speed, hasEnded: () => socket.destroyed, close: () => socket.destroy() }
}
