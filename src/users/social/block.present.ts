import { formatUnix } from '../../lib/time.ts'
import type { BlockedUser } from './block.schemas.ts'
import type { Block } from './block.store.ts'

/** Presents blocked accounts with the time of the block. */
export const presentBlocks = (blocks: readonly Block[]): BlockedUser[] =>
  blocks.map((row) => ({ block_id: row.blocked_id, created_at: formatUnix(row.created_unix) }))
