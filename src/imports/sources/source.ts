import type { Readable } from 'node:stream'
import type { Unix } from '../../lib/time.ts'

/**
 * A repository of another server. Each kind of server has a reader that converts its API to these types. Texts are well-formed
 * and without NUL characters, numbers are safe integers, times are Unix seconds.
 */

/** One page of a list; `next` is an opaque cursor of the next page. */
export interface Batch<Item> {
  readonly items: readonly Item[]
  readonly next: string | undefined
}

/** Returns the page at a cursor, or the first one. */
export type Pages<Item> = (position: string | undefined) => Promise<Batch<Item>>

/** An author on the source server. */
export interface SourceAuthor {
  readonly id: number
  readonly name: string
}

export interface SourceRepository {
  readonly description: string
  readonly website: string
  readonly topics: readonly string[]
  readonly isArchived: boolean
}

export interface SourceLabel {
  readonly name: string
  /** Six hexadecimal digits. */
  readonly color: string
  readonly description: string
  readonly isExclusive: boolean
}

export interface SourceMilestone {
  readonly title: string
  readonly content: string
  readonly isClosed: boolean
  readonly dueUnix: Unix
  readonly closedUnix: Unix
  readonly createdUnix: Unix
  readonly updatedUnix: Unix
}

export interface SourceReaction {
  readonly author: SourceAuthor
  /** A reaction of this forge, such as `+1`. */
  readonly content: string
}

/** An attachment of an issue, a pull request or a comment. */
export interface SourceFile extends SourceAsset {
  /** Id in texts of the source server; '' when unknown. */
  readonly uuid: string
  /** Address on the source server. */
  readonly sourceUrl: string
}

export interface SourceComment {
  /** Number of the issue or pull request. */
  readonly number: number
  readonly author: SourceAuthor
  readonly content: string
  readonly createdUnix: Unix
  readonly updatedUnix: Unix
  readonly reactions: readonly SourceReaction[]
  readonly files?: readonly SourceFile[]
}

export interface SourceIssue {
  readonly number: number
  readonly author: SourceAuthor
  readonly title: string
  readonly content: string
  readonly ref: string
  readonly labels: readonly SourceLabel[]
  /** Title of the milestone; '' for none. */
  readonly milestone: string
  readonly assignees: readonly SourceAuthor[]
  readonly isClosed: boolean
  readonly isLocked: boolean
  readonly dueUnix: Unix
  readonly createdUnix: Unix
  readonly updatedUnix: Unix
  readonly closedUnix: Unix
  readonly reactions: readonly SourceReaction[]
  readonly files?: readonly SourceFile[]
  /** Comments, if the server lists them by issue and not by repository. */
  readonly comments?: readonly Omit<SourceComment, 'number'>[]
}

export interface SourceLineComment {
  readonly author: SourceAuthor
  readonly content: string
  readonly path: string
  /** Negative: on the old side. 0: the whole file. */
  readonly line: number
  readonly hunk: string
  readonly commit: string
  readonly createdUnix: Unix
  readonly updatedUnix: Unix
}

export interface SourceReview {
  readonly author: SourceAuthor
  readonly type: 'comment' | 'approve' | 'reject'
  readonly content: string
  readonly commit: string
  readonly isDismissed: boolean
  readonly isOfficial: boolean
  readonly createdUnix: Unix
  readonly updatedUnix: Unix
  readonly comments: readonly SourceLineComment[]
}

export interface SourcePull extends SourceIssue {
  readonly baseBranch: string
  /** Commit ids as sent; the objects may not exist. */
  readonly baseCommit: string
  readonly headBranch: string
  readonly headCommit: string
  /** Whether the head is a branch of the same repository. */
  readonly isHeadHere: boolean
  readonly isMerged: boolean
  readonly mergedUnix: Unix
  readonly mergeCommit: string
  readonly mergedBy: SourceAuthor | undefined
  readonly reviews: readonly SourceReview[]
}

export interface SourceAsset {
  readonly name: string
  /** Address of the download, or of an external file. */
  readonly url: string
  readonly isExternal: boolean
  /** -1 when unknown. */
  readonly sizeBytes: number
  readonly downloadCount: number
  readonly createdUnix: Unix
}

export interface SourceRelease {
  readonly tagName: string
  readonly target: string
  readonly title: string
  readonly content: string
  readonly isDraft: boolean
  readonly isPrerelease: boolean
  readonly author: SourceAuthor
  readonly createdUnix: Unix
  readonly assets: readonly SourceAsset[]
}

/** Reads one repository of another server. Members are undefined when the server lacks them. */
export interface Source {
  /** References of pull request heads, with `*` for the number. */
  readonly pullRefs: string | undefined
  describe(): Promise<SourceRepository>
  /** Returns the account of the credentials, if they name one. */
  whoAmI(): Promise<SourceAuthor | undefined>
  readonly labels: Pages<SourceLabel>
  readonly milestones: Pages<SourceMilestone>
  readonly releases: Pages<SourceRelease> | undefined
  readonly issues: Pages<SourceIssue>
  /** Comments on issues and pull requests; undefined when issues contain their own. */
  readonly comments: Pages<SourceComment> | undefined
  readonly pulls: Pages<SourcePull> | undefined
  /** Whether pull requests are numbered separately from issues. */
  readonly numbersPullsSeparately: boolean
  readonly download: (asset: SourceAsset, maxBytes: number) => Promise<Readable>
}
