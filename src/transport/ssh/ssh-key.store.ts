import type { Db, Tx } from '../../db/database.ts'
import type { PublicKeyRow, UserRow } from '../../db/tables/accounts.ts'
import type { KeyId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** The key with a fingerprint (`SHA256:…`, as OpenSSH writes it). */
export const findKeyByFingerprint = (db: Db, fingerprint: string): Promise<PublicKeyRow | undefined> =>
  db.selectFrom('public_key').selectAll().where('fingerprint', '=', fingerprint).executeTakeFirst()

export const findKeyOwner = (db: Db, id: UserId): Promise<UserRow | undefined> =>
  db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()

/** The access of a deploy key to a repository; undefined without access. */
export const findDeployAccess = (db: Db, keyId: KeyId, repoId: RepoId) =>
  db
    .selectFrom('deploy_key')
    .select(['id', 'is_read_only'])
    .where('key_id', '=', keyId)
    .where('repo_id', '=', repoId)
    .executeTakeFirst()

/** Updates the time of a key's last use, at most once in `everySeconds`. */
export const updateKeyUsed = (tx: Tx, id: KeyId, usedUnix: Unix, everySeconds: number) =>
  tx
    .updateTable('public_key')
    .set({ last_used_unix: usedUnix })
    .where('id', '=', id)
    .where('last_used_unix', '<', usedUnix - everySeconds)
    .execute()
