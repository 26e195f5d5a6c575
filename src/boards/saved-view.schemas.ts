import { Type, type Static } from 'typebox'
import { viewGroupings, viewLayouts } from '../db/tables/boards.ts'
import { dateTime, enumeration, object, requestObject } from '../http/schema.ts'

export const SavedView = object('SavedView', {
  id: Type.Integer(),
  title: Type.String(),
  description: Type.String(),
  query: Type.String(),
  layout: enumeration(...viewLayouts),
  grouping: enumeration(...viewGroupings),
  label_scope: Type.String(),
  columns: Type.Array(Type.String()),
  url: Type.String(),
  html_url: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type SavedView = Static<typeof SavedView>

const settings = {
  description: Type.Optional(Type.String()),
  query: Type.Optional(Type.String()),
  layout: Type.Optional(enumeration(...viewLayouts)),
  grouping: Type.Optional(enumeration(...viewGroupings)),
  label_scope: Type.Optional(Type.String()),
  columns: Type.Optional(Type.Array(Type.String())),
}

export const CreateSavedViewOption = requestObject('CreateSavedViewOption', { title: Type.String(), ...settings })
export const EditSavedViewOption = requestObject('EditSavedViewOption', {
  title: Type.Optional(Type.String()),
  ...settings,
})
export type EditSavedViewOption = Static<typeof EditSavedViewOption>

export const SavedViewColumn = object('SavedViewColumn', {
  /** Empty: the issues without a value. */
  value: Type.String(),
  count: Type.Integer(),
})
export type SavedViewColumn = Static<typeof SavedViewColumn>

export const MoveSavedViewCardOption = requestObject('MoveSavedViewCardOption', {
  /** The id of the issue or pull request, which is not its number. */
  issue: Type.Integer(),
  column: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  after: Type.Optional(Type.Integer()),
})
