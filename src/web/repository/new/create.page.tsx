import { refuseOverQuota } from '../../../access/quota/quota.service.ts'
import { Moved } from '../../../lib/errors.ts'
import type { RepoId } from '../../../lib/ids.ts'
import { listOwnersForNewRepos } from '../../../orgs/membership.service.ts'
import { createOrgRepository } from '../../../repos/lifecycle/org-repo.service.ts'
import { createRepo } from '../../../repos/lifecycle/repo-creation.service.ts'
import { getRepoById } from '../../../repos/repo.service.ts'
import { listGitignoreNames } from '../../../site/gitignore.templates.ts'
import { listLabelTemplateNames } from '../../../site/label.templates.ts'
import { listLicenseKeys } from '../../../site/license.templates.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { CreateView, newRepositoryForm } from './create.view.tsx'
import { chosenOwner, problemFields } from './owner-choice.ts'
import { newRepositoryTexts as texts } from '../../languages/texts.ts'
import { integer, text } from '../../ui/fields.ts'

export const createRepositoryPage = page({
  path: '/repo/create',
  twin: 'createCurrentUserRepo',
  cost: 'usual',
  requires: [inSession],
  query: {
    /** The owner that is chosen at first. */
    owner: text,
    /** A template to begin with. */
    template_id: integer,
  },
  async load({ ctx, query }) {
    if (query.template_id !== undefined) {
      const { owner, repo } = await getRepoById(ctx, query.template_id as RepoId)
      throw new Moved(303, pathOf(owner.name, repo.name, 'generate'))
    }
    const [owners, gitignores] = await Promise.all([listOwnersForNewRepos(ctx), listGitignoreNames()])
    return {
      owners,
      owner: owners.find((each) => each.name === query.owner)?.name,
      gitignores,
      licenses: listLicenseKeys(ctx.config.repository.preferredLicenses),
      labelSets: listLabelTemplateNames(),
    }
  },
  meta: () => ({ title: texts.create.title }),
  view: CreateView,
})

export const createRepositoryAct = act({
  path: '/repo/create',
  twin: 'createCurrentUserRepo',
  cost: 'usual',
  requires: [],
  fields: {
    ...newRepositoryForm.act.fields,
    owner: text,
    name: text,
    visibility: text,
    license: text,
    issue_labels: text,
  },
  again: createRepositoryPage,
  problemFields,
  async run({ ctx, body }) {
    const owner = await chosenOwner(ctx, body.owner)
    await refuseOverQuota(ctx, owner, 'size:repos:all')
    const input = {
      ...newRepositoryForm.read(body),
      name: body.name ?? '',
      isPrivate: body.visibility === 'private',
      labelSet: body.issue_labels,
      license: body.license,
    }
    const { user } = ctx.viewer
    const repo = await (owner.kind === 'organization'
      ? createOrgRepository(ctx, owner, input)
      : createRepo(ctx, user, user, input))
    return { to: pathOf(owner.name, repo.name) }
  },
})
