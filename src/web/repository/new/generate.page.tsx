import { canRead, inRepo } from '../../../access/repo.requirements.ts'
import { NotFound } from '../../../lib/errors.ts'
import { listOwnersForNewRepos } from '../../../orgs/membership.service.ts'
import { generateRepo } from '../../../repos/lifecycle/generate.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { GenerateView } from './generate.view.tsx'
import { chosenOwner, problemFields } from './owner-choice.ts'
import { newRepositoryTexts as texts } from '../../languages/texts.ts'
import { text, textUpTo, tick } from '../../ui/fields.ts'

export const generatePage = page({
  path: '/{username}/{reponame}/generate',
  twin: 'generateRepo',
  cost: 'usual',
  requires: [inSession, inRepo, canRead('code')],
  frame: inRepositoryFrame('code'),
  async load({ ctx }) {
    if (!ctx.repo.is_template) throw new NotFound('the repository is no template', 'not_a_template')
    return { repo: ctx.repo, owner: ctx.owner, owners: await listOwnersForNewRepos(ctx) }
  },
  meta: ({ owner, repo }) => ({ title: texts.generate.title(`${owner.name}/${repo.name}`), isUnlisted: true }),
  view: GenerateView,
})

export const generateAct = act({
  path: '/{username}/{reponame}/generate',
  twin: 'generateRepo',
  requires: [inRepo, canRead('code')],
  fields: {
    owner: text,
    name: text,
    description: textUpTo(2048),
    visibility: text,
    default_branch: text,
    git_content: tick,
    topics: tick,
    labels: tick,
    avatar: tick,
    webhooks: tick,
    git_hooks: tick,
    protected_branch: tick,
  },
  cost: 'expensive',
  again: generatePage,
  problemFields,
  async run({ ctx, body }) {
    const owner = await chosenOwner(ctx, body.owner)
    const made = await generateRepo(ctx, {
      owner: owner.name,
      name: body.name ?? '',
      description: body.description ?? '',
      isPrivate: body.visibility === 'private',
      defaultBranch: body.default_branch ?? '',
      takes: {
        gitContent: body.git_content ?? false,
        topics: body.topics ?? false,
        labels: body.labels ?? false,
        avatar: body.avatar ?? false,
        webhooks: body.webhooks ?? false,
        gitHooks: body.git_hooks ?? false,
        protectedBranch: body.protected_branch ?? false,
      },
    })
    return { to: pathOf(made.owner.name, made.repo.name) }
  },
})
