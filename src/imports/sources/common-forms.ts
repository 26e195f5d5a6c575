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
  Source,
  SourceAsset,
  SourceAuthor,
  SourceLabel,
  SourceLineComment,
  SourceMilestone,
  SourceReaction,
  SourceRelease,
} from './source.ts'

// The API of the Gitea family resembles GitHub's, and GitLab's has the same forms in part. Each source states what differs.

/** Most reactions, reviews, notes or line comments of one object. */
export const maxOfOne = 5000

/** Requests for single objects at the same time. */
const parallelRequests = 6

/** Returns the pages of a list whose items may need further requests. */
export function pagesOf<Item>(
  client: SourceClient,
  first: string,
  what: string,
  read: (item: unknown) => Item | Promise<Item>,
): Pages<Item> {
  return async (position): Promise<Batch<Item>> => {
    const { items, next } = await client.page(first, position, what)
    return { items: await mapLimited(items, parallelRequests, (item) => Promise.resolve(read(item))), next }
  }
}

/** The lists that GitHub and the Gitea family have alike, below the address of a repository. */
export const repositoryLists = (
  client: SourceClient,
  repo: string,
  parameters: string,
  assetOf: (asset: JsonObject) => SourceAsset,
): Pick<Source, 'pullRefs' | 'numbersPullsSeparately' | 'whoAmI' | 'labels' | 'milestones' | 'releases'> => ({
  pullRefs: 'refs/pull/*/head',
  numbersPullsSeparately: false,
  whoAmI: () => accountOf(client),
  labels: pagesOf(client, `${repo}/labels?${parameters}`, 'labels', (item) => labelOf(objectOf(item, 'a label'))),
  milestones: pagesOf(client, `${repo}/milestones?state=all&${parameters}`, 'milestones', milestoneOf),
  releases: pagesOf(client, `${repo}/releases?${parameters}`, 'releases', (item) => releaseOf(item, assetOf)),
})

/** Returns the account of the credentials; undefined when the server does not tell. */
export async function accountOf(client: SourceClient, nameMember?: string): Promise<SourceAuthor | undefined> {
  const found = await client.find('/user', 'the account').catch(() => undefined)
  return found && authorOf(objectOf(found.json, 'the account'), nameMember)
}

/** Reads when an object was created and changed. */
export const timesOf = (thing: JsonObject) => ({
  createdUnix: timeOf(thing, 'created_at'),
  updatedUnix: timeOf(thing, 'updated_at'),
})

/** Reads the text of a comment, without its author. */
export const writingOf = (comment: JsonObject) => ({
  content: textOf(comment, 'body'),
  ...timesOf(comment),
})

/** Reads a reaction. GitHub and the Gitea family have the names of this forge. */
export const reactionOf = (item: unknown): SourceReaction => {
  const reaction = objectOf(item, 'a reaction')
  return { author: authorOf(memberOf(reaction, 'user')), content: textOf(reaction, 'content') }
}

/** Reads the members of a review that GitHub and the Gitea family have alike. */
export const reviewFieldsOf = (review: JsonObject) => ({
  author: authorOf(memberOf(review, 'user')),
  content: textOf(review, 'body'),
  commit: oidOf(review, 'commit_id'),
  createdUnix: timeOf(review, 'submitted_at'),
})

/** Reads the branches of a pull request of GitHub or the Gitea family. */
export function branchesOf(pull: JsonObject) {
  const [base, head] = [memberOf(pull, 'base'), memberOf(pull, 'head')]
  return {
    baseBranch: textOf(base, 'ref'),
    baseCommit: oidOf(base, 'sha'),
    headBranch: textOf(head, 'ref'),
    headCommit: oidOf(head, 'sha'),
  }
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
    ...timesOf(milestone),
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
export const issueFieldsOf = (issue: JsonObject) => ({
  title: textOf(issue, 'title'),
  content: textOf(issue, 'body'),
  labels: listOf(issue, 'labels').map(labelOf),
  milestone: textOf(memberOf(issue, 'milestone'), 'title'),
  assignees: listOf(issue, 'assignees').map((person) => authorOf(person)),
  isClosed: textOf(issue, 'state') === 'closed',
  closedUnix: timeOf(issue, 'closed_at'),
  ...timesOf(issue),
})

/** Reads a comment on a line, without the line. */
export const lineCommentFieldsOf = (comment: JsonObject): Omit<SourceLineComment, 'line'> => ({
  author: authorOf(memberOf(comment, 'user')),
  ...writingOf(comment),
  path: textOf(comment, 'path'),
  hunk: textOf(comment, 'diff_hunk'),
  commit: oidOf(comment, 'commit_id'),
})

/** Returns the number at the end of the address of an issue. */
export function numberAtEnd(url: string): number {
  const number = Number(/\/(\d{1,9})$/.exec(url.split('#', 1)[0] ?? '')?.[1] ?? 0)
  if (number === 0) throw new SourceProblem('the source server sent a comment without its issue')
  return number
}
