import type { Feature } from '../access/feature.ts'
import { actorKeyPurpose, actorKeys } from './actor-key.service.ts'
import * as actorRoutes from './actors/actor.routes.ts'
import { deliverActivities, retryActivities } from './deliveries/deliver-activities.job.ts'
import { federationClient } from './federation-client.ts'
import * as followRoutes from './follows/follow.routes.ts'
import { tellFollows } from './follows/outgoing-follow.subscribers.ts'
import * as inboxRoutes from './inboxes/inbox.routes.ts'
import * as followedRepoRoutes from './likes/followed-repo.routes.ts'
import { tellStars } from './likes/like.subscribers.ts'
import * as outboxRoutes from './outboxes/outbox.routes.ts'
import { tellFollowers } from './outboxes/tell-followers.job.ts'
import { noteActs, tellPushes } from './outboxes/told.subscribers.ts'
import { peerLimits } from './peer-limits.ts'
import { clearReceived } from './received/clear-received.task.ts'
import * as receivedRoutes from './received/received.routes.ts'
import * as ticketRoutes from './tickets/ticket.routes.ts'
import { tellComments } from './tickets/ticket.subscribers.ts'

const subscribers = [tellFollows, tellStars, noteActs, tellPushes, tellComments]

/** People of other servers follow and like what is here, and the other way round (ActivityPub, ForgeFed). */
export const federation: Feature = {
  routes: [actorRoutes, inboxRoutes, outboxRoutes, followRoutes, followedRepoRoutes, receivedRoutes, ticketRoutes],
  subscribers,
  muted: (config) => (config.federation.enabled ? [] : subscribers),
  jobs: [deliverActivities, retryActivities, tellFollowers],
  schedules: (config) => (config.federation.enabled ? [clearReceived] : []),
  services: [actorKeys, federationClient, peerLimits],
  sealed: [{ table: 'actor_key', column: 'sealed_private_key', purpose: actorKeyPurpose }],
}
