import { Type, type Static } from 'typebox'
import { nullable, object, closedObject } from '../http/schema.ts'

/** A limit in bytes, in the range of exact JSON integers. */
const limit = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
/** A name of any characters. URLs contain it percent-encoded. */
const name = Type.String({ minLength: 1, maxLength: 255 })

export const QuotaRuleInfo = object('QuotaRuleInfo', {
  name: Type.Optional(Type.String()),
  limit: Type.Integer(),
  subjects: Type.Optional(nullable(Type.Array(Type.String()))),
})
export type QuotaRuleInfo = Static<typeof QuotaRuleInfo>

export const QuotaGroup = object('QuotaGroup', {
  name: Type.Optional(Type.String()),
  rules: nullable(Type.Array(QuotaRuleInfo)),
})
export type QuotaGroup = Static<typeof QuotaGroup>

const QuotaUsedSize = object('QuotaUsedSize', {
  repos: Type.Object({ public: Type.Integer(), private: Type.Integer() }),
  git: Type.Object({ LFS: Type.Integer() }),
  assets: Type.Object({
    attachments: Type.Object({ issues: Type.Integer(), releases: Type.Integer() }),
    artifacts: Type.Integer(),
    packages: Type.Object({ all: Type.Integer() }),
  }),
})

const QuotaUsed = object('QuotaUsed', { size: QuotaUsedSize })
export type QuotaUsed = Static<typeof QuotaUsed>

export const QuotaInfo = object('QuotaInfo', {
  used: QuotaUsed,
  groups: nullable(Type.Array(QuotaGroup)),
})
export type QuotaInfo = Static<typeof QuotaInfo>

export const QuotaUsedAttachment = object('QuotaUsedAttachment', {
  name: Type.String(),
  size: Type.Integer(),
  api_url: Type.String(),
  contained_in: Type.Object({ api_url: Type.String(), html_url: Type.String() }),
})
export type QuotaUsedAttachment = Static<typeof QuotaUsedAttachment>

export const QuotaUsedPackage = object('QuotaUsedPackage', {
  name: Type.String(),
  type: Type.String(),
  version: Type.String(),
  size: Type.Integer(),
  html_url: Type.String(),
})
export type QuotaUsedPackage = Static<typeof QuotaUsedPackage>

export const QuotaUsedArtifact = object('QuotaUsedArtifact', {
  name: Type.String(),
  size: Type.Integer(),
  html_url: Type.String(),
})
export type QuotaUsedArtifact = Static<typeof QuotaUsedArtifact>

const subjects = Type.Array(Type.String(), { maxItems: 100 })

export const CreateQuotaRuleOptions = closedObject('CreateQuotaRuleOptions', {
  name,
  limit,
  subjects: Type.Optional(nullable(subjects)),
})

export const EditQuotaRuleOptions = closedObject('EditQuotaRuleOptions', {
  limit: Type.Optional(nullable(limit)),
  subjects: Type.Optional(nullable(subjects)),
})

export const CreateQuotaGroupOptions = closedObject('CreateQuotaGroupOptions', {
  name,
  rules: Type.Optional(
    nullable(
      Type.Array(
        Type.Object(
          { name, limit: Type.Optional(nullable(limit)), subjects: Type.Optional(nullable(subjects)) },
          { additionalProperties: false },
        ),
        { maxItems: 100 },
      ),
    ),
  ),
})

export const SetUserQuotaGroupsOptions = closedObject('SetUserQuotaGroupsOptions', {
  groups: Type.Optional(nullable(Type.Array(Type.String(), { maxItems: 100 }))),
})
