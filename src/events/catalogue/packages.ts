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
  /** A version was created with its first file. Further files publish nothing. */
  'package.created': fact(version),
  /** A version was deleted; the data describe it. `repoId` is the repository linked to its package. */
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
