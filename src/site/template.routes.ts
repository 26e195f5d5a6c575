import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { anyone } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import { NotFound } from '../lib/errors.ts'
import { findGitignore, listGitignoreNames } from './gitignore.templates.ts'
import { findLabelTemplate, listLabelTemplateNames } from './label.templates.ts'
import { findLicense, listLicenseKeys } from './license.templates.ts'
import {
  GitignoreTemplateInfo,
  LabelTemplate,
  LicensesTemplateListEntry,
  LicenseTemplateInfo,
} from './template.schemas.ts'

const licenseUrl = (ctx: Pick<Ctx, 'config'>, key: string): string =>
  `${ctx.config.server.rootUrl}api/v1/licenses/${encodeURIComponent(key)}`

export const listGitignoresTemplates = operation({
  method: 'GET',
  path: '/gitignore/templates',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: Type.Array(Type.String()) },
  summary: 'List the .gitignore templates',
  run: async () => ok([...(await listGitignoreNames())]),
})

export const getGitignoreTemplateInfo = operation({
  method: 'GET',
  path: '/gitignore/templates/{name}',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: GitignoreTemplateInfo },
  summary: 'Get a .gitignore template',
  async run({ params: { name } }) {
    const source = await findGitignore(name)
    if (source === undefined) throw new NotFound('there is no gitignore template of this name', 'template_not_found')
    return ok({ name, source })
  },
})

export const listLicenseTemplates = operation({
  method: 'GET',
  path: '/licenses',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: Type.Array(LicensesTemplateListEntry) },
  summary: 'List the licence templates',
  run: async ({ ctx }) =>
    ok(
      listLicenseKeys(ctx.config.repository.preferredLicenses).map((key) => ({
        key,
        name: key,
        url: licenseUrl(ctx, key),
      })),
    ),
})

export const getLicenseTemplateInfo = operation({
  method: 'GET',
  path: '/licenses/{name}',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: LicenseTemplateInfo },
  summary: 'Get a licence template',
  async run({ ctx, params }) {
    const license = await findLicense(params.name)
    if (license === undefined) throw new NotFound('there is no licence of this name', 'template_not_found')
    return ok({
      key: license.key,
      name: license.key,
      url: licenseUrl(ctx, license.key),
      implementation: 'Put this text into a file named LICENSE at the top of the repository.',
      body: license.body,
    })
  },
})

export const listLabelTemplates = operation({
  method: 'GET',
  path: '/label/templates',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: Type.Array(Type.String()) },
  summary: 'List the label templates',
  run: async () => ok([...listLabelTemplateNames()]),
})

export const getLabelTemplateInfo = operation({
  method: 'GET',
  path: '/label/templates/{name}',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: Type.Array(LabelTemplate) },
  summary: 'List the labels of a label template',
  async run({ params }) {
    const labels = findLabelTemplate(params.name)
    if (labels === undefined) throw new NotFound('there is no label set of this name', 'template_not_found')
    return ok(labels.map(({ name, color, description, exclusive }) => ({ name, exclusive, color, description })))
  },
})
