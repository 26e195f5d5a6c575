import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { nowUnix } from '../lib/time.ts'
import { storePicture } from './picture.service.ts'
import { updateUser } from './user.store.ts'

/** Gives an account a picture; text that is no base64 is `BadRequest`, what is no picture `Invalid`. */
export async function setAvatar(services: Services, account: UserRow, image: string): Promise<void> {
  await changeAvatar(services, account, await storePicture(services, services.blobs.avatars, `user:${account.id}`, image))
}

/** The account has the drawn picture again. */
export const removeAvatar = (services: Services, account: UserRow): Promise<void> => changeAvatar(services, account, '')

async function changeAvatar(services: Services, account: UserRow, key: string): Promise<void> {
  if (key === account.avatar_key) return
  await transaction(services.db, (tx) =>
    updateUser(tx, account.id, { avatar_key: key, updated_unix: nowUnix(services.clock) }),
  )
  if (account.avatar_key !== '') await services.blobs.avatars.delete(account.avatar_key)
}
