import type { Generated, Insertable, Selectable } from 'kysely'
import type { SigningKeyId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Keys that the instance signs commits with, and those that it did. */
export interface SigningKeyTable {
  id: Generated<SigningKeyId>
  format: 'openpgp' | 'ssh'
  fingerprint: string
  /** JSON list: ids of an OpenPGP key and its subkeys, in upper case. */
  key_ids: string
  public_key: string
  /** Whom signatures with it are shown to be of. */
  name: string
  email: string
  /** The private key, sealed for the purpose `signing-key`; empty when it lies in a file, or signs no more. */
  sealed: string
  created_unix: Unix
}

export interface SigningTables {
  signing_key: SigningKeyTable
}

export type SigningKeyRow = Selectable<SigningKeyTable>
export type NewSigningKeyRow = Insertable<SigningKeyTable>
