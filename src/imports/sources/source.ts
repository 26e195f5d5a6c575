import type { Readable } from 'node:stream'
import type { Unix } from '../../lib/time.ts'

/**
 * What another server tells of a repository, in words of our own: each kind of server has a reader that translates its
 * API into these. Texts are clean (no zero bytes, whole characters), numbers are what they seem, times are Unix seconds.
 */

/** Something of one kind, a page at a time; `next` is the place of the page after this, a text that only the reader understands. */
export interface Batch<Item> {
  readonly items: readonly Item[]
  readonly next: string | undefined
}

/** Gives the page at a place; without one the first. */
export type Pages<Item> = (place: string | undefined) => Promise<Batch<Item>>

/** Who wrote something over there. */
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
  /** A word of this forge, like `+1`. */
  readonly content: string
}

/** A file that is attached to an issue, a pull request or a comment. */
export interface SourceFile extends SourceAsset {
  /** What texts over there know it by; '' when it is not told. */
  readonly uuid: string
  /** Its address as it was told. */
  readonly toldUrl: string
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
  /** Its title; '' for none. */
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
  /** Where the server tells comments with their issues, and not all of a repository together. */
  readonly comments?: readonly Omit<SourceComment, 'number'>[]
}

export interface SourceLineComment {
  readonly author: SourceAuthor
  readonly content: string
  readonly path: string
  /** Negative: of the old side. 0: the whole file. */
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
  /** Ids as they were told: nothing says that the objects are there. */
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
  /** Where its bytes are asked for; for one that lies elsewhere, where that is. */
  readonly url: string
  readonly isExternal: boolean
  /** As told; -1 when it is not. */
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

/** Reads one repository of another server. What it cannot give is undefined. */
export interface Source {
  /** References that hold heads of pull requests over there, with `*` for the number; undefined: there are none. */
  readonly pullRefs: string | undefined
  describe(): Promise<SourceRepository>
  /** Whose the credentials are; undefined when they do not say. */
  whoAmI(): Promise<SourceAuthor | undefined>
  readonly labels: Pages<SourceLabel>
  readonly milestones: Pages<SourceMilestone>
  readonly releases: Pages<SourceRelease> | undefined
  readonly issues: Pages<SourceIssue>
  /** Of issues and pull requests; undefined where each issue tells its own. */
  readonly comments: Pages<SourceComment> | undefined
  /** @param isKnown a number is taken by an issue: numbers of pull requests are counted apart on some servers */
  readonly pulls: Pages<SourcePull> | undefined
  /** Whether pull requests have numbers of their own, which would meet those of issues. */
  readonly countsPullsApart: boolean
  /** The bytes of a file. */
  readonly download: (asset: SourceAsset, maxBytes: number) => Promise<Readable>
}
