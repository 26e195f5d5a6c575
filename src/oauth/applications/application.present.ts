import type { OAuthApplicationRow } from '../../db/tables/oauth.ts'
import { formatUnix } from '../../lib/time.ts'
import type { OAuth2Application } from './application.schemas.ts'

/** @param secret the secret of a created or edited application, which is shown once */
export const presentApplication = (application: OAuthApplicationRow, secret = ''): OAuth2Application => ({
  id: application.id,
  name: application.name,
  client_id: application.client_id,
  client_secret: secret,
  confidential_client: application.is_confidential,
  redirect_uris: JSON.parse(application.redirect_uris) as string[],
  created: formatUnix(application.created_unix),
})
