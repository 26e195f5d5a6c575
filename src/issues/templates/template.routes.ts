import { Type } from 'typebox'
import { gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { nullable } from '../../http/schema.ts'
import { presentIssueConfig, presentIssueTemplate } from './template.present.ts'
import { IssueConfig, IssueConfigValidation, IssueTemplate } from './template.schemas.ts'
import { getIssueConfig, getIssueTemplates } from './template.service.ts'

export const repoGetIssueTemplates = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issue_templates',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo],
  reply: { 200: nullable(Type.Array(IssueTemplate)) },
  summary: 'List the issue templates of a repository',
  async run({ ctx }) {
    const { templates } = await getIssueTemplates(ctx)
    return ok(templates.length > 0 ? templates.map(presentIssueTemplate) : null)
  },
})

export const repoGetIssueConfig = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issue_config',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo],
  reply: { 200: IssueConfig },
  summary: 'Get the configuration of issue templates',
  run: async ({ ctx }) => ok(presentIssueConfig((await getIssueConfig(ctx)).config)),
})

export const repoValidateIssueConfig = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issue_config/validate',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo],
  reply: { 200: IssueConfigValidation },
  summary: 'Tell what is wrong with the configuration of issue templates',
  async run({ ctx }) {
    const { problem } = await getIssueConfig(ctx)
    return ok({ valid: problem === undefined, message: problem ?? '' })
  },
})
