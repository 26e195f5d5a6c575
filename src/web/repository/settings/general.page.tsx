import { inRepo, repoAdmin, repoOwner } from '../../../access/repo.requirements.ts'
import { Invalid } from '../../../lib/errors.ts'
import { deleteRepo } from '../../../repos/lifecycle/repo-deletion.service.ts'
import { transferRepo } from '../../../repos/lifecycle/transfer.service.ts'
import { getMirrorSettings } from '../../../repos/mirrors/mirror.service.ts'
import { editRepo } from '../../../repos/repo-edit.service.ts'
import { replaceTopics, topicsOf } from '../../../repos/social/topic.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import {
  basicsForm,
  GeneralView,
  issuesForm,
  mergingForm,
  mirrorForm,
  trackerForm,
  unitsForm,
} from './general.view.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'
import { text, tick } from '../../ui/fields.ts'

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

/** Name, description and the like. */
export const editRepositoryAct = act({
  path: '/{username}/{reponame}/settings',
  edits: true,
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  ...basicsForm.act,
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    const { topics, ...basics } = basicsForm.read(body)
    await replaceTopics(ctx, topics)
    const { repo } = await editRepo(ctx, basics)
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
    ...unitsForm.act.fields,
    ...issuesForm.act.fields,
    ...trackerForm.act.fields,
    external_wiki_url: text,
    wiki_branch: text,
  },
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    await editRepo(ctx, {
      wikiBranch: body.wiki_branch?.trim(),
      units: {
        ...unitsForm.read(body),
        ...(body.external_tracker_url
          ? { external_tracker: trackerForm.read(body) }
          : { internal_tracker: issuesForm.read(body) }),
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
  ...mergingForm.act,
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    await editRepo(ctx, { units: { pulls: mergingForm.read(body) } })
    return { to: settingsPath(ctx), notice: texts.saved }
  },
})

export const editMirrorAct = act({
  path: '/{username}/{reponame}/settings/mirror',
  edits: true,
  twin: 'repoEdit',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  ...mirrorForm.act,
  again: repositorySettingsPage,
  async run({ ctx, body }) {
    await editRepo(ctx, { mirror: mirrorForm.read(body) })
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
    await editRepo(ctx, { isPrivate: body.private ?? false })
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
    await editRepo(ctx, { isArchived })
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
  problemFields: { user_not_found: 'new_owner' },
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
