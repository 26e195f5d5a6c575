import { Type, type Static } from 'typebox'
import { object } from '../../http/schema.ts'

export const EditorconfigDefinition = object('EditorconfigDefinition', {
  charset: Type.Optional(Type.String()),
  indent_style: Type.Optional(Type.String()),
  indent_size: Type.Optional(Type.String()),
  tab_width: Type.Optional(Type.String()),
  end_of_line: Type.Optional(Type.String()),
})
export type EditorconfigDefinition = Static<typeof EditorconfigDefinition>
