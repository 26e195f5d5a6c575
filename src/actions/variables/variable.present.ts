import type { ActionVariableRow } from '../../db/tables/actions.ts'
import type { ActionVariable } from './variable.schemas.ts'

export const presentVariables = (rows: readonly ActionVariableRow[]): ActionVariable[] => rows.map(presentVariable)

export const presentVariable = (row: ActionVariableRow): ActionVariable => ({
  owner_id: row.owner_id ?? 0,
  repo_id: row.repo_id ?? 0,
  name: row.name,
  data: row.data,
})
