/** Rows of the measure of attacks: what one request costs, beside the limits. */

/**
 * Limits of one request: processor time of the main thread at the reference speed (`meter.mjs`), growth of memory, size of the reply. A read that takes more than
 * `usualCpuMs` declares that it is expensive.
 */
export const limits = { cpuMs: 200, usualCpuMs: 100, memoryMb: 64, replyMb: 4 }

const mega = 1 << 20

/** The measurements of one run; the worst of each operation and dimension stays. */
export class Report {
  #worst = new Map()
  #reached = new Map()
  requests = 0

  add(dimension, { id, path, who, isFile = false, isExpensive = true }, { cpuMs, holdMs, memoryMb, result }) {
    this.requests++
    const status = result?.status ?? 200
    if (status < 400) this.#reached.set(id, true)
    const replyMb = (result?.bytes ?? 0) / mega
    const row = { dimension, id, path, who, status, cpuMs, holdMs, memoryMb, replyMb }
    // Nobody waits for a push as a whole: its parts are requests and git's own work. A file or a difference as a download
    // takes as long as it is large; others wait for the longest part of it.
    const ms = isFile || id === 'git push' || id === 'jobs' ? holdMs : cpuMs
    const cpuMsLimit = isExpensive ? limits.cpuMs : limits.usualCpuMs
    row.share = Math.max(ms / cpuMsLimit, memoryMb / limits.memoryMb, isFile ? 0 : replyMb / limits.replyMb)
    if (status === 500 || status > 503) row.share = Math.max(row.share, 1.01)
    const key = `${dimension} ${id}`
    if (!(this.#worst.get(key)?.share >= row.share)) this.#worst.set(key, row)
  }

  /** Ids that never answered with success. */
  unreached = (reads) => reads.filter(({ id }) => !this.#reached.has(id)).map(({ id }) => id)

  rows = () => [...this.#worst.values()].toSorted((one, other) => other.share - one.share)
  above = () => this.rows().filter(({ share }) => share > 1)
}

export const lineOf = ({ dimension, id, who, status, cpuMs, holdMs, memoryMb, replyMb, path }) =>
  [
    `${cpuMs.toFixed(0)} ms (${holdMs.toFixed(0)})`.padStart(15),
    `${memoryMb.toFixed(0)} MB`.padStart(8),
    `${replyMb.toFixed(1)} MB`.padStart(9),
    ` ${dimension}: ${id} (${who}${status < 400 ? '' : `, ${status}`}) ${path.slice(0, 90)}`,
  ].join(' ')

/**
 * The table of `docs/performance.md`: the worst operation of each dimension.
 * @param speed what the times mean
 */
export function tableOf(report, speed) {
  const worst = new Map()
  for (const row of report.rows()) if (!worst.has(row.dimension)) worst.set(row.dimension, row)
  const mark = (value, limit, text) => (value > limit ? `**${text}**` : text)
  return [
    `Main thread: ${speed}.`,
    '',
    '| stored to its limit | worst request | main thread | memory | reply |',
    '| --- | --- | --- | --- | --- |',
    ...[...worst.values()].map(
      ({ dimension, id, cpuMs, memoryMb, replyMb }) =>
        `| ${dimension} | ${id.startsWith('git') || id.includes(' ') ? id : `\`${id}\``} | ${mark(cpuMs, limits.cpuMs, `${cpuMs.toFixed(0)} ms`)} | ${mark(memoryMb, limits.memoryMb, `${memoryMb.toFixed(0)} MB`)} | ${mark(replyMb, limits.replyMb, `${replyMb.toFixed(1)} MB`)} |`,
    ),
  ].join('\n')
}
