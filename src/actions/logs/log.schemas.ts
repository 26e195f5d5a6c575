import { Type } from 'typebox'
import { object } from '../../http/schema.ts'

const LogLine = object('ActionLogLine', { index: Type.Integer(), text: Type.String() })

export const LogLines = object('ActionLogLines', {
  lines: Type.Array(LogLine),
  /** The number of the next line to request. */
  next: Type.Integer(),
  /** Whether these are the last lines of the log. */
  is_whole: Type.Boolean(),
})
