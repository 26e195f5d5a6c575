import { Type, type Static } from 'typebox'
import { TagArchiveDownloadCount } from '../code/branches/tag.schemas.ts'
import { dateTime, nullable, object, requestObject } from '../http/schema.ts'
import { Attachment } from '../attachments/attachment.schemas.ts'
import { User } from '../users/user.schemas.ts'

export const Release = object('Release', {
  id: Type.Integer(),
  tag_name: Type.String(),
  target_commitish: Type.String(),
  name: Type.String(),
  body: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  tarball_url: Type.String(),
  zipball_url: Type.String(),
  hide_archive_links: Type.Boolean(),
  upload_url: Type.String(),
  draft: Type.Boolean(),
  prerelease: Type.Boolean(),
  created_at: dateTime(),
  published_at: dateTime(),
  author: nullable(User),
  assets: nullable(Type.Array(Attachment)),
  archive_download_count: nullable(TagArchiveDownloadCount),
})
export type Release = Static<typeof Release>

export const CreateReleaseOption = requestObject('CreateReleaseOption', {
  tag_name: Type.String({ minLength: 1 }),
  target_commitish: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  draft: Type.Optional(Type.Boolean()),
  prerelease: Type.Optional(Type.Boolean()),
  hide_archive_links: Type.Optional(Type.Boolean()),
})
export type CreateReleaseOption = Static<typeof CreateReleaseOption>

export const EditReleaseOption = requestObject('EditReleaseOption', {
  tag_name: Type.Optional(Type.String()),
  target_commitish: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  draft: Type.Optional(nullable(Type.Boolean())),
  prerelease: Type.Optional(nullable(Type.Boolean())),
  hide_archive_links: Type.Optional(nullable(Type.Boolean())),
})
export type EditReleaseOption = Static<typeof EditReleaseOption>
