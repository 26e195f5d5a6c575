import type { Ctx } from '../access/context.ts'
import { formatUnix } from '../lib/time.ts'
import { callbackOf } from './source.rules.ts'
import type { Source } from './source.service.ts'
import type { SignInSource } from './source.schemas.ts'

export const presentSource = ({ config }: Pick<Ctx, 'config'>, source: Source): SignInSource => ({
  id: source.id,
  kind: source.kind,
  name: source.name,
  active: source.isActive,
  has_secret: source.row.sealed !== '',
  callback_url: source.kind === 'openid' ? callbackOf(config.server.rootUrl, source.name) : '',
  openid: source.kind === 'openid' ? (source.settings as NonNullable<SignInSource['openid']>) : null,
  ldap: source.kind === 'ldap' ? (source.settings as NonNullable<SignInSource['ldap']>) : null,
  created: formatUnix(source.row.created_unix),
  updated: formatUnix(source.row.updated_unix),
})
