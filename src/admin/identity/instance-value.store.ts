import type { Db, Tx } from '../../db/database.ts'

/** Prefix of the names of values about the identity. */
const prefix = 'identity.'

/** Returns the values about the identity of the instance, by name. */
export async function listIdentityValues(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('instance_value').selectAll().where('name', 'like', `${prefix}%`).execute()
  return new Map(rows.map(({ name, value }) => [name.slice(prefix.length), value]))
}

const row = (name: string, value: string) => ({ name: `${prefix}${name}`, value })

/** Inserts a value; one that exists stays. */
export const insertIdentityValue = async (tx: Tx, name: string, value: string): Promise<void> => {
  await tx
    .insertInto('instance_value')
    .values(row(name, value))
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

export const deleteIdentityValue = async (tx: Tx, name: string): Promise<void> => {
  await tx.deleteFrom('instance_value').where('name', '=', `${prefix}${name}`).execute()
}

export const replaceIdentityValue = async (tx: Tx, name: string, value: string): Promise<void> => {
  await tx
    .insertInto('instance_value')
    .values(row(name, value))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
