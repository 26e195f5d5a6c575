import { Type, type Static } from 'typebox'
import { CommitUser } from '../code/commits/commit.schemas.ts'
import { nullable, object, requestObject } from '../http/schema.ts'

export const CreateWikiPageOptions = requestObject('CreateWikiPageOptions', {
  title: Type.Optional(Type.String()),
  content_base64: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  /** `last_commit.sha` of the page that the caller has seen. The change is refused when the page has another one. */
  last_commit_sha: Type.Optional(Type.String()),
})
export type CreateWikiPageOptions = Static<typeof CreateWikiPageOptions>

/** Clients expect the spelling `commiter`. */
export const WikiCommit = object('WikiCommit', {
  sha: Type.String(),
  author: nullable(CommitUser),
  commiter: nullable(CommitUser),
  message: Type.String(),
})
export type WikiCommit = Static<typeof WikiCommit>

export const WikiCommitList = object('WikiCommitList', {
  commits: nullable(Type.Array(WikiCommit)),
  count: Type.Integer(),
})
export type WikiCommitList = Static<typeof WikiCommitList>

export const WikiPage = object('WikiPage', {
  title: Type.String(),
  html_url: Type.String(),
  sub_url: Type.String(),
  last_commit: nullable(WikiCommit),
  content_base64: Type.String(),
  commit_count: Type.Integer(),
  sidebar: Type.String(),
  footer: Type.String(),
})
export type WikiPage = Static<typeof WikiPage>

export const WikiPageMetaData = object('WikiPageMetaData', {
  title: Type.String(),
  html_url: Type.String(),
  sub_url: Type.String(),
  last_commit: nullable(WikiCommit),
})
export type WikiPageMetaData = Static<typeof WikiPageMetaData>
