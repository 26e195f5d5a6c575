import type { Insertable, Selectable, Updateable } from 'kysely'
import type { PushMirrorId, RepoId } from '../../lib/ids.ts'
import { bigint, flag, id, ref, table, text, unique, unix, type TablesOf } from '../table.ts'

export const mirrorTables = {
  /** Pull mirrors; `repo.is_mirror` is true for these repositories. */
  mirror: table(
    {
      id: id<number>(),
      repo_id: unique(ref<RepoId>('repo', 'cascade')),
      /** The URL without credentials. */
      remote_url: text(),
      /** JSON of name and password, sealed for the purpose `mirror-credentials`; empty without credentials. */
      sealed_credentials: text(),
      /** 0: only on request. */
      interval_seconds: bigint(),
      /** Whether branches that are deleted at the source are deleted here. */
      prunes: flag(),
      /** When the last successful synchronization ended. */
      synced_unix: unix(),
      /** When the next synchronization is due; 0: only on request. */
      next_unix: unix(),
      /** Why the last attempt failed; empty after a success. */
      last_error: text(''),
      /** JSON list of the mirrored data besides git: `wiki`, `lfs`, `releases`. */
      follows: text('[]'),
      /** The kind of the source, whose API lists releases; `git`: no API is used. */
      service: text('git'),
    },
    { indexes: { mirror_next: '(next_unix) where next_unix > 0' } },
  ),

  /** Push mirrors: repositories of other servers that follow a local one. */
  push_mirror: table(
    {
      id: id<PushMirrorId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      /** `remote_mirror_` and ten letters and digits. Requests use it as the id. */
      remote_name: unique(text()),
      /** The URL without credentials; `http`, `https` or `ssh`. */
      remote_url: text(),
      /**
       * JSON of name and password, or of a private key, sealed for `push-mirror-credentials`; empty without credentials.
       */
      sealed_credentials: text(),
      /** The generated public key, in OpenSSH format; empty without one. */
      public_key: text(),
      /** The host keys seen at the first push over SSH, as `known_hosts` lines. */
      known_hosts: text(''),
      /** 0: not scheduled. */
      interval_seconds: bigint(),
      /** Whether each ref change is pushed at once. */
      pushes_on_commit: flag(),
      created_unix: unix(),
      /** When the last successful push ended; 0: never. */
      synced_unix: unix(0),
      /** When the next push is due; 0: not scheduled. */
      next_unix: unix(),
      /** Why the last attempt failed; empty after a success. */
      last_error: text(''),
    },
    { indexes: { push_mirror_repo: '(repo_id, id)', push_mirror_next: '(next_unix) where next_unix > 0' } },
  ),
}

export type MirrorTables = TablesOf<typeof mirrorTables>
export type MirrorRow = Selectable<MirrorTables['mirror']>
export type NewMirrorRow = Insertable<MirrorTables['mirror']>
export type MirrorChange = Updateable<MirrorTables['mirror']>
export type PushMirrorRow = Selectable<MirrorTables['push_mirror']>
export type NewPushMirrorRow = Insertable<MirrorTables['push_mirror']>
export type PushMirrorChange = Updateable<MirrorTables['push_mirror']>
