import type { Db, Tx } from '../../db/database.ts'

/** Returns the sealed host key that the instance has under a name. */
export const findHostKey = async (db: Db | Tx, name: string): Promise<string | undefined> =>
  (await db.selectFrom('ssh_host_key').select('sealed').where('name', '=', name).executeTakeFirst())?.sealed

/** Inserts a host key; one that exists stays. */
export const insertHostKey = async (tx: Tx, name: string, sealed: string): Promise<void> => {
  await tx
    .insertInto('ssh_host_key')
    .values({ name, sealed })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

export const replaceHostKey = async (tx: Tx, name: string, sealed: string): Promise<void> => {
  await tx
    .insertInto('ssh_host_key')
    .values({ name, sealed })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ sealed }))
    .execute()
}
