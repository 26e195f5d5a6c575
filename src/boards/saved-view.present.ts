import type { Ctx } from '../access/context.ts'
import type { SavedViewRow } from '../db/tables/boards.ts'
import { escapeSegment } from '../lib/escape-url.ts'
import { formatUnix } from '../lib/time.ts'
import { columnOrderOf } from './saved-view.rules.ts'
import type { SavedView } from './saved-view.schemas.ts'
import type { ViewHome } from './saved-view.service.ts'

/** Returns the addresses of a home's views, below the site root: of the API and of pages. */
function addressesOf(home: ViewHome): readonly [api: string, page: string] {
  if (home.of === 'person') return ['api/v1/user/views', 'user/projects']
  if (home.of === 'organization') {
    const org = escapeSegment(home.org.name)
    return [`api/v1/orgs/${org}/views`, `org/${org}/projects`]
  }
  const repo = `${escapeSegment(home.at.owner.name)}/${escapeSegment(home.at.repo.name)}`
  return [`api/v1/repos/${repo}/views`, `${repo}/projects`]
}

/** Presents a view. */
export function presentView({ config }: Pick<Ctx, 'config'>, home: ViewHome, view: SavedViewRow): SavedView {
  const [api, page] = addressesOf(home)
  const { rootUrl } = config.server
  return {
    id: view.id,
    title: view.title,
    description: view.description,
    query: view.query,
    layout: view.layout,
    grouping: view.grouping,
    label_scope: view.label_scope,
    columns: [...columnOrderOf(view)],
    url: `${rootUrl}${api}/${view.id}`,
    html_url: `${rootUrl}${page}/${view.id}`,
    created_at: formatUnix(view.created_unix),
    updated_at: formatUnix(view.updated_unix),
  }
}
