import type { Ctx, Services, SignedInCtx } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { mayIssueKey } from '../../auth/issue.policy.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import { publish } from '../../events/hub.ts'
import type { PublicKeyRow, UserRow } from '../../db/tables/accounts.ts'
import { Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import type { KeyId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { countKeys, deleteKey, findKey, findKeyByFingerprint, hasKeyTitle, insertKey, listKeys } from './key.store.ts'
import { parseSshKey, type SshKey } from './ssh-key.ts'

/** Returns a usable key. Throws `Invalid` for malformed keys and for keys that `[ssh.minimum_key_sizes]` refuses. */
export function readKey({ config }: Pick<Services, 'config'>, text: string): SshKey {
  const key = parseSshKey(text)
  if (!key) throw new Invalid('key: this is not a public SSH key', 'ssh_key_invalid')
  if (!config.server.minimumKeySizeCheck) return key
  const { ed25519, ecdsa, rsa } = config.sshMinimumKeySizes
  const least = { ED25519: ed25519, 'ED25519-SK': ed25519, ECDSA: ecdsa, 'ECDSA-SK': ecdsa, RSA: rsa }[key.family]
  if (least < 0) throw new Invalid(`key: ${key.family} keys are not accepted here`, 'ssh_key_type_refused')
  if (key.bits < least) throw new Invalid(`key: ${key.family} keys need at least ${least} bits`, 'ssh_key_too_small')
  return key
}

export const keyTaken = () => new Invalid('key: it is already in use on this instance', 'ssh_key_taken')

/**
 * Adds a key to an account. Throws `Forbidden` for a credential that adds no keys, and `Invalid` for a key in use
 * anywhere and for a used title.
 */
export async function addKey(
  ctx: SignedInCtx,
  user: UserRow,
  input: { readonly title: string; readonly key: string },
): Promise<PublicKeyRow> {
  must(mayIssueKey(ctx.viewer.credential, ctx.config.ingot.strictTokens))
  const key = readKey(ctx, input.key)
  try {
    return await transaction(ctx.db, async (tx) => {
      if (await findKeyByFingerprint(tx, key.fingerprint)) throw keyTaken()
      if (await hasKeyTitle(tx, user.id, input.title)) {
        throw new Invalid('title: you already have a key of this title', 'ssh_key_title_taken')
      }
      const added = await insertKey(tx, {
        owner_id: user.id,
        title: input.title,
        fingerprint: key.fingerprint,
        content: key.content,
        is_read_only: false,
        created_unix: nowUnix(ctx.clock),
      })
      await recordAct(tx, {
        action: 'sshKey.added',
        doerId: user.id,
        about: { kind: 'ssh key', id: added.id, name: key.fingerprint },
        details: { account: user.name },
      })
      await publish(tx, 'credential.changed', { userId: user.id, what: 'sshKey', name: input.title })
      return added
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw keyTaken()
    throw error
  }
}

const noKey = () => new NotFound('the key does not exist', 'key_not_found')

/** Returns a key of any account by id (observed: every signed-in person may read it). */
export async function getKey(ctx: Ctx, id: number): Promise<PublicKeyRow> {
  const key = await findKey(ctx.db, id as KeyId)
  if (!key) throw noKey()
  return key
}

/** Removes a key of an account; throws `Forbidden` for another account's. */
export async function removeKey(ctx: Ctx, user: UserRow, id: number): Promise<void> {
  const key = await getKey(ctx, id)
  if (key.owner_id !== user.id) throw new Forbidden('the key belongs to another account', 'key_of_other')
  await transaction(ctx.db, async (tx) => {
    await deleteKey(tx, key.id)
    const about = { kind: 'ssh key', id: key.id, name: key.fingerprint } as const
    await recordAct(tx, { action: 'sshKey.removed', doerId: user.id, about, details: { account: user.name } })
  })
}

/** Returns a page of the keys of an account, or of all accounts when a fingerprint is given. */
export async function pageOfKeys(
  ctx: Ctx,
  owner: UserRow | undefined,
  fingerprint: string | undefined,
  page: Page,
): Promise<{ readonly keys: PublicKeyRow[]; readonly total: number }> {
  const [keys, total] = await rowsAndTotal(
    page,
    listKeys(ctx.db, owner?.id, fingerprint, page),
    countKeys(ctx.db, owner?.id, fingerprint),
  )
  return { keys, total }
}
