import { Type, type Static } from 'typebox'
import { dateTime, object } from '../../http/schema.ts'

export const Cron = object('Cron', {
  name: Type.String(),
  schedule: Type.String(),
  next: dateTime(),
  prev: dateTime(),
  exec_times: Type.Integer(),
})
export type Cron = Static<typeof Cron>
