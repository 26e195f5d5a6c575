import { Type, type Static } from 'typebox'
import { requestObject } from '../http/schema.ts'

export const MarkdownOption = requestObject('MarkdownOption', {
  Text: Type.Optional(Type.String()),
  Mode: Type.Optional(Type.String()),
  Context: Type.Optional(Type.String()),
  Wiki: Type.Optional(Type.Boolean()),
})
export type MarkdownOption = Static<typeof MarkdownOption>

export const MarkupOption = requestObject('MarkupOption', {
  Text: Type.Optional(Type.String()),
  Mode: Type.Optional(Type.String()),
  Context: Type.Optional(Type.String()),
  Wiki: Type.Optional(Type.Boolean()),
  FilePath: Type.Optional(Type.String()),
  BranchPath: Type.Optional(Type.String()),
})
export type MarkupOption = Static<typeof MarkupOption>
