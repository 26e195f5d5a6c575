import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { PushMirrorId, RepoId } from '../../lib/ids.ts'
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
  /** JSON list of what is followed besides git data: `wiki`, `lfs`, `releases`. */
  follows: Generated<string>
  /** Kind of the other server, whose API tells of releases; `git`: none is asked. */
  service: Generated<string>
}

/** Repositories of other servers that are kept like one of here. */
export interface PushMirrorTable {
  id: Generated<PushMirrorId>
  repo_id: RepoId
  /** `remote_mirror_` and ten letters and digits, by which requests name it. */
  remote_name: string
  /** Without credentials; `http`, `https` or `ssh`. */
  remote_url: string
  /** JSON of a name and a password, or of a private key, sealed for `push-mirror-credentials`; empty: none are needed. */
  sealed_credentials: string
  /** Of the key pair that the forge made, in the form of OpenSSH; empty where none is used. */
  public_key: string
  /** What the other side's host is known by since the first push over SSH, as lines of OpenSSH. */
  known_hosts: Generated<string>
  /** 0: never by the clock. */
  interval_seconds: number
  /** Whether every change of references is sent on at once. */
  pushes_on_commit: boolean
  created_unix: Unix
  /** When it was brought up to date last; 0: never yet. */
  synced_unix: Generated<Unix>
  /** When it is due; 0: never by the clock. */
  next_unix: Unix
  /** Why the last attempt failed; empty when it did not. */
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
