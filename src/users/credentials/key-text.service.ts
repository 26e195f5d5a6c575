import type { Services } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { listGpgKeys } from './gpg-key.store.ts'
import { listKeys } from './key.store.ts'

/** Largest number of keys in one text. */
const all = { number: 1, limit: 500, offset: 0 }

/**
 * Returns the SSH keys of an account, one per line as in `authorized_keys`, without comments, which may contain
 * addresses.
 */
export async function sshKeysText({ db }: Services, account: UserRow): Promise<string> {
  const keys = await listKeys(db, account.id, undefined, all)
  return keys.map(({ content }) => `${content.split(' ', 2).join(' ')}\n`).join('')
}

/** Returns the OpenPGP keys of an account, one armoured block each, for `gpg --import`. */
export async function gpgKeysText({ db }: Services, account: UserRow): Promise<string> {
  const keys = await listGpgKeys(db, account.id, all)
  return keys.map(({ armored }) => `${armored.trim()}\n`).join('\n')
}
