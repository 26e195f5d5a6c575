import type { Db, Tx } from '../db/database.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { BranchRuleChange, BranchRuleRow, NewBranchRuleRow } from '../db/tables/git-data.ts'
import type { BranchRuleId, RepoId, TeamId, UserId } from '../lib/ids.ts'

/** A rule as it is judged by: its row with the lists read. */
export interface BranchRule extends Omit<BranchRuleRow, ListColumn | 'status_check_contexts'> {
  readonly push_user_ids: readonly UserId[]
  readonly push_team_ids: readonly TeamId[]
  readonly merge_user_ids: readonly UserId[]
  readonly merge_team_ids: readonly TeamId[]
  readonly approvals_user_ids: readonly UserId[]
  readonly approvals_team_ids: readonly TeamId[]
  readonly status_check_contexts: readonly string[] | null
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

/** Rules of a repository, the oldest first. */
export async function listBranchRules(db: Db, repoId: RepoId): Promise<BranchRule[]> {
  return (await rulesOfRepo(db, repoId)).map(ruleOf)
}

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

export const deleteBranchRule = async (tx: Tx, repoId: RepoId, ruleName: string): Promise<boolean> =>
  (
    await tx
      .deleteFrom('branch_rule')
      .where('repo_id', '=', repoId)
      .where('rule_name', '=', ruleName)
      .executeTakeFirst()
  ).numDeletedRows > 0n

/** A rule of exactly one name follows its branch. */
export const renameBranchRule = (tx: Tx, repoId: RepoId, from: string, to: string) =>
  tx
    .updateTable('branch_rule')
    .set({ rule_name: to })
    .where('repo_id', '=', repoId)
    .where('rule_name', '=', from)
    .execute()
