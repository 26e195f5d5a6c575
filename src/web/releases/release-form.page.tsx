import type { RepoCtx } from '../../access/context.ts'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canRead, canWrite, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { attachmentsEnabled } from '../../access/requirements.ts'
import { pathNumber } from '../../http/schema.ts'
import { getBranchPage } from '../../code/branches/branch.service.ts'
import { getTagPage } from '../../code/branches/tag.service.ts'
import { getAsset, holdShownFiles, removeAsset } from '../../releases/asset.service.ts'
import { getReleaseDetails } from '../../releases/release-details.service.ts'
import { generateNotes } from '../../releases/release-notes.service.ts'
import { editRelease, getRelease, getReleaseByTag } from '../../releases/release.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { ReleaseFormView } from './release-form.view.tsx'
import { releasePath } from './shown-release.ts'
import { releaseTexts as texts } from '../languages/texts.ts'
import { text, tick } from '../ui/fields.ts'

export const releaseFields = {
  tag_name: text,
  target: text,
  title: text,
  content: text,
  is_prerelease: tick,
  hides_archive_links: tick,
  /** `draft` or `publish`, by the button; empty: as before. */
  as: text,
}

export const problemFields = {
  tag_: 'tag_name',
  release_exists: 'tag_name',
  ref_not_found: 'target',
  ref_name: 'target',
} as const

/** Most branches and tags that a field suggests. */
const maxSuggested = 50

/** Names that the fields of tag and target suggest. */
async function suggestions(ctx: RepoCtx) {
  const page = { number: 1, limit: maxSuggested, offset: 0 }
  const [{ branches }, { tags }] = await Promise.all([getBranchPage(ctx, page), getTagPage(ctx, page)])
  return { branches: branches.map((branch) => branch.name), tags: tags.map((tag) => tag.name) }
}

/** Returns the path of the form of a release. */
export const editPath = (ctx: Pick<RepoCtx, 'owner' | 'repo'>, tag: string) =>
  pathOf(ctx.owner.name, ctx.repo.name, 'releases', 'edit', tag)

export const newReleasePage = page({
  path: '/{username}/{reponame}/releases/new',
  twin: 'repoCreateRelease',
  requires: [inSession, inRepo, canRead('releases'), canWrite('releases'), gitRepo],
  query: { tag: text, target: text, generate: tick },
  cost: 'expensive',
  frame: inRepositoryFrame('releases'),
  async load({ ctx, query }) {
    const { tag = '', target = '' } = query
    return {
      repository: { repo: ctx.repo, owner: ctx.owner },
      release: undefined,
      files: [],
      ...(await suggestions(ctx)),
      tag,
      target,
      notes: query.generate && !ctx.repo.is_empty ? await generateNotes(ctx, { tag, target }, texts.notes) : '',
    }
  },
  meta: () => ({ title: texts.form.newTitle }),
  view: ReleaseFormView,
})

export const editReleasePage = page({
  path: '/{username}/{reponame}/releases/edit/{tag+}',
  twin: 'repoEditRelease',
  cost: 'usual',
  requires: [inSession, inRepo, canRead('releases'), canWrite('releases'), gitRepo],
  frame: inRepositoryFrame('releases'),
  async load({ ctx, params }) {
    const release = await getReleaseByTag(ctx, params.tag)
    const [details] = await getReleaseDetails(ctx, [release])
    return {
      repository: { repo: ctx.repo, owner: ctx.owner },
      release,
      files: details?.files ?? [],
      ...(await suggestions(ctx)),
      tag: release.tag_name,
      target: release.target,
      notes: release.content,
    }
  },
  meta: ({ tag }) => ({ title: texts.form.editTitle(tag) }),
  view: ReleaseFormView,
})

export const editReleaseAct = act({
  path: '/{username}/{reponame}/releases/edit/{tag+}',
  edits: true,
  twin: 'repoEditRelease',
  cost: 'usual',
  requires: [inRepo, canRead('releases'), canWrite('releases'), gitRepo, repoUnderQuota('size:repos:all')],
  fields: releaseFields,
  again: editReleasePage,
  problemFields,
  async run({ ctx, params, body }) {
    const before = await getReleaseByTag(ctx, params.tag)
    const isDraft = body.as === 'draft' ? true : body.as === 'publish' ? false : before.is_draft
    const release = await editRelease(ctx, before, {
      tagName: body.tag_name,
      target: body.target,
      title: body.title ?? '',
      content: body.content ?? '',
      isDraft,
      isPrerelease: body.is_prerelease ?? false,
      hidesArchiveLinks: body.hides_archive_links ?? false,
      clearsTexts: true,
    })
    await holdShownFiles(ctx, release)
    const isPublished = before.is_draft && !release.is_draft
    return release.is_draft
      ? { to: editPath(ctx, release.tag_name), notice: texts.form.drafted }
      : { to: releasePath(ctx, release.tag_name), notice: isPublished ? texts.form.published : texts.form.saved }
  },
})

export const deleteReleaseFileAct = act({
  path: '/{username}/{reponame}/releases/{id}/assets/{attachment_id}/delete',
  twin: 'repoDeleteReleaseAttachment',
  cost: 'usual',
  params: { id: pathNumber, attachment_id: pathNumber },
  requires: [inRepo, canRead('releases'), canWrite('releases'), attachmentsEnabled],
  async run({ ctx, params }) {
    const release = await getRelease(ctx, params.id)
    const file = await getAsset(ctx, release, params.attachment_id)
    await removeAsset(ctx, file)
    return { to: editPath(ctx, release.tag_name), notice: texts.files.deleted(file.name) }
  },
})
