import { Type } from 'typebox'
import type { PackageId, PackageVersionId, RepoId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id } from './ids.ts'

const version = {
  ownerId: id<UserId>(),
  packageId: id<PackageId>(),
  versionId: id<PackageVersionId>(),
  doerId: id<UserId>(),
}

export const packageEvents = {
  /** A version is there, with the first of its files. More files of it are told by nothing. */
  'package.created': fact(version),
  /** A version is gone: what it was is here. `repoId` is the repository that its package was linked to. */
  'package.deleted': fact({
    ...version,
    type: Type.String(),
    name: Type.String(),
    version: Type.String(),
    creatorId: id<UserId>(),
    createdUnix: Type.Integer(),
    repoId: Type.Optional(id<RepoId>()),
  }),
}
