import type { Insertable, Selectable } from 'kysely'
import type { SigningKeyId, SshHostKeyId } from '../../lib/ids.ts'
import { id, table, text, unique, unix, type TablesOf } from '../table.ts'

export const signingTables = {
  /** The commit signing keys of the instance, current and former. */
  signing_key: table(
    {
      id: id<SigningKeyId>(),
      format: text<'openpgp' | 'ssh'>(),
      fingerprint: unique(text()),
      /** JSON list: the ids of an OpenPGP key and its subkeys, upper case. */
      key_ids: text(),
      public_key: text(),
      /** The signer that is shown for signatures by the key. */
      name: text(),
      email: text(),
      /** The private key, sealed for the purpose `signing-key`; empty for a key in a file and for a former key. */
      sealed: text(),
      created_unix: unix(),
    },
    { indexes: { signing_key_own: "unique (format) where sealed <> ''" } },
  ),
  /** The host keys of the SSH server, which all machines of the instance have. */
  ssh_host_key: table({
    id: id<SshHostKeyId>(),
    /** The file that `[server].SSH_SERVER_HOST_KEYS` names. */
    name: unique(text()),
    /** The private key, sealed for the purpose `ssh-host-key`. */
    sealed: text(),
  }),
}

export type SigningTables = TablesOf<typeof signingTables>
export type SigningKeyRow = Selectable<SigningTables['signing_key']>
export type NewSigningKeyRow = Insertable<SigningTables['signing_key']>
