import { mayHere } from '../../../access/may-here.ts'
import { Type } from 'typebox'
import { repoUnderQuota } from '../../../access/quota/quota.requirements.ts'
import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../../access/repo.requirements.ts'
import { presentTags } from '../../../code/branches/tag.present.ts'
import { createTag, getTagPage, removeTag } from '../../../code/branches/tag.service.ts'
import { pageQuery } from '../../../http/schema.ts'
import { pluck } from '../../../lib/pluck.ts'
import { getReleasedTags } from '../../../releases/release.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { repositoryPath, tagFeedPath } from '../code-paths.ts'
import { TagsView } from './tags.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'
import { subjectOf } from '../../../code/commits/message.rules.ts'

/** Tags on one page. */
const pageSize = 30

/** Returns a time of a record; undefined when it is unknown. */
function momentOf(text: string | undefined): number | undefined {
  const unix = Date.parse(text ?? '') / 1000
  return unix > 0 ? unix : undefined
}

export const tagsPage = page({
  path: '/{username}/{reponame}/tags',
  twin: 'repoListTags',
  cost: 'expensive',
  requires: [inRepo, canRead('code'), gitRepo],
  query: { page: pageQuery.page },
  frame: inRepositoryFrame('code'),
  async load({ ctx, query }) {
    const number = Math.max(1, query.page ?? 1)
    const slice = { number, limit: pageSize, offset: (number - 1) * pageSize }
    const { repo, owner } = ctx
    const here = mayHere(ctx)
    const { tags, total } = await getTagPage(ctx, slice)
    const [shown, released] = await Promise.all([presentTags(ctx, tags), getReleasedTags(ctx, pluck(tags, 'name'))])
    return {
      repository: { owner, repo },
      tags: shown.map(({ name, message, commit }) => ({
        name,
        message,
        commit: commit?.sha,
        isReleased: released.has(name),
        createdUnix: momentOf(commit?.created),
      })),
      page: { number, total, pageSize },
      mayWrite: here.write('code').allowed && !repo.is_empty,
      mayRelease: here.write('releases').allowed,
      defaultBranch: repo.default_branch,
    }
  },
  meta: ({ repository }) => ({
    title: `${texts.tags} · ${repository.owner.name}/${repository.repo.name}`,
    canonical: repositoryPath(repository, 'tags'),
    feeds: [{ to: tagFeedPath(repository), type: 'atom', title: texts.tags }],
  }),
  messages: ({ tags }) => tags.map(({ message }) => subjectOf(message)),
  view: TagsView,
})

export const createTagAct = act({
  path: '/{username}/{reponame}/tags',
  twin: 'repoCreateTag',
  cost: 'expensive',
  requires: [inRepo, canRead('code'), gitRepo, canWrite('code'), notArchived, repoUnderQuota('size:repos:all')],
  fields: { name: Type.String(), target: text, message: text },
  again: tagsPage,
  problemFields: { tag_: 'name', ref_not_found: 'target' },
  async run({ ctx, body }) {
    const { name } = await createTag(ctx, body.name.trim(), { message: body.message, target: body.target || undefined })
    return { to: repositoryPath(ctx, 'tags'), notice: texts.tagCreated(name) }
  },
})

export const deleteTagAct = act({
  path: '/{username}/{reponame}/tags/delete',
  twin: 'repoDeleteTag',
  cost: 'usual',
  requires: [inRepo, canRead('code'), gitRepo, canWrite('code'), notArchived],
  fields: { name: Type.String() },
  again: nothingTyped,
  async run({ ctx, body }) {
    await removeTag(ctx, body.name)
    return { to: repositoryPath(ctx, 'tags'), notice: texts.tagDeleted(body.name) }
  },
})
