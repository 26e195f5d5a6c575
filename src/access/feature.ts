import type { CredentialReader } from '../auth/credentials.ts'
import type { Config } from '../config/load-config.ts'
import type { Subscriber } from '../events/subscriber.ts'
import type { AnyJob } from '../jobs/job.ts'
import type { Schedule } from '../jobs/schedule.ts'
import type { Ctx } from './context.ts'

/** A column that holds texts sealed with the instance key, and the purpose they were sealed for. Its table has an `id`. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly purpose: string
}

/** What one folder brings to the application; declared in its `<folder>.feature.ts` and listed in `app.ts`. */
export interface Feature {
  /** Modules of routes: each export that is an operation is one, under the name it has there. */
  readonly routes?: readonly Readonly<Record<string, unknown>>[]
  /** Readers of the kinds of credentials that it knows; they are asked in the order of the features, passwords last. */
  readonly credentials?: readonly CredentialReader[]
  /** Who hears of events; those of one event are told in this order, after those of earlier features. */
  readonly subscribers?: readonly Subscriber<Ctx>[]
  /** Work that outlives requests. */
  readonly jobs?: readonly AnyJob<Ctx>[]
  /** What the clock starts. */
  readonly schedules?: (config: Config) => readonly Schedule<Ctx>[]
  /** Where it keeps sealed texts, so that they follow a change of the key. */
  readonly sealed?: readonly SealedColumn[]
}
