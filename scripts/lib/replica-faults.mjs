/** Faults of replicas and of what they share, one after the other or at random. */

/** The lease of a process, which a paused one exceeds, in milliseconds. */
const leaseMs = 5000
/** The time in which a dead process must be noticed, in milliseconds: five seconds, and as much again for a busy machine. */
const longestNoticeMs = 10_000

/** How long a part may be noticed to be away, or need to be back, after a fault has ended, in milliseconds. */
const echoMs = 6000
const restMs = 4000

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomOf(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the faults of a set of replicas. */
export function faultsOf(set, { seed, say }) {
  const random = randomOf(seed)
  const problems = []
  const pick = (list) => list[Math.floor(random() * list.length)]
  let running = 0
  let endedMs = -Infinity

  const faults = {
    'kill -9 of a replica': async (replica) => {
      const countBefore = await set.countProcesses()
      await set.kill(replica)
      const killedMs = performance.now()
      const isNoticed = async () => (await set.countProcesses()) < countBefore
      while (!(await isNoticed()) && performance.now() - killedMs < longestNoticeMs) await pause(100)
      const tookMs = performance.now() - killedMs
      say(`its death was noticed after ${(tookMs / 1000).toFixed(1)} s`)
      if (tookMs >= longestNoticeMs) {
        problems.push(`the death of a replica was not noticed within ${longestNoticeMs} ms`)
      }
      await set.start(replica)
    },
    'a replica that stands still for longer than its lease': async (replica) => {
      set.pause(replica)
      await pause(leaseMs * 1.5)
      set.resume(replica)
    },
    'no PostgreSQL': async () => {
      await set.stopDatabase()
      await pause(3000)
      await set.startDatabase()
    },
    'no storage': async () => {
      await set.stopStorage()
      await pause(4000)
      await set.startStorage()
    },
    'copies of repositories that are deleted': async (replica) => {
      for (let time = 0; time < 3; time++) {
        set.removeCopies(replica)
        await pause(500)
      }
    },
    ...(set.hasDisk
      ? {
          'a full disk of a replica': async () => {
            set.fillDisk()
            await pause(4000)
            set.emptyDisk()
          },
        }
      : {}),
  }

  async function play(name, replica) {
    say(`${name}${faults[name].length > 0 ? ` (${replica.number})` : ''}`)
    running += 1
    try {
      await faults[name](replica)
    } finally {
      running -= 1
      endedMs = performance.now()
    }
  }

  return {
    problems,
    /** Whether every part has worked for a while. */
    isCalm: () => running === 0 && performance.now() - endedMs > echoMs,
    rest: () => pause(echoMs + restMs),
    async playEach() {
      for (const [index, name] of Object.keys(faults).entries()) {
        await play(name, set.replicas[index % set.replicas.length])
        await pause(restMs)
      }
    },
    /** @param tell is called after each fault */
    async playAtRandom(forMs, tell) {
      for (const endMs = performance.now() + forMs; performance.now() < endMs;) {
        await play(pick(Object.keys(faults)), pick(set.replicas))
        await pause(random() * 2 * (echoMs + restMs))
        tell()
      }
    },
  }
}
