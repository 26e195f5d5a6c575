import { Type } from 'typebox'
import { dateTime, nullable, object, closedObject } from '../../http/schema.ts'
import { Package } from '../package.schemas.ts'

export const PackageCleanupRule = object('PackageCleanupRule', {
  id: Type.Integer(),
  type: Type.String(),
  enabled: Type.Boolean(),
  keep_count: Type.Integer(),
  keep_pattern: Type.String(),
  remove_days: Type.Integer(),
  remove_pattern: Type.String(),
  match_full_name: Type.Boolean(),
  created_at: dateTime(),
  updated_at: dateTime(),
  last_run_at: nullable(dateTime()),
  last_removed: Type.Integer(),
  last_problem: Type.String(),
})

const settings = {
  enabled: Type.Optional(Type.Boolean()),
  keep_count: Type.Optional(Type.Integer()),
  keep_pattern: Type.Optional(Type.String()),
  remove_days: Type.Optional(Type.Integer()),
  remove_pattern: Type.Optional(Type.String()),
  match_full_name: Type.Optional(Type.Boolean()),
}

export const CreatePackageCleanupRuleOption = closedObject('CreatePackageCleanupRuleOption', {
  type: Type.String(),
  ...settings,
})

export const EditPackageCleanupRuleOption = closedObject('EditPackageCleanupRuleOption', settings)

export const PackageCleanupPreview = object('PackageCleanupPreview', {
  versions: Type.Array(
    object('PackageCleanupPreviewVersion', { package: Package, size: Type.Integer(), reason: Type.String() }),
  ),
  examined: Type.Integer(),
  next: nullable(Type.String()),
})
