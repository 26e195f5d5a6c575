import type { ActionVariableRow } from '../db/tables/actions.ts'
import type { ActionVariable } from './variable.schemas.ts'

/** Variables of a list: what they hold is shown one by one only (contract). */
export const presentVariables = (rows: readonly Omit<ActionVariableRow, 'data'>[]): ActionVariable[] =>
  rows.map((row) => presentVariable({ ...row, data: '' }))

export const presentVariable = (row: ActionVariableRow): ActionVariable => ({
  owner_id: row.owner_id ?? 0,
  repo_id: row.repo_id ?? 0,
  name: row.name,
  data: row.data,
})
