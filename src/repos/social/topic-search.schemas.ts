import { Type, type Static } from 'typebox'
import { dateTime, object } from '../../http/schema.ts'

export const TopicResponse = object('TopicResponse', {
  id: Type.Integer(),
  topic_name: Type.String(),
  repo_count: Type.Integer(),
  created: dateTime(),
  updated: dateTime(),
})
export type TopicResponse = Static<typeof TopicResponse>

export const TopicSearchResults = object('TopicSearchResults', {
  topics: Type.Array(TopicResponse),
})
export type TopicSearchResults = Static<typeof TopicSearchResults>
