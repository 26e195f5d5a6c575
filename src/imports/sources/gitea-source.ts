import { mapLimited } from '../../lib/map-limited.ts'
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
import type { SourceClient } from './source-client.ts'
import {
  authorOf,
  flagOf,
  indexOf,
  listOf,
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
  SourceComment,
  SourceFile,
  SourceIssue,
  SourceLineComment,
  SourcePull,
  SourceReaction,
  SourceReview,
} from './source.ts'
import { wordTable } from '../../lib/word-table.ts'

/** Items per page; servers of this family allow fifty by default. */
const pageSize = 50

const parameters = `limit=${pageSize}&page=1`

/** Most attachments of one text. */
const maxFilesOfOne = 100

/** Reads servers of the Gitea family: Gitea, Forgejo, Ingot and, where its API agrees, Gogs. */
export function giteaSource(client: SourceClient, owner: string, name: string): Source {
  const repo = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const people = reactionsOf(client, repo)

  const issueOf = async (item: unknown, what: string): Promise<SourceIssue> => {
    const issue = objectOf(item, what)
    const number = indexOf(issue, 'number', what)
    return {
      ...issueFieldsOf(issue),
      number,
      author: writerOf(issue),
      ref: textOf(issue, 'ref'),
      isLocked: flagOf(issue, 'is_locked'),
      dueUnix: timeOf(issue, 'due_date'),
      reactions: await people.ofIssue(number),
      files: filesOf(client, issue),
    }
  }

  const reviewsOf = async (number: number): Promise<SourceReview[]> => {
    const items = await client.all(`${repo}/pulls/${number}/reviews?${parameters}`, 'reviews', maxOfOne)
    const reviews = items.map((item) => objectOf(item, 'a review'))
    const answered = reviews.flatMap((review) => {
      const type = reviewTypes[textOf(review, 'state')]
      return type === undefined ? [] : [{ review, type }]
    })
    return mapLimited(answered, 2, async ({ review, type }): Promise<SourceReview> => {
      const path = `${repo}/pulls/${number}/reviews/${numberOf(review, 'id')}/comments`
      const comments = numberOf(review, 'comments_count') === 0 ? [] : await client.get(path, 'comments of a review')
      return {
        ...reviewFieldsOf(review),
        type,
        isDismissed: flagOf(review, 'dismissed'),
        isOfficial: flagOf(review, 'official'),
        updatedUnix: timeOf(review, 'updated_at') || timeOf(review, 'submitted_at'),
        comments: listOf({ comments }, 'comments').slice(0, maxOfOne).map(lineCommentOf),
      }
    })
  }

  /** Pull requests do not contain their attachments. */
  const filesOfPull = async (number: number): Promise<SourceFile[]> => {
    const found = await client.find(`${repo}/issues/${number}/assets`, 'attached files')
    return filesOf(client, { assets: found?.json })
  }

  return {
    ...repositoryLists(client, repo, parameters, (asset) => assetOf(client, asset)),
    async describe() {
      const record = objectOf(await client.get(repo, 'such repository'), 'the repository')
      const topics = record['topics'] === undefined ? await topicsOf(client, repo) : textsOf(record, 'topics')
      return {
        description: textOf(record, 'description'),
        website: textOf(record, 'website'),
        topics,
        isArchived: flagOf(record, 'archived'),
      }
    },
    issues: pagesOf(client, `${repo}/issues?state=all&type=issues&sort=oldest&${parameters}`, 'issues', (item) =>
      issueOf(item, 'an issue'),
    ),
    comments: pagesOf(client, `${repo}/issues/comments?${parameters}`, 'comments', async (item) => {
      const comment = objectOf(item, 'a comment')
      return {
        number: numberAtEnd(textOf(comment, 'issue_url') || textOf(comment, 'pull_request_url')),
        author: writerOf(comment),
        ...writingOf(comment),
        reactions: await people.ofComment(numberOf(comment, 'id')),
        files: filesOf(client, comment),
      } satisfies SourceComment
    }),
    pulls: pagesOf(client, `${repo}/pulls?state=all&sort=oldest&${parameters}`, 'pull requests', async (item) => {
      const pull = objectOf(item, 'a pull request')
      const issue = await issueOf(pull, 'a pull request')
      const branches = branchesOf(pull)
      const [baseRepo, headRepo] = ['base', 'head'].map((end) => numberOf(memberOf(pull, end), 'repo_id'))
      const isMerged = flagOf(pull, 'merged')
      return {
        ...issue,
        ...branches,
        baseCommit: oidOf(pull, 'merge_base') || branches.baseCommit,
        isHeadHere: headRepo !== 0 && headRepo === baseRepo,
        isMerged,
        mergedUnix: isMerged ? timeOf(pull, 'merged_at') || issue.closedUnix || issue.updatedUnix : 0,
        mergeCommit: isMerged ? oidOf(pull, 'merge_commit_sha') : '',
        mergedBy: isMerged ? authorOf(memberOf(pull, 'merged_by')) : undefined,
        reviews: await reviewsOf(issue.number),
        files: await filesOfPull(issue.number),
      } satisfies SourcePull
    }),
    download: (asset, maxBytes) => client.download(asset.url, `the file ${asset.name}`, maxBytes),
  }
}

