import type { Generated, Insertable, Selectable } from 'kysely'
import type { SigningKeyId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** The commit signing keys of the instance, current and former. */
export interface SigningKeyTable {
  id: Generated<SigningKeyId>
  format: 'openpgp' | 'ssh'
  fingerprint: string
  /** JSON list: the ids of an OpenPGP key and its subkeys, upper case. */
  key_ids: string
  public_key: string
  /** The signer that is shown for signatures by the key. */
  name: string
  email: string
  /** The private key, sealed for the purpose `signing-key`; empty for a key in a file and for a former key. */
  sealed: string
  created_unix: Unix
}

export interface SigningTables {
  signing_key: SigningKeyTable
}

export type SigningKeyRow = Selectable<SigningKeyTable>
export type NewSigningKeyRow = Insertable<SigningKeyTable>
