import type { Db, Tx } from '../db/database.ts'
import type { ActorKeyRow } from '../db/tables/federation.ts'
import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** A local actor that signs requests: the instance, or an account. */
export type LocalActor = UserId | 'instance'

const nameOf = (actor: LocalActor): string => (actor === 'instance' ? actor : `user ${actor}`)

export const findActorKey = (db: Db, actor: LocalActor): Promise<ActorKeyRow | undefined> =>
  db.selectFrom('actor_key').selectAll().where('actor', '=', nameOf(actor)).executeTakeFirst()

/** Stores a key unless the actor has one. */
export const insertActorKey = async (
  tx: Tx,
  actor: LocalActor,
  key: { readonly publicKey: string; readonly sealedPrivateKey: string; readonly createdUnix: Unix },
): Promise<void> =>
  void (await tx
    .insertInto('actor_key')
    .values({
      actor: nameOf(actor),
      user_id: actor === 'instance' ? null : actor,
      public_key: key.publicKey,
      sealed_private_key: key.sealedPrivateKey,
      created_unix: key.createdUnix,
    })
    .onConflict((conflict) => conflict.column('actor').doNothing())
    .execute())
