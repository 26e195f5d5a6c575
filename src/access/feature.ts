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
import { collectEffects, type RefEffect, type RefEffects } from './contributions/ref-effect.ts'

/** A column that holds texts sealed with the instance key, and the purpose they were sealed for. Its table has an `id`. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly purpose: string
}

/** A column that names blobs, and the store in which they lie; an empty text names none. Its table has an `id`. */
export interface FileColumn {
  readonly table: string
  readonly column: string
  readonly store: StorageKind
}

/** A way into the application besides the web server, while it is open. */
export interface Door {
  /** Where it listens, when it is a port of the configuration. */
  readonly ports: { readonly ssh?: number; readonly redirect?: number }
  /** Lets nobody in any more, and ends what is under way within `deadlineMs`. */
  close(deadlineMs: number): Promise<void>
}

/** Counts rows of some kinds of things, by their plural. */
export type Totals = (db: Db) => Promise<Readonly<Record<string, number>>>

/**
 * The account of somebody by name or address and password, where another place is asked for it.
 * @param known the account that has the name or address
 * @returns `elsewhere` where the password is one of the instance itself
 */
export type PasswordSource = (
  services: Services,
  known: UserRow | undefined,
  login: string,
  password: string,
) => Promise<UserRow | 'refused' | 'elsewhere'>

/**
 * The account of whom a reverse proxy that is believed names, by what it says; undefined when there is none.
 */
export type ProxySource = (
  services: Services,
  said: Parameters<Services['accountOfProxy']>[0],
) => Promise<UserRow | undefined>

/** What one folder brings to the application; declared in its `<folder>.feature.ts` and listed in `app.ts`. */
export interface Feature {
  /** Modules of routes: each export that is an operation is one, under the name it has there. */
  readonly routes?: readonly Readonly<Record<string, unknown>>[]
  /** Readers of the kinds of credentials that it knows; they are asked in the order of the features, passwords last. */
  readonly credentials?: readonly CredentialReader[]
  /** Who has a say in passwords besides the instance itself. One feature has. */
  readonly passwordSource?: PasswordSource
  /** Whom a reverse proxy vouches for. One feature knows. */
  readonly proxySource?: ProxySource
  /** Who hears of events; those of one event are told in this order, after those of earlier features. */
  readonly subscribers?: readonly Subscriber<Ctx>[]
  /** Those of them who hear nothing, as the settings are: no jobs are written for them. What waits from before is still run. */
  readonly muted?: (config: Config) => readonly Subscriber<Ctx>[]
  /** What changes of references can bring about, in the transaction that settles them. */
  readonly refEffects?: readonly RefEffect[]
  /** Work that outlives requests. */
  readonly jobs?: readonly AnyJob<Ctx>[]
  /** What the clock starts. */
  readonly schedules?: (config: Config) => readonly Schedule<Ctx>[]
  /** What it makes for itself when the application opens. */
  readonly services?: readonly AnyOwnService[]
  /**
   * What it does when the application begins to serve, before jobs run and doors open, in the order of the features: puts
   * right what a crash left behind, or asks for work that changed settings call for. `isAlone` says that no other process
   * works with the database.
   */
  readonly begin?: (services: Services, how: { readonly isAlone: boolean }) => Promise<unknown>
  /** Opens its door once jobs run; undefined when the settings keep it shut. The web server opens last and closes with it. */
  readonly door?: (services: Services) => Promise<Door | undefined>
  /** How many there are of what operators watch. */
  readonly totals?: Totals
  /** Where it keeps sealed texts, so that they follow a change of the key. */
  readonly sealed?: readonly SealedColumn[]
  /** Where its rows name blobs, so that missing ones are found. */
  readonly files?: readonly FileColumn[]
  /** Who may download the files that are attached to what it has. */
  readonly fileHolders?: readonly FileHolder[]
  /** Counts that it keeps in rows, so that wrong ones are found and put right. */
  readonly counters?: readonly Counter[]
  /** What it writes to the ledger of stored bytes, and how that is counted anew. */
  readonly usage?: readonly UsageSource[]
  /** What else `ingot doctor` looks at, after what earlier features look at. */
  readonly doctor?: readonly DoctorCheck[]
  /** What it keeps for accounts and repositories. */
  readonly owns?: readonly Owned[]
  /** What it has to do with a push into a repository. */
  readonly pushExtras?: (ctx: SignedInRepoCtx) => PushExtras
  /** Files that it keeps outside of git. One feature has such. */
  readonly largeFiles?: LargeFiles
  /** Artifacts of workflows, for the lists of what an owner stores. One feature keeps such. */
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
  readonly refEffects: RefEffects
  readonly totals: Totals
  /** undefined when nobody is believed who vouches for others. */
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
    refEffects: collectEffects(features.flatMap((feature) => feature.refEffects ?? [])),
    totals: async (db) => {
      const counted = await Promise.all(features.map(async ({ totals }) => totals?.(db) ?? {}))
      return Object.fromEntries(counted.flatMap((each) => Object.entries(each)))
    },
    pushExtras: (ctx) => joinExtras(features.flatMap((feature) => feature.pushExtras?.(ctx) ?? [])),
  }
}
