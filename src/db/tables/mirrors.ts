import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Repositories that follow one of another server; `repo.is_mirror` is true for those. */
export interface MirrorTable {
  id: Generated<number>
  repo_id: RepoId
  /** Without credentials. */
  remote_url: string
  /** JSON of name and password, sealed for the purpose `mirror-credentials`; empty: none are needed. */
  sealed_credentials: string
  /** 0: only when somebody asks. */
  interval_seconds: number
  /** Whether branches that are deleted there are deleted here. */
  prunes: boolean
  /** When it was brought up to date last. */
  synced_unix: Unix
  /** When it is due; 0: not by itself. */
  next_unix: Unix
  /** Why the last attempt failed; empty when it did not. */
  last_error: Generated<string>
}

export interface MirrorTables {
  mirror: MirrorTable
}

export type MirrorRow = Selectable<MirrorTable>
export type NewMirrorRow = Insertable<MirrorTable>
export type MirrorChange = Updateable<MirrorTable>
