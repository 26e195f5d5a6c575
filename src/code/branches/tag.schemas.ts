import { Type, type Static } from 'typebox'
import { nullable, object, requestObject } from '../../http/schema.ts'
import { CommitUser, CommitMeta, PayloadCommitVerification } from '../commits/commit.schemas.ts'

export const AnnotatedTagObject = object('AnnotatedTagObject', {
  type: Type.String(),
  url: Type.String(),
  sha: Type.String(),
})
export type AnnotatedTagObject = Static<typeof AnnotatedTagObject>

export const TagArchiveDownloadCount = object('TagArchiveDownloadCount', {
  zip: Type.Integer(),
  tar_gz: Type.Integer(),
})
export type TagArchiveDownloadCount = Static<typeof TagArchiveDownloadCount>

export const AnnotatedTag = object('AnnotatedTag', {
  tag: Type.String(),
  sha: Type.String(),
  url: Type.String(),
  message: Type.String(),
  tagger: nullable(CommitUser),
  object: nullable(AnnotatedTagObject),
  verification: nullable(PayloadCommitVerification),
  archive_download_count: nullable(TagArchiveDownloadCount),
})
export type AnnotatedTag = Static<typeof AnnotatedTag>

export const CreateTagOption = requestObject('CreateTagOption', {
  tag_name: Type.String({ minLength: 1 }),
  message: Type.Optional(Type.String()),
  target: Type.Optional(Type.String()),
})
export type CreateTagOption = Static<typeof CreateTagOption>

export const Tag = object('Tag', {
  name: Type.String(),
  message: Type.String(),
  id: Type.String(),
  commit: nullable(CommitMeta),
  zipball_url: Type.String(),
  tarball_url: Type.String(),
  archive_download_count: nullable(TagArchiveDownloadCount),
})
export type Tag = Static<typeof Tag>
