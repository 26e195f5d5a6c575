import { Type, type Static } from 'typebox'
import { nullable, object, requestObject } from '../../http/schema.ts'
import { Commit } from '../commits/commit.schemas.ts'

export const Note = object('Note', {
  message: Type.String(),
  commit: nullable(Commit),
})
export type Note = Static<typeof Note>

export const NoteOptions = requestObject('NoteOptions', {
  message: Type.Optional(Type.String()),
})
export type NoteOptions = Static<typeof NoteOptions>
