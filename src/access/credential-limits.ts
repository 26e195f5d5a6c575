import type { Viewer } from '../auth/viewer.ts'
import type { Call, Operation, Scope } from '../http/operation.ts'
import { Forbidden } from '../lib/errors.ts'

/** Codes of the requirements that find a repository, an organization or a team, and refuse what is not public. */
const resolvingCodes: ReadonlySet<string> = new Set(['resolve:repo', 'resolve:org', 'resolve:team'])

/** Scopes of accounts. */
const ofAccounts: ReadonlySet<Scope> = new Set(['user', 'organization', 'notification', 'activitypub', 'admin'])

const hasCode = ({ requires }: Operation, isCode: (code: string) => boolean): boolean =>
  requires.some(({ codes }) => codes.some(isCode))

/** Returns whether a requirement of the operation finds a repository, which decides before the limits of the credential do. */
export const isInRepo = (operation: Operation): boolean => hasCode(operation, (code) => code === 'resolve:repo')

/**
 * Throws `Forbidden` when the operation exceeds the limit of the credential, whatever the rights of the account. In a
 * repository it runs after the repository is found, because there a job of another repository is 404 (contract A5).
 */
export function checkCredentialLimits(viewer: Viewer | undefined, { operation, method }: Call): void {
  if (!viewer) return
  if (operation.outlivesCredential !== false) checkOutlives(viewer, operation)
  checkJob(viewer, operation, method)
}

/**
 * A public-only token changes public repositories and organizations as its scopes say (contract A2), and creates nothing
 * that the account holds beyond them.
 */
function checkOutlives(viewer: Viewer, operation: Operation): void {
  const isOfAccount =
    operation.outlivesCredential === 'account' || !hasCode(operation, (code) => resolvingCodes.has(code))
  if (viewer.limit.publicOnly && isOfAccount) {
    throw new Forbidden('a public-only token cannot change what belongs to the account', 'public_only')
  }
  if (viewer.limit.repo) throw new Forbidden('a job of a workflow cannot create what outlives it', 'job_of_workflow')
}

/**
 * Refuses writes of workflow jobs outside repositories: all jobs act as one account, so a key or secret of one job
 * would serve all others. Read-only jobs write nothing at all.
 */
function checkJob({ credential }: Viewer, { base, scope, path }: Operation, method: string): void {
  if (credential.kind !== 'job' || method === 'GET' || method === 'HEAD') return
  const isOfAccount = scope.some((each) => ofAccounts.has(each)) || /^\/users?\//.test(path)
  if (!isOfAccount && (base !== 'api' || !credential.readOnly)) return
  throw new Forbidden('a job of a workflow may not do this', 'job_of_workflow')
}

/** Throws `Forbidden` when a public-only token would create something private. */
export function refusePrivate(viewer: Viewer | undefined, isPrivate: boolean): void {
  if (isPrivate && viewer?.limit.publicOnly) {
    throw new Forbidden('a public-only token cannot create private repositories', 'public_only')
  }
}
