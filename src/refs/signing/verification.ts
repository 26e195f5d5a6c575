import { createHash } from 'node:crypto'
import type { Ctx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import type { Identity } from '../../git/git.ts'
import type { UserId } from '../../lib/ids.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { parseTextSignature } from '../../secrets/ssh-public-key.ts'
import { listSigningKeys } from '../../site/signing-key.store.ts'
import { listSigningCandidates } from '../../users/credentials/gpg-key.store.ts'
import { provesPgp, readPgpSignature } from '../../users/credentials/openpgp.ts'
import { listSshSigningKeys, loadConfirmedEmails } from './signing-key.store.ts'

/** The parts of a commit or annotated tag that verification needs. */
export interface Signed {
  readonly oid: string
  /** Armored; absent when the object is unsigned. */
  readonly signature?: string
  /** The bytes that were signed. */
  readonly signedPayload?: Buffer
  readonly committer: Identity | undefined
}

/** The result of a verification. */
export type Verification =
  | { readonly kind: 'unsigned' }
  | {
      readonly kind: 'signed'
      readonly isGood: boolean
      /** `<login> / <key>` for a good signature, else a reason of the contract (git.md, "reasons"). */
      readonly reason: string
      readonly signer?: { readonly name: string; readonly email: string; readonly username: string }
    }

const unsigned: Verification = { kind: 'unsigned' }
const bad = (reason: string): Verification => ({ kind: 'signed', isGood: false, reason })
const unknownKey = bad('gpg.error.no_gpg_keys_found')

/** A key of an account or of the instance that may have made a signature. */
interface Candidate {
  /** The key's name in the reason. */
  readonly keyName: string
  readonly owner:
    | { readonly id: UserId; readonly name: string; readonly lower_name: string }
    /** The instance signs commits of all users, and is shown as the signer. */
    | { readonly id: 'instance'; readonly name: string; readonly email: string }
  /** Addresses that the key covers, in lower case; undefined: all confirmed addresses of its owner. */
  readonly emails: readonly string[] | undefined
  /** Identifies the key with its whole content. */
  readonly identity: string
  readonly proves: () => Promise<boolean>
}

/** A parsed signature, with what identifies its key. */
interface Claim {
  readonly signed: Signed
  readonly fingerprint?: string
  readonly keyIds: readonly string[]
  readonly candidates: (keys: Keys) => readonly Candidate[]
}

interface Keys {
  readonly ssh: Awaited<ReturnType<typeof listSshSigningKeys>>
  readonly pgp: Awaited<ReturnType<typeof listSigningCandidates>>
  /** Keys of the instance. */
  readonly own: Awaited<ReturnType<typeof listSigningKeys>>
}

/**
 * Whether a key made a signature, by object and key content. This never changes, so it is cached. The owner of the key
 * and its addresses are read on each request.
 */
const proven = perApplication((caches) =>
  caches.open<string, boolean>('signatures', { sizeOf: (_, key) => key.length }),
)

/** Concurrent verifications; other work runs between them. */
const checkedAtOnce = 4

async function prove(ctx: Pick<Ctx, 'caches'>, { oid }: Signed, candidate: Candidate): Promise<boolean> {
  const key = `${oid} ${candidate.identity}`
  const known = proven(ctx).get(key)
  if (known !== undefined) return known
  const result = await candidate.proves()
  proven(ctx).set(key, result)
  return result
}

async function claimOf(signed: Signed): Promise<Claim | undefined> {
  const { signature = '', signedPayload = Buffer.alloc(0) } = signed
  if (signature.startsWith('-----BEGIN SSH SIGNATURE-----')) {
    const parsed = parseTextSignature(signature)
    if (!parsed) return undefined
    const { fingerprint } = parsed
    return {
      signed,
      fingerprint,
      keyIds: [],
      candidates: ({ ssh, own }) =>
        [...own.map(asOwn), ...ssh]
          .filter((key) => key.fingerprint === fingerprint)
          .map(({ owner }) => ({
            keyName: fingerprint,
            owner,
            emails: undefined,
            identity: fingerprint,
            proves: async () => parsed.proves(signedPayload),
          })),
    }
  }
  const parsed = await readPgpSignature(signature)
  if (!parsed) return undefined
  return {
    signed,
    keyIds: parsed.keyIds,
    candidates: ({ pgp, own }) => {
      const keyOf = (keyId: string, armored: string) => ({
        keyName: keyId,
        identity: createHash('sha256').update(armored).digest('hex'),
        proves: () => provesPgp(armored, parsed, signedPayload),
      })
      const ofInstance = own.flatMap((key) => {
        const keyId = (JSON.parse(key.key_ids) as string[]).find((id) => parsed.keyIds.includes(id))
        return keyId === undefined
          ? []
          : [{ ...keyOf(keyId, key.public_key), owner: asOwn(key).owner, emails: undefined }]
      })
      const ofAccounts = pgp
        .filter(({ keyId }) => parsed.keyIds.includes(keyId))
        .map(({ keyId, armored, emails, isVerified, owner }) => ({
          ...keyOf(keyId, armored),
          owner,
          // A verified key covers each confirmed address of its account.
          emails: isVerified ? undefined : (JSON.parse(emails) as string[]),
        }))
      return [...ofInstance, ...ofAccounts]
    },
  }
}

const asOwn = ({ fingerprint, name, email }: Keys['own'][number]) => ({
  fingerprint,
  owner: { id: 'instance', name, email } as const,
})

/**
 * Verifies signatures against the keys of accounts and of the instance, with at most four queries for all of them. A
 * signature is good when it was made with a key of the account that has confirmed the committer's address; an OpenPGP
 * key must also contain the address or be verified (contract, git: reasons). A signature of the instance is good for
 * any committer.
 * @returns one verdict per object, in order
 */
export async function verifySignatures(
  ctx: Pick<Ctx, 'db' | 'config' | 'caches'>,
  signed: readonly Signed[],
): Promise<readonly Verification[]> {
  if (signed.every(({ signature }) => signature === undefined)) return signed.map(() => unsigned)
  const claims = await mapLimited(signed, checkedAtOnce, async (each) =>
    each.signature === undefined ? undefined : claimOf(each),
  )
  const fingerprints = claims.flatMap((claim) => claim?.fingerprint ?? [])
  const keyIds = claims.flatMap((claim) => claim?.keyIds ?? [])
  const [ssh, pgp, own] = await Promise.all([
    listSshSigningKeys(ctx.db, [...new Set(fingerprints)]),
    listSigningCandidates(ctx.db, [...new Set(keyIds)]),
    listSigningKeys(ctx.db),
  ])
  const owners = [...new Set([...ssh, ...pgp].map(({ owner }) => owner.id))]
  const confirmed = await loadConfirmedEmails(ctx.db, owners)

  /** Whether a key covers an address: its owner has confirmed it, or it is the owner's no-reply address. */
  const speaksFor = ({ owner, emails }: Candidate, email: string): boolean => {
    if (owner.id === 'instance') return true
    const isOwners =
      confirmed.get(owner.id)?.has(email) === true ||
      email === `${owner.lower_name}@${ctx.config.service.noReplyAddress}`.toLowerCase()
    return isOwners && (emails === undefined || emails.includes(email))
  }

  return mapLimited(signed, checkedAtOnce, async (each, index): Promise<Verification> => {
    if (each.signature === undefined) return unsigned
    const claim = claims[index]
    if (!claim) return bad('gpg.error.extract_sign')
    const email = each.committer?.email ?? ''
    const fitting = claim.candidates({ ssh, pgp, own }).filter((key) => speaksFor(key, email.toLowerCase()))
    if (fitting.length === 0) return unknownKey
    for (const key of fitting) {
      if (!(await prove(ctx, each, key))) continue
      const signer = {
        name: key.owner.name,
        email: key.owner.id === 'instance' ? key.owner.email : email,
        username: '',
      }
      return { kind: 'signed', isGood: true, reason: `${key.owner.name} / ${key.keyName}`, signer }
    }
    const isOurs = fitting.some(({ owner }) => owner.id === 'instance')
    return bad(isOurs ? 'gpg.error.probable_bad_default_signature' : 'gpg.error.probable_bad_signature')
  })
}
