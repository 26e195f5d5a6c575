import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { ActionVariableRow } from '../../db/tables/actions.ts'
import { Conflict, NotFound } from '../../lib/errors.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import type { ValueOwner } from '../value-owner.ts'
import { checkValueCount, checkValueSize, keyOf, placeOf } from '../secrets/secret.service.ts'
import { mayNameVariable } from '../value-name.rules.ts'
import {
  countVariables,
  deleteVariable,
  findVariable,
  insertVariable,
  listVariables,
  updateVariable,
} from './variable.store.ts'

const noVariable = () => new NotFound('there is no such variable', 'variable_not_found')
const nameUsed = (name: string) => new Conflict(`there is a variable ${name} already`, 'variable_name_used')

const actOn = (owner: ValueOwner, action: string, name: string) =>
  ({ action, about: { kind: 'variable', id: null, name }, details: placeOf(owner) }) as const

/** Files of workflows have plain line ends, so values get them too (contract). */
const withPlainLineEnds = (value: string): string => value.replaceAll('\r\n', '\n')

/**
 * One page of the variables of a owner and how many there are, in two queries. Those of a repository come without what
 * they hold (observed); it is shown one by one there.
 */
export async function pageOfVariables(
  { db }: Services,
  owner: ValueOwner,
  page: Page,
): Promise<{ rows: ActionVariableRow[]; total: number }> {
  const [rows, total] = await Promise.all([
    listVariables(db, owner, page, owner.repo_id === null),
    countVariables(db, owner),
  ])
  return { rows, total }
}

/** A variable by its name in any letter case. A missing one and a name that none can have are `NotFound`. */
export async function getVariable({ db }: Services, owner: ValueOwner, name: string): Promise<ActionVariableRow> {
  const row = await findVariable(db, owner, name.toUpperCase())
  if (!row) throw noVariable()
  return row
}

/** A bad name is `BadRequest`, a used one `Conflict`; too long a value, or one too many, `Invalid`. */
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
 * Gives a variable another value and perhaps another name. A bad name is `BadRequest`, a missing variable `NotFound`, a
 * used new name `Conflict`, too long a value `Invalid`.
 * @param newName left out or empty: the name stays
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
      if (!(await updateVariable(tx, owner, key, row))) throw noVariable()
      await recordAct(tx, actOn(owner, 'variable.changed', newKey))
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameUsed(newKey)
    throw error
  }
}

/** A bad name is `BadRequest`, a missing variable `NotFound`. */
export async function removeVariable(services: Services, owner: ValueOwner, name: string): Promise<void> {
  const key = keyOf(name, mayNameVariable)
  await transaction(services.db, async (tx) => {
    if (!(await deleteVariable(tx, owner, key))) throw noVariable()
    await recordAct(tx, actOn(owner, 'variable.deleted', key))
  })
}
