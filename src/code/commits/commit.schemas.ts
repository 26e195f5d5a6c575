import { Type, type Static } from 'typebox'
import { dateTime, nullable, object } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'

export const CommitUser = object('CommitUser', {
  name: Type.String(),
  email: Type.String(),
  date: Type.String(),
})
export type CommitUser = Static<typeof CommitUser>

export const PayloadUser = object('PayloadUser', {
  name: Type.String(),
  email: Type.String(),
  username: Type.String(),
})
export type PayloadUser = Static<typeof PayloadUser>

export const PayloadCommitVerification = object('PayloadCommitVerification', {
  verified: Type.Boolean(),
  reason: Type.String(),
  signature: Type.String(),
  signer: nullable(PayloadUser),
  payload: Type.String(),
})
export type PayloadCommitVerification = Static<typeof PayloadCommitVerification>

export const PayloadCommit = object('PayloadCommit', {
  id: Type.String(),
  message: Type.String(),
  url: Type.String(),
  author: nullable(PayloadUser),
  committer: nullable(PayloadUser),
  verification: nullable(PayloadCommitVerification),
  timestamp: dateTime(),
  added: nullable(Type.Array(Type.String())),
  removed: nullable(Type.Array(Type.String())),
  modified: nullable(Type.Array(Type.String())),
})
export type PayloadCommit = Static<typeof PayloadCommit>

export const CommitMeta = object('CommitMeta', {
  url: Type.String(),
  sha: Type.String(),
  created: dateTime(),
})
export type CommitMeta = Static<typeof CommitMeta>

export const RepoCommit = object('RepoCommit', {
  url: Type.String(),
  author: nullable(CommitUser),
  committer: nullable(CommitUser),
  message: Type.String(),
  tree: nullable(CommitMeta),
  verification: nullable(PayloadCommitVerification),
})
export type RepoCommit = Static<typeof RepoCommit>

export const CommitAffectedFiles = object('CommitAffectedFiles', {
  filename: Type.String(),
  status: Type.String(),
})
export type CommitAffectedFiles = Static<typeof CommitAffectedFiles>

export const CommitStats = object('CommitStats', {
  total: Type.Integer(),
  additions: Type.Integer(),
  deletions: Type.Integer(),
})
export type CommitStats = Static<typeof CommitStats>

export const Commit = object('Commit', {
  url: Type.String(),
  sha: Type.String(),
  created: dateTime(),
  html_url: Type.String(),
  commit: nullable(RepoCommit),
  author: nullable(User),
  committer: nullable(User),
  parents: nullable(Type.Array(CommitMeta)),
  files: nullable(Type.Array(CommitAffectedFiles)),
  stats: nullable(CommitStats),
})
export type Commit = Static<typeof Commit>

export const Compare = object('Compare', {
  total_commits: Type.Integer(),
  commits: nullable(Type.Array(Commit)),
  files: nullable(Type.Array(CommitAffectedFiles)),
})
export type Compare = Static<typeof Compare>
