import type { Ctx } from '../access/context.ts'
import type { Identity } from '../git/git.ts'

/** A commit or an annotated tag, as far as its signature is concerned. */
export interface Signed {
  readonly oid: string
  /** Armoured; absent when there is none. */
  readonly signature?: string
  /** The bytes that were signed. */
  readonly signedPayload?: Buffer
  readonly committer: Identity | undefined
}

/** What became of checking a signature. */
export type Verification =
  | { readonly kind: 'unsigned' }
  | {
      readonly kind: 'signed'
      readonly isGood: boolean
      /** `<login> / <key>` when good, else one of the reasons the contract lists (git.md, "reasons"). */
      readonly reason: string
      readonly signer?: { readonly name: string; readonly email: string; readonly username: string }
    }

const unsigned: Verification = { kind: 'unsigned' }

/**
 * Checks signatures against the keys that accounts have registered, all together. A signature by a key that nobody
 * registered is not good (`gpg.error.no_gpg_keys_found`).
 * @returns one verdict for each, in the order given
 */
export function verifySignatures(
  _ctx: Pick<Ctx, 'db' | 'config'>,
  signed: readonly Signed[],
): Promise<readonly Verification[]> {
  return Promise.resolve(
    signed.map(({ signature }) =>
      signature === undefined ? unsigned : { kind: 'signed', isGood: false, reason: 'gpg.error.no_gpg_keys_found' },
    ),
  )
}
