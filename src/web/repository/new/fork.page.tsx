import { canRead, inRepo } from '../../../access/repo.requirements.ts'
import { listOwnersForNewRepos } from '../../../orgs/membership.service.ts'
import { forksOn } from '../../../repos/lifecycle/fork.requirements.ts'
import { forkRepo } from '../../../repos/lifecycle/fork.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { ForkView } from './fork.view.tsx'
import { chosenOwner, problemFields } from './owner-choice.ts'
import { newRepositoryTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'

export const forkPage = page({
  path: '/{username}/{reponame}/fork',
  twin: 'createFork',
  cost: 'usual',
  requires: [inSession, forksOn, inRepo, canRead('code')],
  frame: inRepositoryFrame('code'),
  load: async ({ ctx }) => ({ repo: ctx.repo, owner: ctx.owner, owners: await listOwnersForNewRepos(ctx) }),
  meta: ({ owner, repo }) => ({ title: texts.fork.title(`${owner.name}/${repo.name}`), isUnlisted: true }),
  view: ForkView,
})

export const forkAct = act({
  path: '/{username}/{reponame}/fork',
  twin: 'createFork',
  requires: [forksOn, inRepo, canRead('code')],
  fields: { owner: text, name: text },
  cost: 'expensive',
  again: forkPage,
  problemFields,
  async run({ ctx, body }) {
    const owner = await chosenOwner(ctx, body.owner)
    const fork = await forkRepo(ctx, {
      organization: owner.kind === 'organization' ? owner.name : undefined,
      name: body.name,
    })
    return { to: pathOf(fork.owner.name, fork.repo.name) }
  },
})
