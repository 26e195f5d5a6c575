/**
 * The pools of slots that jobs run in, so that work of one kind never takes the places of another. The name is stored: a
 * pool that goes needs a migration for the rows that wait in it. How many slots a process has in each is a setting.
 */
export const poolNames = [
  /** Short work on rows and stored files. */
  'default',
  /** What follows a push and reads or writes a repository: people wait for it. */
  'git',
  /** Packing and collecting in repositories: up to an hour each, and nobody waits. */
  'maintenance',
  /** Fetching from other servers: as long as they take. */
  'mirrors',
  /** Bringing repositories here from other servers with all that belongs to them. */
  'imports',
  /** What the clock starts. */
  'tasks',
  /** Mail servers take their time and are away for hours. */
  'mail',
  /** Deliveries to addresses of strangers. */
  'webhooks',
  /** Further tries of deliveries whose receivers were not to be reached: each may take as long as it is given. */
  'webhookRetries',
  /** Work whose time grows with texts of strangers. */
  'render',
] as const

export type PoolName = (typeof poolNames)[number]

/** How many jobs of each pool one process runs at the same time. */
export type PoolSlots = Readonly<Record<PoolName, number>>

/**
 * Pools whose jobs wait for other servers. Such a job runs at most moments, so it runs when somebody ends the process twice
 * for another reason. Only its attempts limit it.
 */
const waitingPools: ReadonlySet<string> = new Set<PoolName>([
  'mirrors',
  'imports',
  'mail',
  'webhooks',
  'webhookRetries',
])

/** Returns whether jobs of the pool run so often that the end of their process says nothing about them. */
export const isOftenRunning = (pool: string): boolean => waitingPools.has(pool)
