import type { ListedRun, RunFacets, RunListQuery } from '../../actions/runs/run-list.service.ts'
import type { ListedWorkflow } from '../../actions/workflows/workflow-list.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'

/** What the page of workflows shows. */
export interface WorkflowsProps {
  readonly owner: UserRow
  readonly repo: RepoRow
  readonly workflows: readonly ListedWorkflow[]
  readonly facets: RunFacets
  readonly runs: readonly ListedRun[]
  readonly hasMore: boolean
  readonly number: number
  readonly filter: RunListQuery
  readonly may: { readonly run: boolean; readonly configure: boolean; readonly write: boolean }
}
