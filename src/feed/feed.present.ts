import type { Ctx } from '../access/context.ts'
import { formatUnix } from '../lib/time.ts'
import { issueApiUrl } from '../issues/repo-with-owner.ts'
import { repoApiUrl, repoFullName } from '../repos/repo-url.ts'
import type { FeedEntry as Entry, FeedPage as Page } from './feed.schemas.ts'
import type { FeedEntry as StoredEntry, FeedPage as PageEvent } from './feed.service.ts'

type PresentCtx = Pick<Ctx, 'config'>

export const presentFeed = (ctx: PresentCtx, page: PageEvent): Page => ({
  events: page.entries.map((entry) => presentEntry(ctx, entry)),
  cursor: page.cursor,
  has_more: page.hasMore,
})

export function presentEntry({ config }: PresentCtx, { event, cursor, actor, repository, issue }: StoredEntry): Entry {
  return {
    id: event.id,
    cursor,
    kind: event.name,
    at: formatUnix(Math.floor(event.atMs / 1000)),
    actor: actor ? { id: actor.id, login: actor.name } : null,
    repository: repository
      ? { id: repository.repo.id, full_name: repoFullName(repository), url: repoApiUrl({ config, ...repository }) }
      : null,
    issue: presentIssueOf(config, { event, repository, issue }),
    ids: idsOf(event.data),
  }
}

function presentIssueOf(
  config: Ctx['config'],
  { event, repository, issue }: Pick<StoredEntry, 'event' | 'repository' | 'issue'>,
): Entry['issue'] {
  if (event.issueId === undefined) return null
  const isPull = 'isPull' in event.data ? event.data.isPull : true
  const number = issue?.index ?? (event.name === 'issue.deleted' ? event.data.index : null)
  return {
    id: event.issueId,
    type: isPull ? 'pull' : 'issue',
    number,
    url:
      repository && number !== null ? issueApiUrl({ config, ...repository }, { index: number, is_pull: isPull }) : null,
  }
}

/** Returns the ids in an event's data. The feed contains no user-written text and no former values. */
const idsOf = (data: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(data).filter(
      (member): member is [string, number] => member[0].endsWith('Id') && typeof member[1] === 'number',
    ),
  )
