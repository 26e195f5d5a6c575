import type { Ctx, Services } from '../../access/context.ts'
import { publishCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { ActionSecretRow } from '../../db/tables/actions.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import type { Verdict } from '../../lib/verdict.ts'
import type { ValueOwner } from '../value-owner.ts'
import { countSecrets, deleteSecret, insertSecret, listSecrets, updateSecret } from './secret.store.ts'
import { mayNameSecret } from '../value-name.rules.ts'

/** The purpose for which secrets of workflows are sealed. */
export const secretPurpose = 'action-secret'

/** Returns one page of an owner's secrets and their number. */
export async function pageOfSecrets(
  { db }: Services,
  owner: ValueOwner,
  page: Page,
): Promise<{ rows: Pick<ActionSecretRow, 'name' | 'created_unix'>[]; total: number }> {
  const [rows, total] = await rowsAndTotal(page, listSecrets(db, owner, page), countSecrets(db, owner))
  return { rows, total }
}

/** Returns the owner for the audit log. */
export const auditOwnerOf = ({ owner_id, repo_id }: ValueOwner): Readonly<Record<string, number>> =>
  repo_id === null ? { account: owner_id } : { repository: repo_id }

/**
 * Creates a secret or replaces its value. Names ignore letter case. Throws `BadRequest` for a bad name, and `Invalid` for a
 * value that is too long or too many secrets.
 * @returns whether the secret is new
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
      details: auditOwnerOf(owner),
    })
    await publishCredentialChange(tx, services, 'secret', key)
    if (await updateSecret(tx, owner, key, sealed, now)) return false
    checkValueCount(services, await countSecrets(tx, owner))
    if (await insertSecret(tx, owner, key, sealed, now)) return true
    // A concurrent request created it; the later value stays.
    await updateSecret(tx, owner, key, sealed, now)
    return false
  })
}

/** Deletes a secret. Throws `BadRequest` for a bad name and `NotFound` for a missing secret. */
export async function removeSecret(services: Services, owner: ValueOwner, name: string): Promise<void> {
  const key = keyOf(name, mayNameSecret)
  await transaction(services.db, async (tx) => {
    if (!(await deleteSecret(tx, owner, key))) {
      throw new NotFound(`secret "${key}" does not exist`, 'secret_not_found')
    }
    await recordAct(tx, {
      action: 'secret.deleted',
      about: { kind: 'secret', id: null, name: key },
      details: auditOwnerOf(owner),
    })
  })
}

/** Returns the stored form of a name. Throws `BadRequest` for a bad name. */
export function keyOf(name: string, mayName: (name: string) => Verdict): string {
  const named = mayName(name)
  if (!named.allowed) throw new BadRequest(named.reason, named.code)
  return name.toUpperCase()
}

/** Throws `Invalid` when the value of a secret or variable is too long (`[ingot].MAX_ACTIONS_VALUE`). */
export function checkValueSize({ config }: Services, value: string): void {
  const maxBytes = config.ingot.maxActionsValue
  if (Buffer.byteLength(value) > maxBytes) {
    throw new Invalid(`a value has at most ${maxBytes} bytes ([ingot].MAX_ACTIONS_VALUE)`, 'value_too_large')
  }
}

/** Throws `Invalid` when an owner has the maximal number of secrets or variables (`[ingot].MAX_ACTIONS_VALUES`). */
export function checkValueCount({ config }: Services, count: number): void {
  const max = config.ingot.maxActionsValues
  if (count < max) return
  throw new Invalid(
    `an owner has at most ${max} secrets and ${max} variables ([ingot].MAX_ACTIONS_VALUES)`,
    'too_many_values',
  )
}
