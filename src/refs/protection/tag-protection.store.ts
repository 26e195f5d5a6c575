import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { NewTagRuleRow, TagRuleChange, TagRuleRow } from '../../db/tables/git-data.ts'
import type { RepoId, TagRuleId, TeamId, UserId } from '../../lib/ids.ts'

/** A rule with its lists parsed. */
export interface TagRule extends Omit<TagRuleRow, 'user_ids' | 'team_ids'> {
  readonly user_ids: readonly UserId[]
  readonly team_ids: readonly TeamId[]
}

const ruleOf = (row: TagRuleRow): TagRule => ({
  ...row,
  user_ids: JSON.parse(row.user_ids) as UserId[],
  team_ids: JSON.parse(row.team_ids) as TeamId[],
})

/** Rules of a repository, oldest first. */
export const listTagRules = async (db: Db, repoId: RepoId): Promise<TagRule[]> =>
  (await db.selectFrom('tag_rule').selectAll().where('repo_id', '=', repoId).orderBy('id').execute()).map(ruleOf)

export async function findTagRule(db: Db, repoId: RepoId, id: TagRuleId): Promise<TagRule | undefined> {
  const row = await db
    .selectFrom('tag_rule')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && ruleOf(row)
}

export const insertTagRule = async (tx: Tx, values: NewTagRuleRow): Promise<TagRule> =>
  ruleOf(await tx.insertInto('tag_rule').values(values).returningAll().executeTakeFirstOrThrow())

export async function updateTagRule(tx: Tx, id: TagRuleId, change: TagRuleChange): Promise<TagRule | undefined> {
  const row = await tx.updateTable('tag_rule').set(change).where('id', '=', id).returningAll().executeTakeFirst()
  return row && ruleOf(row)
}

export const deleteTagRule = (tx: Tx, repoId: RepoId, id: TagRuleId): Promise<boolean> =>
  changesRow(tx.deleteFrom('tag_rule').where('repo_id', '=', repoId).where('id', '=', id))
