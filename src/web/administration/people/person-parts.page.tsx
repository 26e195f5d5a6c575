import { ownerUnderQuota } from '../../../access/quota/quota.requirements.ts'
import { siteAdmin } from '../../../access/requirements.ts'
import { createRepo } from '../../../repos/lifecycle/repo-creation.service.ts'
import { addKey, removeKey } from '../../../users/credentials/key.service.ts'
import { Invalid } from '../../../lib/errors.ts'
import { targetUser } from '../../../users/subject.requirements.ts'
import { act } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { administrationPersonPage } from './people.page.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { integer, textUpTo } from '../../ui/fields.ts'

const text = textUpTo(262_144)

/** Adds an SSH key to an account. Without a title, the key has its comment. */
export const administrationAddKey = act({
  path: '/admin/users/{username}/keys',
  twin: 'adminCreatePublicKey',
  cost: 'usual',
  recentSignIn: true,
  requires: [siteAdmin, targetUser],
  outlivesCredential: true,
  fields: { title: text, key: text },
  again: administrationPersonPage,
  problemFields: { ssh_key_title: 'title', ssh_key: 'key' },
  async run({ ctx, body }) {
    const key = (body.key ?? '').trim()
    const title = (body.title ?? '').trim() || (key.split(/\s+/, 3)[2] ?? '')
    if (title === '') throw new Invalid(texts.users.keyTitleMissing, 'ssh_key_title_missing')
    await addKey(ctx, ctx.subject, { title, key })
    return { to: pathOf('admin', 'users', ctx.subject.name), notice: texts.users.keyAdded(title) }
  },
})

export const administrationDeleteKey = act({
  path: '/admin/users/{username}/keys/delete',
  twin: 'adminDeleteUserPublicKey',
  cost: 'usual',
  requires: [siteAdmin, targetUser],
  fields: { id: integer },
  async run({ ctx, body }) {
    await removeKey(ctx, ctx.subject, body.id ?? 0)
    return { to: pathOf('admin', 'users', ctx.subject.name), notice: texts.users.keyRemoved }
  },
})

/** Creates a repository that an account owns. */
export const administrationCreateRepository = act({
  path: '/admin/users/{username}/repos',
  twin: 'adminCreateRepo',
  cost: 'usual',
  requires: [siteAdmin, targetUser, ownerUnderQuota('size:repos:all')],
  fields: { repo_name: text, description: text, is_private: text, auto_init: text },
  again: administrationPersonPage,
  problemFields: { name_: 'repo_name', repo_: 'repo_name' },
  async run({ ctx, body }) {
    const repo = await createRepo(ctx, ctx.viewer.user, ctx.subject, {
      name: (body.repo_name ?? '').trim(),
      description: body.description,
      isPrivate: body.is_private !== undefined,
      autoInit: body.auto_init !== undefined,
    })
    return { to: pathOf(ctx.subject.name, repo.name) }
  },
})
