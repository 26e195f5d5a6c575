import { Cron } from 'croner'
import type { Unix } from '../lib/time.ts'
import type { JobRun } from './job.ts'

/** A task that runs at certain times; the administrator sees it by name and may run it at any time. */
export interface Schedule<Ctx> {
  /** Name in the family's list where there is one, for example `update_mirrors`. */
  readonly name: string
  /** Five or six cron fields, `@midnight` and the like, or `@every 72h`. UTC unless `TZ=Europe/Oslo ` leads. */
  readonly when: string
  /** False: only when somebody asks. True unless told. */
  readonly enabled?: boolean
  /** True: also each time the program starts. False unless told. */
  readonly runAtStart?: boolean
  /** How often one run is begun, should it fail or its process die. Once unless told: the next time comes anyway. */
  readonly attempts?: number
  /** Longest time of one run, in milliseconds; an hour unless told. */
  readonly timeoutMs?: number
  run(ctx: Ctx, run: JobRun): Promise<void>
}

/** Declares a scheduled task. `{ ...task, when, enabled }` gives it other times. */
export function schedule<Ctx>(declaration: Schedule<Ctx>): Schedule<Ctx> {
  parseSchedule(declaration.when)
  return declaration
}

/** Tells when something is due. */
export interface ScheduleTimes {
  /** The first time after `unix`; undefined when there is none any more. */
  next(unix: Unix): Unix | undefined
}

const everyForm = /^@every\s+((?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)$/
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads a schedule: five cron fields, or six with seconds first; `@yearly`, `@annually`, `@monthly`, `@weekly`,
 * `@daily`, `@midnight`, `@hourly`; `@every <duration>` of at least a second. `TZ=<zone>` or `CRON_TZ=<zone>` before it
 * names a time zone, else it is UTC.
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
  // Reckoning with zones takes eight megabytes of the engine's tables, which only those who name one need. Each of these
  // takes 80 KB for its years, so it is made when a time is asked for.
  const nextAfter = (unix: Unix): Date | null =>
    new Cron(pattern, { ...(zone === 'UTC' ? { utcOffset: 0 } : { timezone: zone }), paused: true }).nextRun(
      new Date(unix * 1000),
    )
  try {
    // A zone that does not exist is only noticed when a time is computed.
    nextAfter(0)
  } catch (error) {
    throw new Error(`"${text}" is not a schedule: ${(error as Error).message}`, { cause: error })
  }
  return {
    next: (unix) => {
      const date = nextAfter(unix)
      return date ? Math.floor(date.getTime() / 1000) : undefined
    },
  }
}
