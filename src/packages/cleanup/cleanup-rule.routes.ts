import { Type, type Static } from 'typebox'
import { signedIn } from '../../access/requirements.ts'
import type { PackageCleanupRuleRow } from '../../db/tables/packages.ts'
import { pluck } from '../../lib/pluck.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { formatOptionalUnix, formatUnix } from '../../lib/time.ts'
import { targetUser } from '../../users/subject.requirements.ts'
import { presentVersions } from '../package.present.ts'
import { cleanupRulesChangeable, packagesReadable } from '../package.requirements.ts'
import {
  CreatePackageCleanupRuleOption,
  EditPackageCleanupRuleOption,
  PackageCleanupPreview,
  PackageCleanupRule,
} from './cleanup-rule.schemas.ts'
import { addRule, changeRule, getRule, getRules, removeRule, runRule, type RuleChange } from './cleanup-rule.service.ts'
import { previewCleanup } from './cleanup.service.ts'

const ruleParam = { id: pathNumber }
const deciding = [targetUser, packagesReadable, signedIn, cleanupRulesChangeable] as const

const presentRule = (row: PackageCleanupRuleRow): Static<typeof PackageCleanupRule> => ({
  id: row.id,
  type: row.type,
  enabled: row.is_enabled,
  keep_count: row.keep_count,
  keep_pattern: row.keep_pattern,
  remove_days: row.remove_days,
  remove_pattern: row.remove_pattern,
  match_full_name: row.matches_full_name,
  created_at: formatUnix(row.created_unix),
  updated_at: formatUnix(row.updated_unix),
  last_run_at: formatOptionalUnix(row.ran_unix),
  last_removed: row.removed_count,
  last_problem: row.problem,
})

const changeOf = (body: Static<typeof EditPackageCleanupRuleOption>): RuleChange => ({
  isEnabled: body.enabled,
  keepCount: body.keep_count,
  keepPattern: body.keep_pattern,
  removeDays: body.remove_days,
  removePattern: body.remove_pattern,
  matchesFullName: body.match_full_name,
})

export const listPackageCleanupRules = operation({
  method: 'GET',
  path: '/packages/{username}/-/cleanup-rules',
  cost: 'usual',
  scope: 'package',
  requires: deciding,
  reply: { 200: Type.Array(PackageCleanupRule) },
  summary: 'List the package clean-up rules of an owner',
  run: async ({ ctx }) => ok((await getRules(ctx)).map(presentRule)),
})

export const createPackageCleanupRule = operation({
  method: 'POST',
  path: '/packages/{username}/-/cleanup-rules',
  cost: 'usual',
  scope: 'package',
  requires: [...deciding, validBody],
  body: CreatePackageCleanupRuleOption,
  reply: { 201: PackageCleanupRule },
  summary: 'Create a package clean-up rule',
  run: async ({ ctx, body }) => created(presentRule(await addRule(ctx, body.type, changeOf(body)))),
})

export const getPackageCleanupRule = operation({
  method: 'GET',
  path: '/packages/{username}/-/cleanup-rules/{id}',
  cost: 'usual',
  params: ruleParam,
  scope: 'package',
  requires: deciding,
  reply: { 200: PackageCleanupRule },
  summary: 'Get a clean-up rule',
  run: async ({ ctx, params }) => ok(presentRule(await getRule(ctx, params.id))),
})

export const editPackageCleanupRule = operation({
  method: 'PATCH',
  path: '/packages/{username}/-/cleanup-rules/{id}',
  cost: 'usual',
  params: ruleParam,
  scope: 'package',
  requires: [...deciding, validBody],
  body: EditPackageCleanupRuleOption,
  reply: { 200: PackageCleanupRule },
  summary: 'Change a clean-up rule',
  run: async ({ ctx, params, body }) => ok(presentRule(await changeRule(ctx, params.id, changeOf(body)))),
})

export const deletePackageCleanupRule = operation({
  method: 'DELETE',
  path: '/packages/{username}/-/cleanup-rules/{id}',
  cost: 'usual',
  params: ruleParam,
  scope: 'package',
  requires: deciding,
  reply: { 204: 'empty' },
  summary: 'Delete a clean-up rule',
  run: ({ ctx, params }) => removeRule(ctx, params.id),
})

export const previewPackageCleanupRule = operation({
  method: 'GET',
  path: '/packages/{username}/-/cleanup-rules/{id}/preview',
  cost: 'usual',
  params: ruleParam,
  scope: 'package',
  requires: deciding,
  query: { after: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer()) },
  reply: { 200: PackageCleanupPreview },
  summary: 'Preview which versions a clean-up rule would remove, and why',
  async run({ ctx, params, query: { after, limit } }) {
    const rule = await getRule(ctx, params.id)
    const page = pageOf({ limit }, ctx.config.api)
    const preview = await previewCleanup(ctx, rule, { after, limit: page.limit })
    const packages = await presentVersions(ctx, pluck(preview.versions, 'version'))
    const versions = preview.versions.flatMap(({ sizeBytes: size, reason }, index) => {
      const shown = packages[index]
      return shown ? [{ package: shown, size, reason }] : []
    })
    return ok({ versions, examined: preview.examined, next: preview.next ?? null })
  },
})

export const runPackageCleanupRule = operation({
  method: 'POST',
  path: '/packages/{username}/-/cleanup-rules/{id}/run',
  cost: 'usual',
  params: ruleParam,
  scope: 'package',
  requires: deciding,
  reply: { 202: 'empty' },
  summary: 'Run a clean-up rule now',
  run: ({ ctx, params }) => runRule(ctx, params.id),
})
