import type { Db } from '../../db/database.ts'
import type { AttachmentRow } from '../../db/tables/issues.ts'
import type { Scope } from '../../http/operation.ts'
import type { Rights } from '../rights.ts'

/** A feature whose records have attachments. It decides who reads them. */
export interface FileHolder {
  /** Returns who may download a file; undefined: the file belongs to another feature. */
  readonly guard: (db: Db, file: AttachmentRow) => Promise<FileGuard | undefined>
}

export interface FileGuard {
  /** The scope that a token needs. */
  readonly scope: Scope
  /** Decides by the rights in the repository of the file. */
  readonly mayRead: (rights: Rights) => boolean
}
