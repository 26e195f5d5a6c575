import type { Services } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { listGpgKeys } from './gpg-key.store.ts'
import { listKeys } from './key.store.ts'

/** Most keys of an account that are shown as one text. */
const all = { number: 1, limit: 500, offset: 0 }

/** The SSH keys of an account, one a line as `authorized_keys` has them, without their comments: those may be addresses. */
export async function sshKeysText({ db }: Services, account: UserRow): Promise<string> {
  const keys = await listKeys(db, account.id, undefined, all)
  return keys.map(({ content }) => `${content.split(' ', 2).join(' ')}\n`).join('')
}

/** The OpenPGP keys of an account, one armoured block each, as `gpg --import` takes them. */
export async function gpgKeysText({ db }: Services, account: UserRow): Promise<string> {
  const keys = await listGpgKeys(db, account.id, all)
  return keys.map(({ armored }) => `${armored.trim()}\n`).join('\n')
}