async function topicsOf(client: SourceClient, repo: string): Promise<string[]> {
  const found = await client.find(`${repo}/topics`, 'topics')
  return found ? textsOf(objectOf(found.json, 'topics'), 'topics') : []
}

/** Returns the original author, if the object was imported there. */
const writerOf = (thing: JsonObject) => {
  const original = textOf(thing, 'original_author')
  return original === '' ? authorOf(memberOf(thing, 'user')) : { id: 0, name: original.slice(0, 255) }
}

/** Requests the reactions of each text, until the server answers that it has none. */
function reactionsOf(client: SourceClient, repo: string) {
  let hasReactions = true
  const read = async (path: string): Promise<readonly SourceReaction[]> => {
    if (!hasReactions) return []
    const found = await client.find(path, 'reactions')
    if (!found) hasReactions = false
    const items = listOf({ items: found?.json }, 'items')
    return items.slice(0, maxOfOne).map(reactionOf)
  }
  return {
    ofIssue: (number: number) => read(`${repo}/issues/${number}/reactions?limit=${pageSize}`),
    ofComment: (id: number) => read(`${repo}/issues/comments/${id}/reactions`),
  }
}

const reviewTypes = wordTable<SourceReview['type']>({
  APPROVED: 'approve',
  REQUEST_CHANGES: 'reject',
  COMMENT: 'comment',
})

function lineCommentOf(comment: JsonObject): SourceLineComment {
  const old = numberOf(comment, 'original_position')
  return { ...lineCommentFieldsOf(comment), line: numberOf(comment, 'position') || -old }
}

/** Returns the attachments of a text, up to `maxFilesOfOne`. */
const filesOf = (client: SourceClient, thing: JsonObject): SourceFile[] =>
  listOf(thing, 'assets')
    .slice(0, maxFilesOfOne)
    .map((item) => {
      const asset = objectOf(item, 'an attached file')
      return { ...assetOf(client, asset), uuid: uuidOf(asset), sourceUrl: textOf(asset, 'browser_download_url') }
    })

/** Returns the id of an attachment, which texts contain; '' when it is not a UUID. */
const uuidOf = (asset: JsonObject): string => /^[\da-f-]{36}$/i.exec(textOf(asset, 'uuid'))?.[0] ?? ''

function assetOf(client: SourceClient, asset: JsonObject): SourceAsset {
  const isExternal = textOf(asset, 'type') === 'external'
  const url = textOf(asset, 'browser_download_url')
  return {
    ...uploadOf(asset),
    url: isExternal ? url : client.onServer(url),
    isExternal,
  }
}
