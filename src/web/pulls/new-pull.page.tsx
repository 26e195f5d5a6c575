import { notArchived } from '../../access/repo.requirements.ts'
import { createPull } from '../../pulls/pull-open.service.ts'
import { titleAsDraft } from '../../pulls/pull-view.service.ts'
import { act } from '../shell/page.tsx'
import { readsPull } from './pull-page.ts'
import { repositoryOf, pullPath } from './pull-paths.ts'
import { text } from '../ui/fields.ts'

/** Opens a pull request; the form is on the page that compares its branches. */
export const openNewPull = act({
  path: '/{username}/{reponame}/pulls/new',
  twin: 'repoCreatePullRequest',
  requires: [...readsPull, notArchived],
  fields: { base: text, head: text, title: text, content: text, draft: text },
  cost: 'expensive',
  async run({ ctx, body }) {
    const prefixes = ctx.config.repositoryPullRequest.workInProgressPrefixes
    const { issue } = await createPull(ctx, {
      base: body.base ?? '',
      head: body.head ?? '',
      title: titleAsDraft(body.title ?? '', prefixes, body.draft === 'true'),
      body: body.content,
      dueDate: undefined,
    })
    return { to: pullPath(repositoryOf(ctx), issue.index) }
  },
})
