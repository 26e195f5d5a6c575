import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** What a request for a copy wants besides the git data. */
export interface MigrationItems {
  /** Kind of the other server; empty: plain git. */
  readonly service: string
  /** Names of what is asked for, like `issues`. */
  readonly items: readonly string[]
}

const services = ['git', 'github', 'gitea', 'forgejo', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase']

/** What only another server's own API could tell; plain git has none of it, and a flag about it means nothing there. */
const itemsOfServices = ['issues', 'labels', 'milestones', 'pull_requests', 'releases']

/**
 * Whether a copy can be made as asked. Git data is copied from every server; what would be left out without a word is
 * refused instead.
 */
export function mayMigrate({ service, items }: MigrationItems): Verdict {
  const kind = service === '' ? 'git' : service.toLowerCase()
  if (!services.includes(kind)) return deny(`${service} is no kind of server`)
  if (items.includes('lfs')) return deny('LFS objects can not be copied along')
  const refused = kind === 'git' ? undefined : items.find((item) => itemsOfServices.includes(item))
  return refused === undefined ? allow : deny(`${refused} can not be copied from ${kind}, only git data can`)
}
