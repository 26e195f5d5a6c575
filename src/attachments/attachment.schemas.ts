import { Type, type Static } from 'typebox'
import { dateTime, enumeration, object, requestObject } from '../http/schema.ts'

export const Attachment = object('Attachment', {
  id: Type.Integer(),
  name: Type.String(),
  size: Type.Integer(),
  download_count: Type.Integer(),
  created_at: dateTime(),
  uuid: Type.String(),
  browser_download_url: Type.String(),
  type: enumeration('attachment', 'external'),
})
export type Attachment = Static<typeof Attachment>

export const EditAttachmentOptions = requestObject('EditAttachmentOptions', {
  name: Type.Optional(Type.String()),
  browser_download_url: Type.Optional(Type.String()),
})
export type EditAttachmentOptions = Static<typeof EditAttachmentOptions>
