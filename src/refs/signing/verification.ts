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
const bad = (reason: string): Verification => ({ kind: 'signed', isGood: false, reason })
const unknownKey = bad('gpg.error.no_gpg_keys_found')

/** A key of an account, or of the instance, that may have made a signature. */
interface Candidate {
  /** What the reason calls it. */
  readonly keyName: string
  readonly owner:
    | { readonly id: UserId; readonly name: string; readonly lower_name: string }
    /** The instance speaks for everybody whose commits it makes, and is shown as itself. */
    | { readonly id: 'instance'; readonly name: string; readonly email: string }
  /** Addresses that it stands for, in lower case; undefined: all confirmed ones of its owner. */
  readonly emails: readonly string[] | undefined
  /** Names the key with all that is in it. */
  readonly identity: string
  readonly proves: () => Promise<boolean>
}

/** A signature that was taken apart: where to look for its key. */
interface Claim {
  readonly signed: Signed
  readonly fingerprint?: string
  readonly keyIds: readonly string[]
  readonly candidates: (keys: Keys) => readonly Candidate[]
}

interface Keys {
  readonly ssh: Awaited<ReturnType<typeof listSshSigningKeys>>
  readonly pgp: Awaited<ReturnType<typeof listSigningCandidates>>
  /** The instance's own. */
  readonly own: Awaited<ReturnType<typeof listSigningKeys>>
}

/**
 * Whether a signature was made with a key, by the object and the key with all that is in it: that never changes, so it is
 * found out once. Whose the key is, and whether it counts for an address, is asked each time.
 */
const proven = perApplication((caches) =>
  caches.open<string, boolean>('signatures', { sizeOf: (_, key) => key.length }),
)

/** Signatures that are checked at a time; between them others have their turn. */
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
          // Who showed to have the key may use it for every address of the account.
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
 * Checks signatures against the keys that accounts have registered and those of the instance, all together: four queries at
 * most. One is good when it was made with a key of the account that has the committer's address, confirmed there, and for
 * OpenPGP keys also one of the key's, or the key was shown to be the account's (contract, git: reasons). What the instance
 * signed is good whoever committed it: it signs what somebody did here.
 * @returns one verdict for each, in the order given
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

  /** Whether a key speaks for an address: it is its owner's now, or the one that stands for the owner's hidden one. */
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
