import type { CredentialReader } from '../auth/credentials.ts'
import type { Config } from '../config/load-config.ts'
import type { StorageKind } from '../config/storage-settings.ts'
import type { Subscriber } from '../events/subscriber.ts'
import type { AnyJob } from '../jobs/job.ts'
import type { Schedule } from '../jobs/schedule.ts'
import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { Ctx, Services, SignedInRepoCtx } from './context.ts'
import type { Counter } from './contributions/counter.ts'
import type { DoctorCheck } from './contributions/doctor.ts'
import type { FileHolder } from './contributions/file-holder.ts'
import type { AnyOwnService } from './own-service.ts'
import type { LargeFiles } from './contributions/large-files.ts'
import type { Owned, OwnedByAccount, OwnedByRepo } from './contributions/owned.ts'
import { joinExtras, type PushExtras } from './contributions/push-extras.ts'
import type { StoredArtifacts } from './contributions/stored-artifacts.ts'
import type { UsageSource } from './quota/usage.ts'

/** A column that holds texts sealed with the instance key, and the purpose they were sealed for. Its table has an `id`. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly purpose: string
}

/** A column that holds blob keys, and the store of the blobs; an empty text holds no key. The table has an `id`. */
export interface FileColumn {
  readonly table: string
  readonly column: string
  readonly store: StorageKind
}

/** An open entry point of the application besides the web server. */
export interface Door {
  /** The bound ports, if the settings name them. */
  readonly ports: { readonly ssh?: number; readonly redirect?: number }
  /** Stops accepting clients, and ends running work within `deadlineMs`. */
  close(deadlineMs: number): Promise<void>
}

/** Counts rows, by the plural name of their kind. */
export type Totals = (db: Db) => Promise<Readonly<Record<string, number>>>

/**
 * Returns the account for a login (name or address) and a password, if an external source checks the password.
 * @param known the local account with that login
 * @returns `elsewhere` when the instance itself checks the password
 */
export type PasswordSource = (
  services: Services,
  known: UserRow | undefined,
  login: string,
  password: string,
) => Promise<UserRow | 'refused' | 'elsewhere'>

/** Returns the account that a trusted reverse proxy names; undefined without one. */
export type ProxySource = (
  services: Services,
  headers: Parameters<Services['accountOfProxy']>[0],
) => Promise<UserRow | undefined>

/** The contributions of one folder, declared in its `<folder>.feature.ts` and listed in `app.ts`. */
export interface Feature {
  /** Modules of routes. The name of an exported operation is its export name. */
  readonly routes?: readonly Readonly<Record<string, unknown>>[]
  /** Readers for kinds of credentials, tried in the order of the features; passwords are tried last. */
  readonly credentials?: readonly CredentialReader[]
  /** Checks passwords at an external source. Only one feature provides it. */
  readonly passwordSource?: PasswordSource
  /** Finds the account that a reverse proxy names. Only one feature provides it. */
  readonly proxySource?: ProxySource
  /** Event subscribers. The subscribers of an event run in this order, after those of earlier features. */
  readonly subscribers?: readonly Subscriber<Ctx>[]
  /** Subscribers that the settings disable. They get no new jobs; jobs that already wait still run. */
  readonly muted?: (config: Config) => readonly Subscriber<Ctx>[]
  /** Jobs of the durable queue. */
  readonly jobs?: readonly AnyJob<Ctx>[]
  /** Scheduled tasks. */
  readonly schedules?: (config: Config) => readonly Schedule<Ctx>[]
  /** Services that the feature opens with the application. */
  readonly services?: readonly AnyOwnService[]
  /**
   * Runs at the start, before jobs and doors, in the order of the features. It enqueues work that changed settings need.
   * `isAlone`: no other process uses the database.
   */
  readonly begin?: (services: Services, how: { readonly isAlone: boolean }) => Promise<unknown>
  /** Opens the feature's door once jobs run; undefined when the settings disable it. The web server opens last. */
  readonly door?: (services: Services) => Promise<Door | undefined>
  /** Totals for the metrics. */
  readonly totals?: Totals
  /** Columns with sealed texts, which a change of the instance key re-encrypts. */
  readonly sealed?: readonly SealedColumn[]
  /** Columns with blob keys, for the detection of missing blobs. */
  readonly files?: readonly FileColumn[]
  /** Decide who may download attachments of the feature's records. */
  readonly fileHolders?: readonly FileHolder[]
  /** Stored counters, which `ingot doctor` verifies and repairs. */
  readonly counters?: readonly Counter[]
  /** The feature's entries in the storage ledger, and their recount. */
  readonly usage?: readonly UsageSource[]
  /** Checks of `ingot doctor`, run after those of earlier features. */
  readonly doctor?: readonly DoctorCheck[]
  /** The data of accounts and repositories that the feature owns. */
  readonly owns?: readonly Owned[]
  /** Returns the feature's checks and effects for a push. */
  readonly pushExtras?: (ctx: SignedInRepoCtx) => PushExtras
  /** Files outside of git. Only one feature provides them. */
  readonly largeFiles?: LargeFiles
  /** Workflow artifacts, for lists of an owner's storage. Only one feature provides them. */
  readonly storedArtifacts?: StoredArtifacts
}

