import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** The parts of a migration besides git data. */
export interface MigrationItems {
  /** Kind of the source server. Empty: plain git. */
  readonly service: string
  /** Names of the requested parts, for example `issues`. */
  readonly items: readonly string[]
  /** Whether the copy stays a mirror. */
  readonly isMirror?: boolean | undefined
}

const services = ['git', 'github', 'gitea', 'forgejo', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase']

/** Kinds of servers whose APIs are read. */
const readServices = ['github', 'gitea', 'forgejo', 'gitlab', 'gogs']

/** Parts that only a server's API provides. Flags about them have no effect for plain git. */
const itemsOfServices = ['issues', 'labels', 'milestones', 'pull_requests', 'releases']

/** Parts that a mirror would overwrite. */
const itemsOfPeople = ['issues', 'labels', 'milestones', 'pull_requests']

/**
 * Returns whether the server can copy all requested parts. Git data, wikis and LFS objects come from every kind of
 * server. Parts that would be missing are refused.
 */
export function mayMigrate({ service, items, isMirror = false }: MigrationItems): Verdict {
  const kind = service === '' ? 'git' : service.toLowerCase()
  if (!services.includes(kind)) return deny('migration_not_possible', `${service} is no kind of server`)
  if (kind === 'git') return allow
  const unread = readServices.includes(kind) ? undefined : items.find((item) => itemsOfServices.includes(item))
  if (unread !== undefined) {
    return deny('migration_not_possible', `${unread} cannot be copied from ${kind}, only git data can`)
  }
  const unfollowed = isMirror ? items.find((item) => itemsOfPeople.includes(item)) : undefined
  return unfollowed === undefined
    ? allow
    : deny('migration_not_possible', `a mirror cannot follow ${unfollowed} of another server`)
}
