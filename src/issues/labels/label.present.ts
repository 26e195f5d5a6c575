import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { LabelRow } from '../../db/tables/issues.ts'
import { escapeSegment } from '../../lib/escape-url.ts'
import { repoApiUrl } from '../../repos/repo-url.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import type { Label } from './label.schemas.ts'

/** Presents a label with its address below its repository or organization. */
export function presentLabel(
  ctx: Pick<Ctx, 'config'> & (RepoWithOwner | { readonly owner: UserRow }),
  label: LabelRow,
): Label {
  const url =
    label.org_id === null && 'repo' in ctx
      ? `${repoApiUrl(ctx)}/labels/${label.id}`
      : `${ctx.config.server.rootUrl}api/v1/orgs/${escapeSegment(ctx.owner.name)}/labels/${label.id}`
  return {
    id: label.id,
    name: label.name,
    exclusive: label.is_exclusive,
    is_archived: label.archived_unix > 0,
    color: label.color,
    description: label.description,
    url,
  }
}
