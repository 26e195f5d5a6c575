import type { Expression } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { preparedQuery } from '../../db/prepared.ts'
import { changesRow } from '../../db/rows.ts'
import type { BranchRuleChange, BranchRuleRow, NewBranchRuleRow } from '../../db/tables/git-data.ts'
import type { BranchRuleId, RepoId, TeamId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** A rule with its lists parsed. */
export interface BranchRule extends Omit<BranchRuleRow, ListColumn | 'status_check_contexts'> {
  readonly push_user_ids: readonly UserId[]
  readonly push_team_ids: readonly TeamId[]
  readonly merge_user_ids: readonly UserId[]
  readonly merge_team_ids: readonly TeamId[]
  readonly approvals_user_ids: readonly UserId[]
  readonly approvals_team_ids: readonly TeamId[]
  readonly status_check_contexts: readonly string[] | null
  /** Whether its pattern could not be compared with a branch, so that it protects the branch from everybody. */
  readonly isUndecided?: boolean
}

type ListColumn =
  | 'push_user_ids'
  | 'push_team_ids'
  | 'merge_user_ids'
  | 'merge_team_ids'
  | 'approvals_user_ids'
  | 'approvals_team_ids'

const ruleOf = (row: BranchRuleRow): BranchRule => ({
  ...row,
  push_user_ids: JSON.parse(row.push_user_ids) as UserId[],
  push_team_ids: JSON.parse(row.push_team_ids) as TeamId[],
  merge_user_ids: JSON.parse(row.merge_user_ids) as UserId[],
  merge_team_ids: JSON.parse(row.merge_team_ids) as TeamId[],
  approvals_user_ids: JSON.parse(row.approvals_user_ids) as UserId[],
  approvals_team_ids: JSON.parse(row.approvals_team_ids) as TeamId[],
  status_check_contexts:
    row.status_check_contexts === null ? null : (JSON.parse(row.status_check_contexts) as string[]),
})

const rulesOfRepo = preparedQuery((db: Db, repoId: RepoId) =>
  db.selectFrom('branch_rule').selectAll().where('repo_id', '=', repoId).orderBy('created_unix').orderBy('id'),
)

/** Rules of a repository, oldest first. */
export async function listBranchRules(db: Db, repoId: RepoId): Promise<BranchRule[]> {
  return (await rulesOfRepo(db, repoId)).map(ruleOf)
}

/** Rules of several repositories, oldest first. */
export async function listBranchRulesOf(db: Db, repoIds: readonly RepoId[]): Promise<BranchRule[]> {
  return (await rulesOfRepos(db, idListText(repoIds))).map(ruleOf)
}

const rulesOfRepos = preparedQuery((db: Db, repoIds: string) =>
  db
    .selectFrom('branch_rule')
    .selectAll()
    .where('repo_id', 'in', idList(db, repoIds) as Expression<RepoId>)
    .orderBy('created_unix')
    .orderBy('id'),
)

export async function findBranchRule(db: Db, repoId: RepoId, ruleName: string): Promise<BranchRule | undefined> {
  const row = await db
    .selectFrom('branch_rule')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('rule_name', '=', ruleName)
    .executeTakeFirst()
  return row && ruleOf(row)
}

export const insertBranchRule = async (tx: Tx, values: NewBranchRuleRow): Promise<BranchRule> =>
  ruleOf(await tx.insertInto('branch_rule').values(values).returningAll().executeTakeFirstOrThrow())

export const updateBranchRule = async (
  tx: Tx,
  id: BranchRuleId,
  change: BranchRuleChange,
): Promise<BranchRule | undefined> => {
  const row = await tx.updateTable('branch_rule').set(change).where('id', '=', id).returningAll().executeTakeFirst()
  return row && ruleOf(row)
}

export const deleteBranchRule = (tx: Tx, repoId: RepoId, ruleName: string): Promise<boolean> =>
  changesRow(tx.deleteFrom('branch_rule').where('repo_id', '=', repoId).where('rule_name', '=', ruleName))

type CopiedColumn = Exclude<keyof BranchRuleRow, 'id' | 'repo_id' | 'created_unix' | 'updated_unix'>

/** Columns that a copied rule takes over; the record type makes new columns a compile error. */
const copiedColumns = Object.keys({
  rule_name: true,
  enable_push: true,
  enable_push_whitelist: true,
  push_user_ids: true,
  push_team_ids: true,
  push_deploy_keys: true,
  enable_merge_whitelist: true,
  merge_user_ids: true,
  merge_team_ids: true,
  enable_status_check: true,
  status_check_contexts: true,
  required_approvals: true,
  enable_approvals_whitelist: true,
  approvals_user_ids: true,
  approvals_team_ids: true,
  block_on_rejected_reviews: true,
  block_on_official_review_requests: true,
  block_on_outdated_branch: true,
  dismiss_stale_approvals: true,
  ignore_stale_approvals: true,
  require_signed_commits: true,
  protected_file_patterns: true,
  unprotected_file_patterns: true,
  apply_to_admins: true,
} satisfies Record<CopiedColumn, true>) as CopiedColumn[]

/** Copies the rules of one repository to another. */
export const copyBranchRules = (tx: Tx, fromId: RepoId, toId: RepoId, nowUnix: Unix) =>
  tx
    .insertInto('branch_rule')
    .columns(['repo_id', 'created_unix', 'updated_unix', ...copiedColumns])
    .expression((select) =>
      select
        .selectFrom('branch_rule')
        .select((column) => [
          column.val(toId).as('repo_id'),
          column.val(nowUnix).as('created_unix'),
          column.val(nowUnix).as('updated_unix'),
          ...copiedColumns,
        ])
        .where('repo_id', '=', fromId)
        .orderBy('id'),
    )
    .execute()

/** Renames a rule with the exact name of a renamed branch. */
export const renameBranchRule = (tx: Tx, repoId: RepoId, from: string, to: string) =>
  tx
    .updateTable('branch_rule')
    .set({ rule_name: to })
    .where('repo_id', '=', repoId)
    .where('rule_name', '=', from)
    .execute()
