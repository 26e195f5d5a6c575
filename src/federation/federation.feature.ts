import type { Feature } from '../access/feature.ts'
import { actorKeyPurpose, actorKeys } from './actor-key.service.ts'
import * as actorRoutes from './actors/actor.routes.ts'
import { deliverActivities, retryActivities } from './deliveries/deliver-activities.job.ts'
import { federationClient } from './federation-client.ts'
import * as followRoutes from './follows/follow.routes.ts'
import { sendFollows } from './follows/outgoing-follow.subscribers.ts'
import * as inboxRoutes from './inboxes/inbox.routes.ts'
import * as followedRepoRoutes from './likes/followed-repo.routes.ts'
import { sendStars } from './likes/like.subscribers.ts'
import * as outboxRoutes from './outboxes/outbox.routes.ts'
import { announceActsToFollowers } from './outboxes/announce-acts.job.ts'
import { announceActsLater, announcePushes } from './outboxes/announce-acts.subscribers.ts'
import { peerLimits } from './peer-limits.ts'
import { clearReceived } from './received/clear-received.task.ts'
import * as receivedRoutes from './received/received.routes.ts'
import * as ticketRoutes from './tickets/ticket.routes.ts'
import { sendComments } from './tickets/ticket.subscribers.ts'

const subscribers = [sendFollows, sendStars, announceActsLater, announcePushes, sendComments]

/** Follows, likes, issues and comments between this instance and other servers (ActivityPub, ForgeFed). */
export const federation: Feature = {
  routes: [actorRoutes, inboxRoutes, outboxRoutes, followRoutes, followedRepoRoutes, receivedRoutes, ticketRoutes],
  subscribers,
  muted: (config) => (config.federation.enabled ? [] : subscribers),
  jobs: [deliverActivities, retryActivities, announceActsToFollowers],
  schedules: (config) => (config.federation.enabled ? [clearReceived] : []),
  services: [actorKeys, federationClient, peerLimits],
  sealed: [{ table: 'actor_key', column: 'sealed_private_key', purpose: actorKeyPurpose }],
}
