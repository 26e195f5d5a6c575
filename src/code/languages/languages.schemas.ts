import { Type, type Static } from 'typebox'

export const LanguageStatistics = Type.Record(Type.String(), Type.Integer())
export type LanguageStatistics = Static<typeof LanguageStatistics>
