import type { Db } from '../../db/database.ts'
import type { AttachmentRow } from '../../db/tables/issues.ts'
import type { Scope } from '../../http/operation.ts'
import type { Rights } from '../rights.ts'

/** A feature whose things have files attached: it knows who may read them. */
export interface FileHolder {
  /** Who may download a file; undefined where it belongs to nothing of this feature. */
  readonly guard: (db: Db, file: AttachmentRow) => Promise<FileGuard | undefined>
}

export interface FileGuard {
  /** What a token must grant to count here. */
  readonly scope: Scope
  /** By the rights in the repository of the file. */
  readonly mayRead: (rights: Rights) => boolean
}
