import { Type } from 'typebox'
import { pageQuery } from '../../../http/schema.ts'
import { Invalid, NotFound } from '../../../lib/errors.ts'
import { pageOrWhole } from '../../../lib/paging.ts'
import { presentGpgKeys } from '../../../users/credentials/gpg-key.present.ts'
import {
  addGpgKey,
  pageOfGpgKeys,
  removeGpgKey,
  verificationToken,
  verifyGpgKey,
} from '../../../users/credentials/gpg-key.service.ts'
import { addKey, pageOfKeys, removeKey } from '../../../users/credentials/key.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { KeysView } from './keys.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const texts = settingsTexts.keys
const path = settingsPath('keys')
const text = Type.Optional(Type.String({ maxLength: 262_144 }))
const id = Type.Optional(Type.Integer())

/** Shows the SSH and OpenPGP keys of the account. */
export const keysPage = page({
  path: '/user/settings/keys',
  twin: 'userCurrentListKeys',
  cost: 'usual',
  requires: [inSession],
  isSecret: true,
  frame: inSettings('keys'),
  query: pageQuery,
  async load({ ctx, query }) {
    const { user } = ctx.viewer
    const rows = pageOrWhole(query, ctx.config.api)
    const [ssh, gpg] = await Promise.all([pageOfKeys(ctx, user, undefined, rows), pageOfGpgKeys(ctx, user, rows)])
    return {
      sshKeys: ssh.keys,
      gpgKeys: await presentGpgKeys(ctx, gpg.keys),
      token: verificationToken(ctx, user),
    }
  },
  meta: () => settingsMeta('keys'),
  view: KeysView,
})

/** Adds an SSH key. Without a title, the key has its comment. */
export const addSshKeySubmit = act({
  path: '/user/settings/keys/ssh',
  twin: 'userCurrentPostKey',
  cost: 'usual',
  recentSignIn: true,
  requires: [],
  fields: { title: text, key: text },
  again: keysPage,
  problemFields: { ssh_key_title: 'title', ssh_key: 'key' },
  async run({ ctx, body }) {
    const key = (body.key ?? '').trim()
    const title = (body.title ?? '').trim() || (key.split(/\s+/, 3)[2] ?? '')
    if (title === '') throw new Invalid(texts.titleMissing, 'ssh_key_title_missing')
    await addKey(ctx, ctx.viewer.user, { title, key })
    return { to: path, notice: texts.added(title) }
  },
})

export const removeSshKeySubmit = act({
  path: '/user/settings/keys/ssh/delete',
  twin: 'userCurrentDeleteKey',
  cost: 'usual',
  requires: [],
  fields: { id },
  async run({ ctx, body }) {
    await removeKey(ctx, ctx.viewer.user, body.id ?? 0)
    return { to: path, notice: texts.removed }
  },
})

/** Adds an OpenPGP key that names an address of the account or signs the shown text. */
export const addGpgKeySubmit = act({
  path: '/user/settings/keys/gpg',
  twin: 'userCurrentPostGPGKey',
  cost: 'usual',
  recentSignIn: true,
  requires: [],
  fields: { armored_public_key: text, armored_signature: text },
  again: keysPage,
  problemFields: {
    gpg_key_unproven: 'armored_signature',
    gpg_signature: 'armored_signature',
    gpg_key: 'armored_public_key',
  },
  async run({ ctx, body }) {
    const input = { armored: body.armored_public_key ?? '', signature: body.armored_signature || undefined }
    const added = await addGpgKey(ctx, ctx.viewer.user, input).catch((error: unknown) => {
      if (error instanceof NotFound) throw new Invalid(texts.unproven, 'gpg_key_unproven')
      throw error
    })
    return { to: path, notice: texts.added(added.key_id) }
  },
})

export const verifyGpgKeySubmit = act({
  path: '/user/settings/keys/gpg/verify',
  twin: 'userVerifyGPGKey',
  cost: 'usual',
  recentSignIn: true,
  requires: [],
  fields: { key_id: text, armored_signature: text },
  again: keysPage,
  problemFields: { gpg: 'armored_signature' },
  async run({ ctx, body }) {
    const input = { keyId: body.key_id ?? '', signature: body.armored_signature ?? '' }
    const verified = await verifyGpgKey(ctx, ctx.viewer.user, input)
    return { to: path, notice: texts.verified(verified.key_id) }
  },
})

export const removeGpgKeySubmit = act({
  path: '/user/settings/keys/gpg/delete',
  twin: 'userCurrentDeleteGPGKey',
  cost: 'usual',
  requires: [],
  fields: { id },
  async run({ ctx, body }) {
    await removeGpgKey(ctx, ctx.viewer.user, body.id ?? 0)
    return { to: path, notice: texts.removed }
  },
})
