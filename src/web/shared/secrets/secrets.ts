import { type Static, type TObject } from 'typebox'
import type { Ctx } from '../../../access/context.ts'
import { pageOfSecrets, putSecret } from '../../../actions/secrets/secret.service.ts'
import type { ValueOwner } from '../../../actions/value-owner.ts'
import { addVariable, editVariable, getVariable, pageOfVariables } from '../../../actions/variables/variable.service.ts'
import { pageOrWhole, type PageQuery } from '../../../lib/paging.ts'
import { textUpTo } from '../../ui/fields.ts'

/**
 * What the pages of the secrets and variables of workflows do, for the settings of accounts, organizations and
 * repositories. `valuePages` declares what the forms of a place do.
 */

const text = textUpTo(1_048_576)

/** The fields of the form of a secret or variable, for `act`. */
export const valueFields = { name: text, data: text }
type ValueForm = Static<TObject<typeof valueFields>>

/** The field of the button that deletes a secret or variable. */
export const nameField = { name: text }

/** Prefixes of refusal codes with the fields of the form. */
export const valueProblems = { name: 'name', variable_name: 'name', value: 'data' }

/** Returns the secrets and variables of an owner, for `ValueSections`. */
export async function loadValues(ctx: Ctx, owner: ValueOwner, query: PageQuery) {
  const page = pageOrWhole(query, ctx.config.api)
  const [secrets, variables] = await Promise.all([pageOfSecrets(ctx, owner, page), pageOfVariables(ctx, owner, page)])
  return {
    secrets: secrets.rows,
    variables: variables.rows.map(({ name, data, updated_unix }) => ({ name, data, updatedUnix: updated_unix })),
  }
}

/** Returns a variable with its value, for `EditVariable`. */
export const loadVariable = async (ctx: Ctx, owner: ValueOwner, name: string) => {
  const { name: key, data } = await getVariable(ctx, owner, name)
  return { name: key, data }
}

/** Creates a secret or replaces its value. */
export const putSecretFrom = (ctx: Ctx, owner: ValueOwner, body: ValueForm): Promise<boolean> =>
  putSecret(ctx, owner, (body.name ?? '').trim(), (body.data ?? '').replaceAll('\r\n', '\n'))

export const addVariableFrom = (ctx: Ctx, owner: ValueOwner, body: ValueForm): Promise<void> =>
  addVariable(ctx, owner, (body.name ?? '').trim(), body.data ?? '')

/** Changes name and value of a variable. */
export const editVariableFrom = (ctx: Ctx, owner: ValueOwner, name: string, body: ValueForm): Promise<void> =>
  editVariable(ctx, owner, name, { newName: (body.name ?? '').trim(), value: body.data ?? '' })
