import type { Tx } from '../../db/database.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Copies the labels of a template to a new repository. */
export const copyLabels = (tx: Tx, templateId: RepoId, repoId: RepoId, createdUnix: Unix) =>
  tx
    .insertInto('label')
    .columns(['repo_id', 'org_id', 'name', 'description', 'color', 'is_exclusive', 'created_unix', 'updated_unix'])
    .expression((select) =>
      select
        .selectFrom('label')
        .select((column) => [
          column.val(repoId).as('repo_id'),
          'org_id',
          'name',
          'description',
          'color',
          'is_exclusive',
          column.val(createdUnix).as('created_unix'),
          column.val(createdUnix).as('updated_unix'),
        ])
        .where('repo_id', '=', templateId)
        .where('archived_unix', '=', 0)
        .orderBy('id'),
    )
    .execute()
