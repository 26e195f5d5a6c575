import type { Ctx, Services } from '../../access/context.ts'
import { tellCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { ActionSecretRow } from '../../db/tables/actions.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import type { Verdict } from '../../lib/verdict.ts'
import type { ValueOwner } from '../value-owner.ts'
import { countSecrets, deleteSecret, insertSecret, listSecrets, updateSecret } from './secret.store.ts'
import { mayNameSecret } from '../value-name.rules.ts'

/** What secrets of workflows are sealed for. */
export const secretPurpose = 'action-secret'

/** One page of the secrets of a owner and how many there are, in two queries. */
export async function pageOfSecrets(
  { db }: Services,
  owner: ValueOwner,
  page: Page,
): Promise<{ rows: Pick<ActionSecretRow, 'name' | 'created_unix'>[]; total: number }> {
  const [rows, total] = await Promise.all([listSecrets(db, owner, page), countSecrets(db, owner)])
  return { rows, total }
}

/** Whose it is, as the audit log says it. */
export const placeOf = ({ owner_id, repo_id }: ValueOwner): Readonly<Record<string, number>> =>
  repo_id === null ? { account: owner_id } : { repository: repo_id }

/**
 * Gives a owner a secret, or another value to one it has; names are the same in any letter case. A bad name is
 * `BadRequest`, a value that is too long or one secret too many `Invalid`.
 * @returns whether it is a new one
 */
export async function putSecret(services: Ctx, owner: ValueOwner, name: string, value: string): Promise<boolean> {
  const key = keyOf(name, mayNameSecret)
  checkValueSize(services, value)
  const sealed = services.secrets.seal(secretPurpose, value)
  const now = nowUnix(services.clock)
  return transaction(services.db, async (tx) => {
    await recordAct(tx, {
      action: 'secret.put',
      about: { kind: 'secret', id: null, name: key },
      details: placeOf(owner),
    })
    await tellCredentialChange(tx, services, 'secret', key)
    if (await updateSecret(tx, owner, key, sealed, now)) return false
    checkValueCount(services, await countSecrets(tx, owner))
    if (await insertSecret(tx, owner, key, sealed, now)) return true
    // Somebody made it in this moment; the later value stays.
    await updateSecret(tx, owner, key, sealed, now)
    return false
  })
}

/** A bad name is `BadRequest`, one without a secret `NotFound`. */
export async function removeSecret(services: Services, owner: ValueOwner, name: string): Promise<void> {
  const key = keyOf(name, mayNameSecret)
  await transaction(services.db, async (tx) => {
    if (!(await deleteSecret(tx, owner, key))) throw new NotFound('there is no such secret', 'secret_not_found')
    await recordAct(tx, {
      action: 'secret.deleted',
      about: { kind: 'secret', id: null, name: key },
      details: placeOf(owner),
    })
  })
}

/** The stored form of a name. Throws `BadRequest` for one that is not allowed. */
export function keyOf(name: string, mayName: (name: string) => Verdict): string {
  const named = mayName(name)
  if (!named.allowed) throw new BadRequest(named.reason, 'name_invalid')
  return name.toUpperCase()
}

/** Throws `Invalid` when the value of a secret or variable is too long (`[ingot].MAX_ACTIONS_VALUE`). */
export function checkValueSize({ config }: Services, value: string): void {
  const maxBytes = config.ingot.maxActionsValue
  if (Buffer.byteLength(value) > maxBytes) throw new Invalid(`a value has at most ${maxBytes} bytes`, 'value_too_large')
}

/** Throws `Invalid` when a owner has as many as it may have (`[ingot].MAX_ACTIONS_VALUES`). */
export function checkValueCount({ config }: Services, count: number): void {
  const most = config.ingot.maxActionsValues
  if (count >= most) throw new Invalid(`there are ${most} already, which is the most`, 'too_many_values')
}