/** The contributions of all features, for code that serves all features without naming one. */
export interface Contributions {
  readonly sealed: readonly SealedColumn[]
  readonly files: readonly FileColumn[]
  readonly fileHolders: readonly FileHolder[]
  readonly counters: readonly Counter[]
  readonly usage: readonly UsageSource[]
  readonly doctor: readonly DoctorCheck[]
  readonly ownedByAccounts: readonly OwnedByAccount[]
  readonly ownedByRepos: readonly OwnedByRepo[]
  readonly pushExtras: (ctx: SignedInRepoCtx) => PushExtras
  readonly totals: Totals
  /** undefined when no feature accepts accounts from a reverse proxy. */
  readonly proxySource: ProxySource | undefined
  /** undefined when all passwords are those of the instance itself. */
  readonly passwordSource: PasswordSource | undefined
  /** undefined when no feature keeps files outside of git. */
  readonly largeFiles: LargeFiles | undefined
  /** undefined when no feature keeps artifacts. */
  readonly storedArtifacts: StoredArtifacts | undefined
}

/**
 * Returns the contributions of the features of the running application. `Services` does not know their type, since
 * contributions are declared with `Services`.
 */
export const contributionsOf = (services: Pick<Services, 'parts'>): Contributions => services.parts as Contributions

/** Collects the contributions of all features, in their order. */
export function collectContributions(features: readonly Feature[]): Contributions {
  const owns = features.flatMap((feature) => feature.owns ?? [])
  const usage = features.flatMap((feature) => feature.usage ?? [])
  const kinds = usage.flatMap((each) => each.kinds)
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index)
  if (twice !== undefined) throw new Error(`two features count the usage ${twice}`)
  const [largeFiles, ...others] = features.flatMap((feature) => feature.largeFiles ?? [])
  if (others.length > 0) throw new Error('two features keep files outside of git')
  const [storedArtifacts, ...otherArtifacts] = features.flatMap((feature) => feature.storedArtifacts ?? [])
  const [passwordSource, ...otherPasswords] = features.flatMap((feature) => feature.passwordSource ?? [])
  if (otherPasswords.length > 0) throw new Error('two features have a say in passwords')
  const [proxySource, ...otherProxies] = features.flatMap((feature) => feature.proxySource ?? [])
  if (otherProxies.length > 0) throw new Error('two features know whom a reverse proxy vouches for')
  if (otherArtifacts.length > 0) throw new Error('two features keep artifacts')
  return {
    largeFiles,
    storedArtifacts,
    passwordSource,
    proxySource,
    sealed: features.flatMap((feature) => feature.sealed ?? []),
    files: features.flatMap((feature) => feature.files ?? []),
    fileHolders: features.flatMap((feature) => feature.fileHolders ?? []),
    counters: features.flatMap((feature) => feature.counters ?? []),
    usage,
    doctor: features.flatMap((feature) => feature.doctor ?? []),
    ownedByAccounts: owns.filter((each) => each.of === 'account'),
    ownedByRepos: owns.filter((each) => each.of === 'repository'),
    totals: async (db) => {
      const counted = await Promise.all(features.map(async ({ totals }) => totals?.(db) ?? {}))
      return Object.fromEntries(counted.flatMap((each) => Object.entries(each)))
    },
    pushExtras: (ctx) => joinExtras(features.flatMap((feature) => feature.pushExtras?.(ctx) ?? [])),
  }
}
