import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** What a request for a copy wants besides the git data. */
export interface MigrationItems {
  /** Kind of the other server; empty: plain git. */
  readonly service: string
  /** Names of what is asked for, like `issues`. */
  readonly items: readonly string[]
  /** Whether it follows the original from then on. */
  readonly isMirror?: boolean | undefined
}

const services = ['git', 'github', 'gitea', 'forgejo', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase']

/** Kinds of servers whose APIs are read. */
const readServices = ['github', 'gitea', 'forgejo', 'gitlab', 'gogs']

/** What only another server's own API could tell; plain git has none of it, and a flag about it means nothing there. */
const itemsOfServices = ['issues', 'labels', 'milestones', 'pull_requests', 'releases']

/** What people here write themselves, and would be overwritten where it follows another server. */
const itemsOfPeople = ['issues', 'labels', 'milestones', 'pull_requests']

/**
 * Whether a copy can be made as asked. Git data, wikis and LFS objects are copied from every server; what would be left out
 * without a word is refused instead.
 */
export function mayMigrate({ service, items, isMirror = false }: MigrationItems): Verdict {
  const kind = service === '' ? 'git' : service.toLowerCase()
  if (!services.includes(kind)) return deny(`${service} is no kind of server`)
  if (kind === 'git') return allow
  const unread = readServices.includes(kind) ? undefined : items.find((item) => itemsOfServices.includes(item))
  if (unread !== undefined) return deny(`${unread} cannot be copied from ${kind}, only git data can`)
  const unfollowed = isMirror ? items.find((item) => itemsOfPeople.includes(item)) : undefined
  return unfollowed === undefined ? allow : deny(`a mirror cannot follow ${unfollowed} of another server`)
}
