import type { Admission } from '../admission/admission.ts'
import type { Claim } from '../admission/claim.ts'
import type { StorageKind } from '../config/storage-settings.ts'
import type { ProcessLease } from '../db/process-lease.ts'
import type { RepoRow, RepoUnitRow } from '../db/tables/repositories.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { Git } from '../git/git.ts'
import type { NamedOperation } from '../http/operation.ts'
import type { CacheBudget } from '../lib/cache-budget.ts'
import type { Refusal } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { WorkBudget } from '../lib/work-budget.ts'
import type { AuthServices } from '../auth/auth-services.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Blobs } from '../storage/blobs.ts'
import type { BlobStores } from '../storage/open-blobs.ts'
import type { Images } from '../images/images.ts'
import type { Texts } from '../markup/texts.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { LiveEvents } from '../events/live.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Scheduler } from '../jobs/scheduler.ts'
import type { Rights } from './rights.ts'

/** Services that features opened, by their declarations. */
export type OwnServices = ReadonlyMap<unknown, unknown>

/** The services of the running application, the same for requests, jobs and commands. */
export interface Services extends AuthServices {
  /** Admission control: the use of shared resources per client. */
  readonly admission: Admission
  /** The lease of this process on its work. */
  readonly process: ProcessLease
  readonly git: Git
  /** The memory that all caches share. */
  readonly caches: CacheBudget
  /** A blob store for each kind of file. */
  readonly blobs: BlobStores<StorageKind>
  /** The store of packs; undefined when the repositories on the disk are durable. */
  readonly packs: Blobs | undefined
  readonly images: Images
  readonly texts: Texts
  readonly mailer: Mailer
  readonly log: Log
  readonly live: LiveEvents
  /** The scheduled tasks. */
  readonly tasks: Pick<Scheduler<Ctx>, 'list' | 'runNow'>
  /** Undefined when metrics are disabled. */
  readonly metrics: Metrics | undefined
  /** The contributions of all features; `contributionsOf` (feature.ts) returns them with their type. */
  readonly parts: object
  /** Services that features opened; see `ownService`. */
  readonly own: OwnServices
  /** Returns all operations of the application, for the API description. */
  readonly operations: () => readonly NamedOperation[]
}

/** The context of a request (or of a job or command, which has no viewer). Requirements add to it. */
export interface Ctx extends Services {
  readonly viewer?: Viewer | undefined
  /** Results that the requirements requested together with the credential, in order. */
  readonly ahead?: readonly (Promise<unknown> | undefined)[] | undefined
  /** The client that the work is charged to; undefined for work of the server itself. */
  readonly claim?: Claim | undefined
  /** What the work may still use up: one budget for the whole request, push or attempt of a job. */
  readonly budget: WorkBudget
  /** Additional data of the credential. A feature recognizes its own by the class. */
  readonly principal?: object
  /** Why the sent credentials are not valid, when that does not yet refuse the request (`wrongCredentials`). */
  readonly refusedCredential?: Refusal
}

declare module '../http/operation.ts' {
  /** The base of each operation's context. */
  interface RequestContext extends Ctx {}
}

export interface SignedInCtx extends Ctx {
  readonly viewer: Viewer
}

/** A repository that the viewer may see, with the rights of the viewer. */
export interface RepoCtx extends Ctx {
  readonly repo: RepoRow
  readonly owner: UserRow
  /** Enabled units. */
  readonly units: readonly RepoUnitRow[]
  readonly rights: Rights
}

export type SignedInRepoCtx = RepoCtx & SignedInCtx

/** An account that the path names. */
export interface SubjectCtx extends Ctx {
  readonly subject: UserRow
}
