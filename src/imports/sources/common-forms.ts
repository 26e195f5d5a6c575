import { mapLimited } from '../../lib/map-limited.ts'
import {
  authorOf,
  colorOf,
  flagOf,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  oidOf,
  textOf,
  timeOf,
  type JsonObject,
} from './read-json.ts'
import type { SourceClient } from './source-client.ts'
import { SourceProblem } from './source-problem.ts'
import type {
  Batch,
  Pages,
  SourceAsset,
  SourceAuthor,
  SourceIssue,
  SourceLabel,
  SourceLineComment,
  SourceMilestone,
  SourceRelease,
} from './source.ts'

// The API of the Gitea family resembles GitHub's, so both sources share these readers.

/** Requests for single objects at the same time. */
const parallelRequests = 6

/** Returns the pages of a list whose items may need further requests. */
export function pagesOf<Item>(
  client: SourceClient,
  first: string,
  what: string,
  read: (item: unknown) => Item | Promise<Item>,
): Pages<Item> {
  return async (place): Promise<Batch<Item>> => {
    const { items, next } = await client.page(first, place, what)
    return { items: await mapLimited(items, parallelRequests, (item) => Promise.resolve(read(item))), next }
  }
}

/** Returns the account of the credentials; undefined when the server does not tell. */
export async function accountOf(client: SourceClient, nameMember?: string): Promise<SourceAuthor | undefined> {
  const found = await client.find('/user', 'the account').catch(() => undefined)
  return found && authorOf(objectOf(found.json, 'the account'), nameMember)
}

export const labelOf = (label: JsonObject): SourceLabel => ({
  name: textOf(label, 'name'),
  color: colorOf(label, 'color'),
  description: textOf(label, 'description'),
  isExclusive: flagOf(label, 'exclusive'),
})

export function milestoneOf(item: unknown): SourceMilestone {
  const milestone = objectOf(item, 'a milestone')
  return {
    title: textOf(milestone, 'title'),
    content: textOf(milestone, 'description'),
    isClosed: textOf(milestone, 'state') === 'closed',
    dueUnix: timeOf(milestone, 'due_on'),
    closedUnix: timeOf(milestone, 'closed_at'),
    createdUnix: timeOf(milestone, 'created_at'),
    updatedUnix: timeOf(milestone, 'updated_at'),
  }
}

export function releaseOf(item: unknown, assetOf: (asset: JsonObject) => SourceAsset): SourceRelease {
  const release = objectOf(item, 'a release')
  return {
    tagName: textOf(release, 'tag_name'),
    target: textOf(release, 'target_commitish'),
    title: textOf(release, 'name'),
    content: textOf(release, 'body'),
    isDraft: flagOf(release, 'draft'),
    isPrerelease: flagOf(release, 'prerelease'),
    author: authorOf(memberOf(release, 'author')),
    createdUnix: timeOf(release, 'published_at') || timeOf(release, 'created_at'),
    assets: listOf(release, 'assets').map(assetOf),
  }
}

/** Reads a file of a release, without its address. */
export const uploadOf = (asset: JsonObject): Omit<SourceAsset, 'url' | 'isExternal'> => ({
  name: textOf(asset, 'name'),
  sizeBytes: typeof asset['size'] === 'number' ? numberOf(asset, 'size') : -1,
  downloadCount: numberOf(asset, 'download_count'),
  createdUnix: timeOf(asset, 'created_at'),
})

/** Reads the members that issues and pull requests share. */
export const issueFieldsOf = (
  issue: JsonObject,
): Pick<
  SourceIssue,
  'title' | 'content' | 'labels' | 'milestone' | 'assignees' | 'isClosed' | 'createdUnix' | 'updatedUnix' | 'closedUnix'
> => ({
  title: textOf(issue, 'title'),
  content: textOf(issue, 'body'),
  labels: listOf(issue, 'labels').map(labelOf),
  milestone: textOf(memberOf(issue, 'milestone'), 'title'),
  assignees: listOf(issue, 'assignees').map((person) => authorOf(person)),
  isClosed: textOf(issue, 'state') === 'closed',
  createdUnix: timeOf(issue, 'created_at'),
  updatedUnix: timeOf(issue, 'updated_at'),
  closedUnix: timeOf(issue, 'closed_at'),
})

/** Reads a comment on a line, without the line. */
export const lineCommentFieldsOf = (comment: JsonObject): Omit<SourceLineComment, 'line'> => ({
  author: authorOf(memberOf(comment, 'user')),
  content: textOf(comment, 'body'),
  path: textOf(comment, 'path'),
  hunk: textOf(comment, 'diff_hunk'),
  commit: oidOf(comment, 'commit_id'),
  createdUnix: timeOf(comment, 'created_at'),
  updatedUnix: timeOf(comment, 'updated_at'),
})

/** Returns the number at the end of the address of an issue. */
export function numberAtEnd(url: string): number {
  const number = Number(/\/(\d{1,9})$/.exec(url.split('#', 1)[0] ?? '')?.[1] ?? 0)
  if (number === 0) throw new SourceProblem('the source server sent a comment without its issue')
  return number
}
