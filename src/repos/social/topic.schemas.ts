import { Type, type Static } from 'typebox'
import { nullable, object, requestObject } from '../../http/schema.ts'

export const TopicName = object('TopicName', { topics: nullable(Type.Array(Type.String())) })
export type TopicName = Static<typeof TopicName>

export const RepoTopicOptions = requestObject('RepoTopicOptions', { topics: Type.Optional(Type.Array(Type.String())) })
export type RepoTopicOptions = Static<typeof RepoTopicOptions>
