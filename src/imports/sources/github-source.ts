import { mapLimited } from '../../lib/map-limited.ts'
import type { SourceClient } from './source-client.ts'
import {
  branchesOf,
  issueFieldsOf,
  lineCommentFieldsOf,
  maxOfOne,
  numberAtEnd,
  pagesOf,
  reactionOf,
  repositoryLists,
  reviewFieldsOf,
  uploadOf,
  writingOf,
} from './common-forms.ts'
import {
  authorOf,
  flagOf,
  indexOf,
  memberOf,
  numberOf,
  objectOf,
  oidOf,
  textOf,
  textsOf,
  timeOf,
  type JsonObject,
} from './read-json.ts'
import type {
  Source,
  SourceAsset,
  SourceIssue,
  SourceLineComment,
  SourcePull,
  SourceReaction,
  SourceReview,
} from './source.ts'
import { wordTable } from '../../lib/word-table.ts'

/** Items per page, the maximum of the server (REST API, pagination). */
const parameters = 'per_page=100&page=1'

/** Reads github.com and GitHub Enterprise through the REST API (version 2022-11-28). */
export function githubSource(client: SourceClient, owner: string, name: string): Source {
  const repo = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`

  /** The text contains the number of its reactions, so texts without any cost no request. */
  const reactionsOf = async (thing: JsonObject, path: string): Promise<SourceReaction[]> => {
    if (thing['reactions'] !== undefined && numberOf(memberOf(thing, 'reactions'), 'total_count') === 0) return []
    const items = await client.all(`${path}/reactions?${parameters}`, 'reactions', maxOfOne)
    return items.map(reactionOf)
  }

  const issueOf = async (issue: JsonObject, what: string): Promise<SourceIssue> => {
    const number = indexOf(issue, 'number', what)
    return {
      ...issueFieldsOf(issue),
      number,
      author: authorOf(memberOf(issue, 'user')),
      ref: '',
      isLocked: flagOf(issue, 'locked'),
      dueUnix: 0,
      reactions: await reactionsOf(issue, `${repo}/issues/${number}`),
    }
  }

  const reviewsOf = async (number: number): Promise<SourceReview[]> => {
    const [reviews, lines] = await mapLimited(['reviews', 'comments'], 2, (kind) =>
      client.all(`${repo}/pulls/${number}/${kind}?${parameters}`, `${kind} of a pull request`, maxOfOne),
    )
    const linesOf = Map.groupBy(
      (lines ?? []).map((line) => objectOf(line, 'a comment of a review')),
      (line) => numberOf(line, 'pull_request_review_id'),
    )
    return (reviews ?? []).flatMap((item) => {
      const review = objectOf(item, 'a review')
      const state = textOf(review, 'state')
      if (state === 'PENDING') return []
      return [
        {
          ...reviewFieldsOf(review),
          type: reviewTypes[state] ?? 'comment',
          isDismissed: state === 'DISMISSED',
          isOfficial: false,
          updatedUnix: timeOf(review, 'submitted_at'),
          comments: (linesOf.get(numberOf(review, 'id')) ?? []).map(lineCommentOf),
        } satisfies SourceReview,
      ]
    })
  }

  // The list contains pull requests too; this member identifies them.
  const isPull = (item: unknown): boolean => objectOf(item, 'an issue')['pull_request'] !== undefined
  const ofAll = pagesOf(client, `${repo}/issues?state=all&sort=created&direction=asc&${parameters}`, 'issues', (item) =>
    isPull(item) ? undefined : issueOf(objectOf(item, 'an issue'), 'an issue'),
  )

  return {
    ...repositoryLists(client, repo, parameters, assetOf),
    async describe() {
      const record = objectOf(await client.get(repo, 'such repository'), 'the repository')
      return {
        description: textOf(record, 'description'),
        website: textOf(record, 'homepage'),
        topics: textsOf(record, 'topics'),
        isArchived: flagOf(record, 'archived'),
      }
    },
    issues: async (position) => {
      const { items, next } = await ofAll(position)
      return { items: items.filter((item) => item !== undefined), next }
    },
    comments: pagesOf(
      client,
      `${repo}/issues/comments?sort=created&direction=asc&${parameters}`,
      'comments',
      async (item) => {
        const comment = objectOf(item, 'a comment')
        return {
          number: numberAtEnd(textOf(comment, 'issue_url')),
          author: authorOf(memberOf(comment, 'user')),
          ...writingOf(comment),
          reactions: await reactionsOf(comment, `${repo}/issues/comments/${numberOf(comment, 'id')}`),
        }
      },
    ),
    pulls: pagesOf(
      client,
      `${repo}/pulls?state=all&sort=created&direction=asc&${parameters}`,
      'pull requests',
      async (item) => {
        const pull = objectOf(item, 'a pull request')
        const issue = await issueOf(pull, 'a pull request')
        const mergedUnix = timeOf(pull, 'merged_at')
        const [baseRepo, headRepo] = ['base', 'head'].map((end) =>
          numberOf(memberOf(memberOf(pull, end), 'repo'), 'id'),
        )
        const merger = memberOf(pull, 'merged_by')
        return {
          ...issue,
          ...branchesOf(pull),
          isHeadHere: headRepo !== 0 && headRepo === baseRepo,
          isMerged: mergedUnix > 0,
          mergedUnix,
          mergeCommit: mergedUnix > 0 ? oidOf(pull, 'merge_commit_sha') : '',
          mergedBy: mergedUnix > 0 && numberOf(merger, 'id') > 0 ? authorOf(merger) : undefined,
          reviews: await reviewsOf(issue.number),
        } satisfies SourcePull
      },
    ),
    download: (asset, maxBytes) =>
      client.download(asset.url, `the file ${asset.name}`, maxBytes, { accept: 'application/octet-stream' }),
  }
}

const assetOf = (asset: JsonObject): SourceAsset => ({
  ...uploadOf(asset),
  // The API address accepts a token, unlike the one for browsers.
  url: textOf(asset, 'url'),
  isExternal: false,
})

const reviewTypes = wordTable<SourceReview['type']>({
  APPROVED: 'approve',
  CHANGES_REQUESTED: 'reject',
})

function lineCommentOf(comment: JsonObject): SourceLineComment {
  const line = numberOf(comment, 'line') || numberOf(comment, 'original_line')
  return { ...lineCommentFieldsOf(comment), line: textOf(comment, 'side') === 'LEFT' ? -line : line }
}
