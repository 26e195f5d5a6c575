import { Cron } from 'croner'
import type { Unix } from '../lib/time.ts'
import type { JobRun } from './job.ts'
import { wordTable } from '../lib/word-table.ts'

/** A scheduled task, which administrators may also start by name. */
export interface Schedule<Ctx> {
  /** The family's name where it has one, such as `update_mirrors`. */
  readonly name: string
  /** Five or six cron fields, `@midnight` and the like, or `@every 72h`. UTC unless it starts with `TZ=Europe/Oslo `. */
  readonly when: string
  /** False: only an administrator starts it. The default is true. */
  readonly enabled?: boolean
  /** Whether it also runs at each start of the program. The default is false. */
  readonly runAtStart?: boolean
  /** Maximum number of attempts of one run, with a back-off between them. The default is five. */
  readonly attempts?: number
  /** Timeout of one run, in milliseconds. The default is an hour. */
  readonly timeoutMs?: number
  run(ctx: Ctx, run: JobRun): Promise<void>
}

/** Declares a scheduled task. `{ ...task, when, enabled }` changes its schedule. */
export function schedule<Ctx>(declaration: Schedule<Ctx>): Schedule<Ctx> {
  declaredTimes(declaration.when)
  return declaration
}

/** Computes due times. */
export interface ScheduleTimes {
  /** Returns the first time after `unix`; undefined when there is none. */
  next(unix: Unix): Unix | undefined
}

const declared = new Map<string, ScheduleTimes>()

/** Like `parseSchedule`, for the few texts of the program and its settings: each is parsed once. */
export function declaredTimes(text: string): ScheduleTimes {
  let times = declared.get(text)
  if (!times) {
    times = parseSchedule(text)
    declared.set(text, times)
  }
  return times
}

const everyForm = /^@every\s+((?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)$/
const unitMs = wordTable<number>({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 })

/**
 * Parses a schedule: five cron fields, or six with seconds first; `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`,
 * `@midnight`, `@hourly`; `@every <duration>` of at least a second. A prefix `TZ=<zone>` or `CRON_TZ=<zone>` sets the time
 * zone; the default is UTC.
 * @throws Error that says what is wrong with the text
 */
export function parseSchedule(text: string): ScheduleTimes {
  const [, zone = 'UTC', pattern = ''] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/s.exec(text.trim()) ?? []
  const every = everyForm.exec(pattern)
  if (every) {
    let ms = 0
    for (const [, amount, unit] of (every[1] as string).matchAll(/([\d.]+)(ms|s|m|h|d)/g)) {
      ms += Number(amount) * (unitMs[unit as string] as number)
    }
    const seconds = Math.round(ms / 1000)
    if (seconds < 1) throw new Error(`"${text}" comes round more often than once a second`)
    return { next: (unix) => unix + seconds }
  }
  if (pattern === '@reboot' || !/^(@[a-z]+|\S+(\s+\S+){4,5})$/i.test(pattern)) {
    throw new Error(`"${text}" is not a schedule: five or six cron fields, @midnight and the like, or @every 72h`)
  }
  // Time zones load eight megabytes of tables, so only schedules with a zone use them, and each cron object is created when
  // a time is computed.
  const nextAfter = (unix: Unix): Date | null =>
    new Cron(pattern, { ...(zone === 'UTC' ? { utcOffset: 0 } : { timezone: zone }), paused: true }).nextRun(
      new Date(unix * 1000),
    )
  try {
    // Computing a time detects an unknown zone.
    nextAfter(0)
  } catch (error) {
    throw new Error(`"${text}" is not a schedule: ${(error as Error).message}`, { cause: error })
  }
  // The computed time is the next one for all times until then.
  let last: { readonly from: Unix; readonly next: Unix } | undefined
  return {
    next: (unix) => {
      if (last && last.from <= unix && unix < last.next) return last.next
      const date = nextAfter(unix)
      last = date ? { from: unix, next: Math.floor(date.getTime() / 1000) } : undefined
      return last?.next
    },
  }
}
