import { Type, type Static } from 'typebox'
import { alwaysNull, dateTime, nullable, object, requestObject } from '../../http/schema.ts'
import { CommitUser, CommitMeta, PayloadCommitVerification } from '../commits/commit.schemas.ts'
import { branchName } from '../branches/ref-name.schemas.ts'

export const Identity = requestObject('Identity', {
  name: Type.Optional(Type.String({ maxLength: 100 })),
  email: Type.Optional(Type.String({ maxLength: 254 })),
})
export type Identity = Static<typeof Identity>

export const CommitDateOptions = requestObject('CommitDateOptions', {
  author: Type.Optional(dateTime()),
  committer: Type.Optional(dateTime()),
})
export type CommitDateOptions = Static<typeof CommitDateOptions>

/** Commit options of all changes. */
const commitOptions = {
  message: Type.Optional(Type.String()),
  branch: Type.Optional(branchName()),
  new_branch: Type.Optional(branchName()),
  author: Type.Optional(Identity),
  committer: Type.Optional(Identity),
  dates: Type.Optional(CommitDateOptions),
  signoff: Type.Optional(Type.Boolean()),
} as const

export const ApplyDiffPatchFileOptions = requestObject('ApplyDiffPatchFileOptions', {
  ...commitOptions,
  sha: Type.String({ minLength: 1 }),
  content: Type.Optional(Type.String()),
})
export type ApplyDiffPatchFileOptions = Static<typeof ApplyDiffPatchFileOptions>

export const ChangeFileOperation = requestObject('ChangeFileOperation', {
  operation: Type.String({ minLength: 1 }),
  path: Type.String({ minLength: 1, maxLength: 500 }),
  content: Type.Optional(Type.String()),
  sha: Type.Optional(Type.String()),
  from_path: Type.Optional(Type.String({ maxLength: 500 })),
})
export type ChangeFileOperation = Static<typeof ChangeFileOperation>

export const ChangeFilesOptions = requestObject('ChangeFilesOptions', {
  ...commitOptions,
  /** An empty list makes an empty commit (observed). */
  files: Type.Array(ChangeFileOperation),
})
export type ChangeFilesOptions = Static<typeof ChangeFilesOptions>

export const FileLinksResponse = object('FileLinksResponse', {
  self: nullable(Type.String()),
  git: nullable(Type.String()),
  html: nullable(Type.String()),
})
export type FileLinksResponse = Static<typeof FileLinksResponse>

export const ContentsResponse = object('ContentsResponse', {
  name: Type.String(),
  path: Type.String(),
  sha: Type.String(),
  last_commit_sha: Type.String(),
  last_commit_when: dateTime(),
  type: Type.String(),
  size: Type.Integer(),
  encoding: nullable(Type.String()),
  content: nullable(Type.String()),
  target: nullable(Type.String()),
  url: nullable(Type.String()),
  html_url: nullable(Type.String()),
  git_url: nullable(Type.String()),
  download_url: nullable(Type.String()),
  submodule_git_url: nullable(Type.String()),
  _links: nullable(FileLinksResponse),
})
export type ContentsResponse = Static<typeof ContentsResponse>

export const CreateFileOptions = requestObject('CreateFileOptions', {
  ...commitOptions,
  content: Type.Optional(Type.String()),
})
export type CreateFileOptions = Static<typeof CreateFileOptions>

export const DeleteFileOptions = requestObject('DeleteFileOptions', {
  ...commitOptions,
  sha: Type.String({ minLength: 1 }),
})
export type DeleteFileOptions = Static<typeof DeleteFileOptions>

export const FileCommitResponse = object('FileCommitResponse', {
  url: Type.String(),
  sha: Type.String(),
  created: dateTime(),
  html_url: Type.String(),
  author: nullable(CommitUser),
  committer: nullable(CommitUser),
  parents: nullable(Type.Array(CommitMeta)),
  message: Type.String(),
  tree: nullable(CommitMeta),
})
export type FileCommitResponse = Static<typeof FileCommitResponse>

export const FileDeleteResponse = object('FileDeleteResponse', {
  content: alwaysNull(),
  commit: nullable(FileCommitResponse),
  verification: nullable(PayloadCommitVerification),
})
export type FileDeleteResponse = Static<typeof FileDeleteResponse>

export const FileResponse = object('FileResponse', {
  content: nullable(ContentsResponse),
  commit: nullable(FileCommitResponse),
  verification: nullable(PayloadCommitVerification),
})
export type FileResponse = Static<typeof FileResponse>

export const FilesResponse = object('FilesResponse', {
  /** In the order of the request; null for each deletion. */
  files: nullable(Type.Array(nullable(ContentsResponse))),
  commit: nullable(FileCommitResponse),
  verification: nullable(PayloadCommitVerification),
})
export type FilesResponse = Static<typeof FilesResponse>

export const UpdateFileOptions = requestObject('UpdateFileOptions', {
  ...commitOptions,
  sha: Type.String({ minLength: 1 }),
  content: Type.Optional(Type.String()),
  from_path: Type.Optional(Type.String({ maxLength: 500 })),
})
export type UpdateFileOptions = Static<typeof UpdateFileOptions>
