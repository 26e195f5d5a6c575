/**
 * Pools of job slots, so that one kind of work cannot use up the slots of another. The name is stored: removing a pool
 * needs a migration. Settings determine the number of slots.
 */
export const poolNames = [
  /** Short work on rows and files. */
  'default',
  /** Work after a push; users wait for it. */
  'git',
  /** Repository maintenance: up to an hour. */
  'maintenance',
  /** Fetches from other servers. */
  'mirrors',
  /** Imports from other servers. */
  'imports',
  /** Scheduled tasks. */
  'tasks',
  /** Mail; mail servers may be slow or unreachable for hours. */
  'mail',
  /** Webhook deliveries. */
  'webhooks',
  /** Retries of webhook deliveries to unreachable receivers. */
  'webhookRetries',
  /** Work whose time grows with untrusted text. */
  'render',
] as const

export type PoolName = (typeof poolNames)[number]

/** Number of concurrent jobs by pool, for one process. */
export type PoolSlots = Readonly<Record<PoolName, number>>

/**
 * Pools whose jobs wait for other servers. Such jobs run at most moments, also when a process is ended for another reason;
 * only their attempts limit them.
 */
const waitingPools: ReadonlySet<string> = new Set<PoolName>([
  'mirrors',
  'imports',
  'mail',
  'webhooks',
  'webhookRetries',
])

/** Returns whether the end of a process says nothing about the jobs of the pool. */
export const isOftenRunning = (pool: string): boolean => waitingPools.has(pool)
