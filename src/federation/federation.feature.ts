import type { Feature } from '../access/feature.ts'
import { actorKeyPurpose, actorKeys } from './actor-key.service.ts'
import * as actorRoutes from './actors/actor.routes.ts'
import { federationClient } from './federation-client.ts'
import * as inboxRoutes from './inboxes/inbox.routes.ts'
import { peerLimits } from './peer-limits.ts'

/** People of other servers follow and like what is here, and the other way round (ActivityPub, ForgeFed). */
export const federation: Feature = {
  routes: [actorRoutes, inboxRoutes],
  services: [actorKeys, federationClient, peerLimits],
  sealed: [{ table: 'actor_key', column: 'sealed_private_key', purpose: actorKeyPurpose }],
}
