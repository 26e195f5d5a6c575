import { inRepo, repoAdmin, repoOwner } from '../../../access/repo.requirements.ts'
import { Invalid } from '../../../lib/errors.ts'
import { deleteRepo } from '../../../repos/lifecycle/repo-deletion.service.ts'
import { transferRepo } from '../../../repos/lifecycle/transfer.service.ts'
import { getMirrorSettings } from '../../../repos/mirrors/mirror.service.ts'
import { editRepo } from '../../../repos/repo-edit.service.ts'
import { replaceTopics, topicsOf } from '../../../repos/social/topic.service.ts'
import { mergeStyles } from '../../../repos/unit-config.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { topicsIn } from '../../shared/topics.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { GeneralView } from './general.view.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'
import { text, textUpTo, tick, tickedOf, ticks } from '../../ui/fields.ts'

export const repositorySettingsPage = page({
  path: '/{username}/{reponame}/settings',
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin],
  frame: inRepositoryFrame('settings'),
  load: async ({ ctx }) => ({
    repository: repositoryOf(ctx),
    units: ctx.units,
    topics: topicsOf(ctx),
    isOwner: ctx.rights.isOwner,
    mirror: await getMirrorSettings(ctx, ctx.repo),
  }),
  meta: ({ repository }) => metaOf('general', repository),
  view: GeneralView,
})

const problemFields = {
  name_invalid: 'name',
  repo_name_taken: 'name',
  topic: 'topics',
  too_many_topics: 'topics',
  branch_name: 'default_branch',
  user_not_found: 'new_owner',
} as const

/** Name, description and the like. */
export const editRepositoryAct = act({
  path: '/{username}/{reponame}/settings',
  edits: true,
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: {
    name: text,
    description: textUpTo(2048),
    website: textUpTo(1024),
    topics: text,
    default_branch: text,
    template: tick,
  },
  again: repositorySettingsPage,
  problemFields,
  async run({ ctx, body }) {
    await replaceTopics(ctx, topicsIn(body.topics))
    const { repo } = await editRepo(ctx, {
      name: body.name,
      description: body.description ?? '',
      website: body.website ?? '',
      defaultBranch: body.default_branch,
      isTemplate: body.template ?? false,
      units: { pulls: {} },
    })
    return { to: settingsPath({ owner: ctx.owner, repo }), notice: texts.saved }
  },
})

export const editUnitsAct = act({
  path: '/{username}/{reponame}/settings/units',
  edits: true,
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: {
    ...ticks(texts.units.boxes),
    ...ticks(texts.units.issueBoxes),
    external_tracker_url: text,
    external_tracker_format: text,
    external_tracker_style: text,
    external_tracker_regexp_pattern: text,
    external_wiki_url: text,
    wiki_branch: text,
  },
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    await editRepo(ctx, {
      wikiBranch: body.wiki_branch?.trim(),
      units: {
        ...tickedOf(texts.units.boxes, body),
        ...(body.external_tracker_url
          ? {
              external_tracker: {
                external_tracker_url: body.external_tracker_url,
                external_tracker_format: body.external_tracker_format ?? '',
                external_tracker_style: body.external_tracker_style || 'numeric',
                external_tracker_regexp_pattern: body.external_tracker_regexp_pattern ?? '',
              },
            }
          : {
              internal_tracker: tickedOf(texts.units.issueBoxes, body),
            }),
        ...(body.external_wiki_url ? { external_wiki: { external_wiki_url: body.external_wiki_url } } : {}),
        pulls: {},
      },
    })
    return { to: settingsPath(ctx), notice: texts.saved }
  },
})

export const editMergingAct = act({
  path: '/{username}/{reponame}/settings/merging',
  edits: true,
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: {
    ...ticks(texts.merging.allow),
    ...ticks(texts.merging.options),
    default_merge_style: text,
    default_update_style: text,
  },
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    await editRepo(ctx, {
      units: {
        pulls: {
          ...tickedOf(texts.merging.allow, body),
          ...tickedOf(texts.merging.options, body),
          default_merge_style: mergeStyles.find((style) => style === body.default_merge_style),
          default_update_style: body.default_update_style === 'rebase' ? 'rebase' : 'merge',
        },
      },
    })
    return { to: settingsPath(ctx), notice: texts.saved }
  },
})

export const editMirrorAct = act({
  path: '/{username}/{reponame}/settings/mirror',
  edits: true,
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { mirror_interval: text, enable_prune: tick },
  again: repositorySettingsPage,
  problemFields: { mirror_interval: 'mirror_interval', interval: 'mirror_interval' },
  async run({ ctx, body }) {
    const mirror = { interval: body.mirror_interval, prunes: body.enable_prune ?? false }
    await editRepo(ctx, { mirror, units: { pulls: {} } })
    return { to: settingsPath(ctx), notice: texts.saved }
  },
})

export const visibilityAct = act({
  path: '/{username}/{reponame}/settings/visibility',
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { private: tick },
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    await editRepo(ctx, { isPrivate: body.private ?? false, units: { pulls: {} } })
    return { to: settingsPath(ctx), notice: texts.danger.visibilityDone }
  },
})

export const archiveAct = act({
  path: '/{username}/{reponame}/settings/archive',
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { archived: tick },
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    const isArchived = body.archived ?? false
    await editRepo(ctx, { isArchived, units: { pulls: {} } })
    return {
      to: settingsPath(ctx),
      notice: isArchived ? texts.danger.archiveDone : texts.danger.unarchiveDone,
    }
  },
})

/** Throws `Invalid` unless the name of the repository was typed. */
function mustBeConfirmed(typed: string | undefined, name: string, field: string): void {
  if (typed?.trim() !== name) throw new Invalid(texts.danger.wrongName, 'name_not_confirmed', { field })
}

export const transferAct = act({
  path: '/{username}/{reponame}/settings/transfer',
  twin: 'repoTransfer',
  cost: 'usual',
  requires: [inRepo, repoOwner],
  fields: { new_owner: text, confirm_transfer: text },
  again: repositorySettingsPage,
  problemFields,
  async run({ ctx, body }) {
    mustBeConfirmed(body.confirm_transfer, ctx.repo.name, 'confirm_transfer')
    const outcome = await transferRepo(ctx, { newOwner: body.new_owner ?? '', teamIds: [] })
    return outcome.kind === 'done'
      ? {
          to: pathOf(outcome.owner.name, outcome.repo.name),
          notice: texts.danger.transferred(outcome.owner.name),
        }
      : { to: settingsPath(ctx), notice: texts.danger.pending(body.new_owner ?? '') }
  },
})

export const deleteRepositoryAct = act({
  path: '/{username}/{reponame}/settings/delete',
  twin: 'repoDelete',
  cost: 'usual',
  requires: [inRepo, repoOwner],
  fields: { confirm_delete: text },
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    mustBeConfirmed(body.confirm_delete, ctx.repo.name, 'confirm_delete')
    await deleteRepo(ctx, ctx.owner, ctx.repo, ctx.viewer.id)
    return { to: pathOf(ctx.owner.name), notice: texts.danger.deleted(ctx.repo.name) }
  },
})
