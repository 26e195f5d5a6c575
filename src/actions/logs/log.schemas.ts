import { Type } from 'typebox'
import { object } from '../../http/schema.ts'

const LogLine = object('ActionLogLine', { index: Type.Integer(), text: Type.String() })

export const LogLines = object('ActionLogLines', {
  lines: Type.Array(LogLine),
  /** The number of the line to go on with. */
  next: Type.Integer(),
  /** Nothing more will come. */
  is_whole: Type.Boolean(),
})
