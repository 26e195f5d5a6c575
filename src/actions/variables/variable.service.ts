import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import type { AuditedAction } from '../../audit/audited-actions.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { ActionVariableRow } from '../../db/tables/actions.ts'
import { Conflict, NotFound } from '../../lib/errors.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import type { ValueOwner } from '../value-owner.ts'
import { checkValueCount, checkValueSize, keyOf, auditOwnerOf } from '../secrets/secret.service.ts'
import { mayNameVariable } from '../value-name.rules.ts'
import {
  countVariables,
  deleteVariable,
  findVariable,
  insertVariable,
  listVariables,
  updateVariable,
} from './variable.store.ts'

const noVariable = (name: string) => new NotFound(`variable "${name}" does not exist`, 'variable_not_found')
const nameUsed = (name: string) => new Conflict(`variable "${name}" exists already`, 'variable_name_used')

const actOn = (owner: ValueOwner, action: AuditedAction, name: string) =>
  ({ action, about: { kind: 'variable', id: null, name }, details: auditOwnerOf(owner) }) as const

/** Values have LF line ends (contract). */
const withPlainLineEnds = (value: string): string => value.replaceAll('\r\n', '\n')

/** Returns one page of an owner's variables and their number. The list of a repository contains no values (observed). */
export async function pageOfVariables(
  { db }: Services,
  owner: ValueOwner,
  page: Page,
): Promise<{ rows: ActionVariableRow[]; total: number }> {
  const [rows, total] = await rowsAndTotal(
    page,
    listVariables(db, owner, page, owner.repo_id === null),
    countVariables(db, owner),
  )
  return { rows, total }
}

/** Returns a variable by its name in any letter case. Throws `NotFound`, also for a malformed name. */
export async function getVariable({ db }: Services, owner: ValueOwner, name: string): Promise<ActionVariableRow> {
  const row = await findVariable(db, owner, name.toUpperCase())
  if (!row) throw noVariable(name)
  return row
}

/** Creates a variable. Throws `BadRequest` for a bad name, `Conflict` for a used one, and `Invalid` at a limit. */
export async function addVariable(services: Services, owner: ValueOwner, name: string, value: string): Promise<void> {
  const key = keyOf(name, mayNameVariable)
  checkValueSize(services, value)
  try {
    await transaction(services.db, async (tx) => {
      checkValueCount(services, await countVariables(tx, owner))
      await insertVariable(tx, owner, key, withPlainLineEnds(value), nowUnix(services.clock))
      await recordAct(tx, actOn(owner, 'variable.created', key))
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameUsed(key)
    throw error
  }
}

/**
 * Changes the value of a variable, and its name when `newName` is not empty. Throws `BadRequest` for a bad name, `NotFound`
 * for a missing variable, `Conflict` for a used new name, and `Invalid` for a value that is too long.
 */
export async function editVariable(
  services: Services,
  owner: ValueOwner,
  name: string,
  change: { readonly newName?: string | undefined; readonly value: string },
): Promise<void> {
  const key = keyOf(name, mayNameVariable)
  const newKey = change.newName ? keyOf(change.newName, mayNameVariable) : key
  checkValueSize(services, change.value)
  const row = { name: newKey, data: withPlainLineEnds(change.value), updated_unix: nowUnix(services.clock) }
  try {
    await transaction(services.db, async (tx) => {
      if (!(await updateVariable(tx, owner, key, row))) throw noVariable(key)
      await recordAct(tx, actOn(owner, 'variable.changed', newKey))
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameUsed(newKey)
    throw error
  }
}

/** Deletes a variable. Throws `BadRequest` for a bad name and `NotFound` for a missing variable. */
export async function removeVariable(services: Services, owner: ValueOwner, name: string): Promise<void> {
  const key = keyOf(name, mayNameVariable)
  await transaction(services.db, async (tx) => {
    if (!(await deleteVariable(tx, owner, key))) throw noVariable(key)
    await recordAct(tx, actOn(owner, 'variable.deleted', key))
  })
}
