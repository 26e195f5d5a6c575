import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { PushMirrorId, RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Pull mirrors; `repo.is_mirror` is true for these repositories. */
export interface MirrorTable {
  id: Generated<number>
  repo_id: RepoId
  /** The URL without credentials. */
  remote_url: string
  /** JSON of name and password, sealed for the purpose `mirror-credentials`; empty without credentials. */
  sealed_credentials: string
  /** 0: only on request. */
  interval_seconds: number
  /** Whether branches that are deleted at the source are deleted here. */
  prunes: boolean
  /** When the last successful synchronization ended. */
  synced_unix: Unix
  /** When the next synchronization is due; 0: only on request. */
  next_unix: Unix
  /** Why the last attempt failed; empty after a success. */
  last_error: Generated<string>
  /** JSON list of the mirrored data besides git: `wiki`, `lfs`, `releases`. */
  follows: Generated<string>
  /** The kind of the source, whose API lists releases; `git`: no API is used. */
  service: Generated<string>
}

/** Push mirrors: repositories of other servers that follow a local one. */
export interface PushMirrorTable {
  id: Generated<PushMirrorId>
  repo_id: RepoId
  /** `remote_mirror_` and ten letters and digits. Requests use it as the id. */
  remote_name: string
  /** The URL without credentials; `http`, `https` or `ssh`. */
  remote_url: string
  /**
   * JSON of name and password, or of a private key, sealed for `push-mirror-credentials`; empty without credentials.
   */
  sealed_credentials: string
  /** The generated public key, in OpenSSH format; empty without one. */
  public_key: string
  /** The host keys seen at the first push over SSH, as `known_hosts` lines. */
  known_hosts: Generated<string>
  /** 0: not scheduled. */
  interval_seconds: number
  /** Whether each ref change is pushed at once. */
  pushes_on_commit: boolean
  created_unix: Unix
  /** When the last successful push ended; 0: never. */
  synced_unix: Generated<Unix>
  /** When the next push is due; 0: not scheduled. */
  next_unix: Unix
  /** Why the last attempt failed; empty after a success. */
  last_error: Generated<string>
}

export interface MirrorTables {
  mirror: MirrorTable
  push_mirror: PushMirrorTable
}

export type MirrorRow = Selectable<MirrorTable>
export type NewMirrorRow = Insertable<MirrorTable>
export type MirrorChange = Updateable<MirrorTable>

export type PushMirrorRow = Selectable<PushMirrorTable>
export type NewPushMirrorRow = Insertable<PushMirrorTable>
export type PushMirrorChange = Updateable<PushMirrorTable>
