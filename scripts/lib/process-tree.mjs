/** Processor time and memory of a process tree, from `/proc`. */
import { readdirSync, readFileSync } from 'node:fs'

const msPerTick = 10

/** The fields of `/proc/PID/stat` after the name, which may contain any character; empty when the process is gone. */
function fieldsOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** The ids of a process and its descendants. */
function treeOf(pid) {
  const children = Map.groupBy(
    readdirSync('/proc').filter((name) => /^\d+$/.test(name)),
    (name) => fieldsOf(name)[1] ?? '',
  )
  const found = [String(pid)]
  for (const each of found) found.push(...(children.get(each) ?? []))
  return found
}

/** Processor time of a process and its descendants, ended ones included, in milliseconds. */
export const processorMs = (pid) =>
  treeOf(pid).reduce((sum, each) => {
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fieldsOf(each).slice(11, 15).map(Number)
    return sum + (user + system + userOfEnded + systemOfEnded) * msPerTick
  }, 0)

/** The arguments of git after its settings. */
const commandOf = (rest) => rest.find((argument, index) => argument !== '-c' && rest[index - 1] !== '-c') ?? ''

/** Memory of a process and its descendants in MB: resident, and private. */
export function memoryOf(pid) {
  return treeOf(pid).flatMap((each) => {
    try {
      const text = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8')
      const sum = (name) =>
        [...text.matchAll(new RegExp(`^${name}:\\s+(\\d+) kB`, 'gm'))].reduce(
          (all, [, kb]) => all + Number(kb) / 1024,
          0,
        )
      const [program = '', ...rest] = readFileSync(`/proc/${each}/cmdline`, 'utf8').split('\0')
      const file = rest.find((argument) => argument.endsWith('.js')) ?? `${program} ${commandOf(rest)}`
      return [{ name: file.split('/').at(-1), rssMb: sum('Rss'), ownMb: sum('Private_(?:Clean|Dirty)') }]
    } catch {
      // The process has ended.
      return []
    }
  })
}

/** Returns whether a process runs. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
